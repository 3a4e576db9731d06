/**
 * What opens the next request of a session, and which of its messages follow as they are, by mode. Live, a seal or a
 * compaction that is due is made; for a look at a moment that has passed, or at what would be, nothing is written.
 */
import { assembleHistory } from "../../history/assemble.ts";
import type { History } from "../../history/history.ts";
import { HISTORY_DEFAULTS } from "../../history/types.ts";
import type { SessionRef } from "../../session/tree.ts";
import type { FileSource } from "../../work/file-source.ts";
import type { ProjectState } from "../project-state.ts";
import { ceilingTokens } from "../seal/seal-rule.ts";
import type { Weaver } from "../seal/weaver.ts";
import { contextBudget } from "../section/budget.ts";
import type { ContextItem } from "../section/section.ts";
import { LEAST_BUDGET_TOKENS, renderWarp } from "../section/warp/render.ts";
import { type PathMessage, pathMessage, readPath } from "./path.ts";

export type AssemblyMode = "woven" | "warp" | "lossless" | "off";

export interface PlanInput {
	readonly session: SessionRef;
	readonly mode: AssemblyMode;
	/** Tokens of the model's window. */
	readonly window: number;
	/** seq of the entry at which the agent stands; by default the session's newest. */
	readonly leaf?: number | undefined;
	/** The provider has forgotten the request before. */
	readonly cold: boolean;
	readonly now: number;
	/** Tokens for the computed context of `warp`; by default from the window. */
	readonly budget?: number;
}

export interface PlanSources {
	readonly history: History;
	readonly weaver: Weaver;
	readonly state: () => ProjectState;
	readonly files: () => FileSource;
	/** The texts as the log knew them, to say what changed in a stale file. */
	readonly known?: () => FileSource;
	/** Summarises before the usual tail; not there for a mere look. */
	readonly compact?: () => Promise<void>;
	readonly repository?: string;
}

export interface Plan {
	readonly mode: AssemblyMode;
	/** Stands for everything before the messages; none: they are all there is. */
	readonly opening?: { readonly id: string; readonly text: string; readonly tokens: number };
	readonly messages: readonly PathMessage[];
	/** What is in and why, part by part. */
	readonly items: readonly ContextItem[];
	/** Why bytes that were sent before are others now, where they are. */
	readonly reason?: string;
}

export async function planRequest(input: PlanInput, sources: PlanSources): Promise<Plan> {
	switch (input.mode) {
		case "woven":
			return woven(input, sources);
		case "warp":
			return warp(input, sources);
		case "lossless":
			return lossless(input, sources);
		case "off": {
			const messages = readPath(sources.history, input.session, { leaf: input.leaf });
			return { mode: "off", messages, items: rawItems(messages, "the host's own history: mode off") };
		}
	}
}

async function woven({ session, leaf, cold }: PlanInput, { history, weaver }: PlanSources): Promise<Plan> {
	const from = new Set(weaver.seals.map((seal) => seal.from));
	const path = readPath(history, session, { leaf, from });
	const { seal, first, fresh, decision } = await weaver.next(path, { cold });
	const messages = path.slice(first);
	if (!seal) return { mode: "woven", messages, items: rawItems(messages, "nothing has been sealed yet") };
	const why = `frozen at the seal (${seal.decision.why}): ${seal.left} messages left with it`;
	const sections = seal.seed.sections.map(({ name, tokens, left }): ContextItem => {
		const rest = left > 0 ? `; ${left} more did not fit` : "";
		return { id: `seed:${name}`, kind: "seed", tokens, why: `${why}${rest}`, included: true };
	});
	return {
		mode: "woven",
		opening: { id: `seed ${seal.from}`, text: seal.seed.text, tokens: seal.seed.tokens },
		messages,
		items: [...sections, ...rawItems(messages, "behind the seal, raw")],
		...(fresh ? { reason: `sealed: ${decision.why}` } : {}),
	};
}

/** The computed context, and the run that is going on; its oldest turns leave where they do not fit. */
async function warp(input: PlanInput, sources: PlanSources): Promise<Plan> {
	const { session, leaf, window, now } = input;
	const limit = ceilingTokens(window);
	const budget =
		input.budget ?? Math.max(LEAST_BUDGET_TOKENS, Math.min(contextBudget({ window }), Math.floor(limit * 0.6)));
	const path = readPath(sources.history, session, { leaf, run: true });
	const start = Math.max(
		0,
		path.findLastIndex((message) => message.asks),
	);
	const context = renderWarp({
		state: sources.state(),
		files: sources.files(),
		budget,
		now,
		session: session.session,
		...(sources.known ? { known: sources.known() } : {}),
		...(sources.repository === undefined ? {} : { repository: sources.repository }),
	});
	const first = newestTurns(path, start, limit - context.tokens);
	const asked = first > start ? path.slice(start, start + 1) : [];
	const left = path.slice(start + 1, first);
	const messages = [...asked, ...path.slice(first)];
	const gone = left.map(
		({ id, tokens, handle }): ContextItem => ({
			id: `message:${id}`,
			kind: "message",
			tokens,
			why: "an older turn of this run, which no longer fits",
			included: false,
			handle,
		}),
	);
	const handles = left.filter(({ role }) => role === "assistant").map(({ handle }) => handle);
	const text = handles.length === 0 ? context.text : `${context.text}\n${leftOut(handles)}`;
	return {
		mode: "warp",
		opening: { id: "warp", text, tokens: context.tokens },
		messages,
		items: [...context.items, ...gone, ...rawItems(messages, "the run that is going on")],
		reason: "computed anew",
	};
}

/** The summaries that cover what is gone, and what they do not cover. */
async function lossless({ session, leaf, window }: PlanInput, { history, compact }: PlanSources): Promise<Plan> {
	let path = history.path(session, leaf);
	const size = path.runs.flat().reduce((sum, { tokens }) => sum + tokens, 0);
	const due = size > ceilingTokens(window);
	if (due && compact) {
		await compact();
		path = history.path(session, leaf);
	}
	const messages = path.runs.flat().map((message) => pathMessage(history, message));
	const [newest] = messages.some(({ asks }) => asks) ? [] : readPath(history, session, { leaf, run: true });
	const request = newest?.asks ? { request: { seq: newest.seq, text: newest.text } } : {};
	const told = assembleHistory(history, path.nodes, { maxTokens: HISTORY_DEFAULTS.maxSummaryTokens, ...request });
	const nodes = path.nodes.map(({ id, tokens, messages: count }): ContextItem => {
		const whole = told?.whole.includes(id) ?? false;
		const why = `stands for ${count} messages${whole ? "" : "; named only, its text did not fit"}`;
		return { id: `node:${id}`, kind: "summary", tokens, why, included: told?.named.includes(id) ?? false, handle: id };
	});
	const items = [...nodes, ...rawItems(messages, "covered by no summary")];
	if (!told) return { mode: "lossless", messages, items };
	return {
		mode: "lossless",
		opening: { id: `history ${path.nodes.at(-1)!.id}`, text: told.text, tokens: told.tokens },
		messages,
		items,
		...(due && compact ? { reason: "compacted" } : {}),
	};
}

/** Index of the first message to keep of those behind `start`: the newest whole turns that fit, the newest one always. */
function newestTurns(path: readonly PathMessage[], start: number, room: number): number {
	let tokens = path[start]?.tokens ?? 0;
	let first = path.length;
	for (let at = path.length - 1; at > start; at--) {
		tokens += path[at]!.tokens;
		if (first < path.length && tokens > room) break;
		if (path[at]!.role !== "toolResult") first = at;
	}
	return first <= start + 1 || first === path.length ? start : first;
}

const MOST_HANDLES = 40;

function leftOut(handles: readonly string[]): string {
	const older = handles.length - MOST_HANDLES;
	const more = older > 0 ? `; ${older} older ones: lcm_grep` : "";
	return `Earlier turns of this run (lcm_expand gives each back whole): ${handles.slice(-MOST_HANDLES).join(", ")}${more}`;
}

function rawItems(messages: readonly PathMessage[], why: string): ContextItem[] {
	return messages.map(({ id, tokens, handle, role }) => ({
		id: `message:${id}`,
		kind: role,
		tokens,
		why,
		included: true,
		handle,
	}));
}
