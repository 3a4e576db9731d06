/**
 * User messages that were never answered. The host joins several in a row into one, with the time of the last, and after a
 * compaction only the newest of them is in its prompt. If a seed replaces the first of them, they must be split again:
 * otherwise a message that was too long for the window would return with every message after it.
 */

import type { Plan } from "../../context/plan.ts";
import type { Engine } from "../../engine.ts";
import { isMessage, type TreeMessage } from "../../state/session/tree.ts";
import type { AgentMessage } from "./contract.ts";
import type { OpenClawSession } from "./session.ts";

/** How far back to look for the parts. */
const MAX_STEPS_BACK = 200;

/** Replaces each joined message by its parts, as the log has them. */
export function splitJoined(
	messages: readonly AgentMessage[],
	engine: Engine,
	session: OpenClawSession,
): readonly AgentMessage[] {
	const suspects = messages.filter(({ role, content }) => role === "user" && blocksOf(content).length > 1);
	if (suspects.length === 0) return messages;
	const fromUser = readNewest(engine, session).filter(({ role }) => role === "user");
	const raws = fromUser.map(({ seq }) => session.message(seq));
	return messages.flatMap((message) => (suspects.includes(message) ? partsOf(message, raws) : [message]));
}

function partsOf(message: AgentMessage, newestFirst: readonly AgentMessage[]): readonly AgentMessage[] {
	const last = newestFirst.findIndex(({ timestamp }) => timestamp === message["timestamp"]);
	if (last < 0) return [message];
	let remaining = blocksOf(message["content"]);
	const parts: AgentMessage[] = [];
	for (const raw of newestFirst.slice(last)) {
		const blocks = blocksOf(raw["content"]);
		const end = remaining.slice(remaining.length - blocks.length);
		if (blocks.length === 0 || JSON.stringify(end) !== JSON.stringify(blocks)) break;
		parts.unshift(raw);
		remaining = remaining.slice(0, remaining.length - blocks.length);
		if (remaining.length === 0) return parts;
	}
	return [message];
}

/** True: only empty answers lie between the newest message that the host shows and the first that the seal keeps. */
export function isSealedWhole(
	engine: Engine,
	session: OpenClawSession,
	{ opening, messages }: Plan,
	leaf: number | undefined,
): boolean {
	const from = opening && messages[0] ? session.seqOf(messages[0].id) : undefined;
	if (from === undefined || leaf === undefined) return false;
	for (const entry of engine.history.tree.upward(from)) {
		if (entry.seq === leaf) return entry.seq !== from;
		if (entry.seq !== from && isMessage(entry) && !isEmptyAnswer(session.message(entry.seq))) return false;
	}
	return false;
}

/** The host records one when the provider refuses. */
function isEmptyAnswer({ role, content }: AgentMessage): boolean {
	return role === "assistant" && blocksOf(content).length === 0;
}

/** Newest first. */
function readNewest({ history }: Engine, { ref }: OpenClawSession): TreeMessage[] {
	const found: TreeMessage[] = [];
	let steps = 0;
	for (const entry of history.tree.upward(history.tree.tip(ref) ?? null)) {
		if (++steps > MAX_STEPS_BACK) break;
		if (isMessage(entry)) found.push(entry);
	}
	return found;
}

function blocksOf(content: unknown): readonly unknown[] {
	if (typeof content === "string") return [{ type: "text", text: content }];
	return Array.isArray(content) ? content : [];
}
