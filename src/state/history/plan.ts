/**
 * Plans what to summarise next. Pure: chooses the chunks of uncovered messages that become leaves, and the nodes that
 * become one. Cuts only between turns; the newest turns and the newest request stay verbatim.
 */

import { type CutMessage, groupTurns, type Turn } from "../../message/turns.ts";
import type { TreeMessage } from "../session/tree.ts";
import type { HistorySettings, Node } from "./types.ts";

/** Messages that become one leaf. */
export interface LeafChunk {
	readonly messages: readonly TreeMessage[];
	readonly tokens: number;
}

export interface LeafOptions {
	/** seq of the first message to keep, for an agent that has already cut there. Everything before it is covered. */
	readonly keepFrom?: number | undefined;
}

type LeafSettings = Pick<HistorySettings, "leafChunkTokens" | "minMessages" | "keepTokens" | "ceilingTokens">;

/** The chunks, oldest first. `runs` are the uncovered messages of a path. A chunk lies in one run, the tail in the last. */
export function planLeaves(
	runs: readonly (readonly TreeMessage[])[],
	settings: LeafSettings,
	options: LeafOptions = {},
): LeafChunk[] {
	if (runs.reduce((sum, { length }) => sum + length, 0) < settings.minMessages) return [];
	const older = runs.slice(0, -1).flatMap((run) => cut(groupTurns(run), settings.leafChunkTokens));
	const turns = groupTurns(runs.at(-1) ?? []);
	const given = options.keepFrom;
	const end = given === undefined ? chooseTail(turns, settings) : turnOf(turns, given);
	const chunks = cut(turns.slice(0, end), settings.leafChunkTokens);
	// A small rest waits for more messages, unless the agent drops them.
	const rest = chunks.at(-1);
	if (given === undefined && rest && rest.tokens * 2 < settings.leafChunkTokens) chunks.pop();
	return [...older, ...chunks];
}

/** The nodes to merge: the oldest of the shallowest depth that has too many. Undefined: none. */
export function planCondensation(
	nodes: readonly Node[],
	{ condensationThreshold, maxDepth }: Pick<HistorySettings, "condensationThreshold" | "maxDepth">,
): readonly Node[] | undefined {
	const size = Math.max(2, condensationThreshold);
	for (let depth = 0; depth < maxDepth; depth++) {
		const at = nodes.findIndex((node) => node.depth === depth);
		if (at === -1) continue;
		const run = nodes.slice(at, at + size + 1);
		if (run.length > size && run.every((node) => node.depth === depth)) return run.slice(0, size);
	}
	return undefined;
}

/** The index of the turn with which the tail begins. */
export function chooseTail(
	turns: readonly Turn<CutMessage & { readonly asks: boolean }>[],
	{ keepTokens, ceilingTokens }: Pick<HistorySettings, "keepTokens" | "ceilingTokens">,
): number {
	let start = turns.length - 1;
	let tokens = turns[start]?.tokens ?? 0;
	const newestRequest = turns.findLastIndex((turn) => turn.messages.some(({ asks }) => asks));
	for (let at = start - 1; at >= 0; at--) {
		tokens += turns[at]?.tokens ?? 0;
		// The newest request stays, up to the ceiling: a run of days must end somewhere.
		if (tokens > (at >= newestRequest ? ceilingTokens : keepTokens)) break;
		if (tokens <= keepTokens || at === newestRequest) start = at;
	}
	return start;
}

/** The turn that holds a message: a cut inside a turn keeps the whole turn. */
function turnOf(turns: readonly Turn<TreeMessage>[], seq: number): number {
	const at = turns.findIndex((turn) => (turn.messages.at(-1)?.seq ?? 0) >= seq);
	return at === -1 ? turns.length - 1 : Math.min(at, turns.length - 1);
}

/** A turn larger than a chunk is a chunk of its own. */
function cut(turns: readonly Turn<TreeMessage>[], chunkTokens: number): LeafChunk[] {
	const chunks: LeafChunk[] = [];
	let messages: TreeMessage[] = [];
	let tokens = 0;
	const close = () => {
		if (messages.length > 0) chunks.push({ messages, tokens });
		messages = [];
		tokens = 0;
	};
	for (const turn of turns) {
		if (tokens + turn.tokens > chunkTokens) close();
		for (const message of turn.messages) messages.push(message);
		tokens += turn.tokens;
	}
	close();
	return chunks;
}
