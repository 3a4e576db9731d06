/**
 * What a model would be given at some moment of a session, in any mode, without writing anything. A session that ran with
 * weft has its seals in the log. One that did not is walked from its beginning, request by request, as if it had.
 */

import type { History } from "../../history/history.ts";
import type { Log } from "../../log/log.ts";
import type { SessionRef } from "../../session/tree.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { pricesOf } from "../../tokens/prices.ts";
import type { FileSource } from "../../work/file-source.ts";
import { Handlers } from "../handler/handler.ts";
import type { ProjectState } from "../project-state.ts";
import type { Seal } from "../seal/epochs.ts";
import { HIDDEN_PRICE_TOKENS, type Profile, seedBudget } from "../seal/seal-rule.ts";
import { sealsOf, Weave } from "../seal/weave.ts";
import { HISTORY_SHARE, historySection } from "../section/seed/history.ts";
import { type MadeRequest, makeRequest } from "./assemble.ts";
import { leafAt, type PathMessage, readPath } from "./path.ts";
import { type AssemblyMode, type Plan, planRequest } from "./plan.ts";
import { lookingWeaver } from "./requests.ts";

export interface LookOptions {
	readonly log: Log;
	readonly history: History;
	readonly root: string;
	readonly session: SessionRef;
	readonly mode: AssemblyMode;
	readonly window: number;
	readonly profile: Profile;
	readonly model?: string;
	/** The state and the files as they were at an event. */
	readonly stateAt: (seq: number) => ProjectState;
	readonly filesAt: (seq: number) => FileSource;
	readonly now: number;
	/** Tokens for the computed context of `warp`. */
	readonly budget?: number;
}

export interface Look extends MadeRequest {
	readonly plan: Plan;
	/** The newest event that counts. */
	readonly seq: number;
}

/** As it was after the event `seq`. */
export async function lookAt(seq: number, options: LookOptions): Promise<Look> {
	const { log, history, session, mode, window, now, budget } = options;
	history.catchUp();
	const leaf = leafAt(history, session, seq);
	const weaver = lookingWeaver(() => weaveAt(seq, leaf, options));
	const plan: Plan =
		leaf === undefined
			? { mode, messages: [], items: [] }
			: await planRequest(
					{ session, mode, window, leaf, cold: false, now, ...(budget === undefined ? {} : { budget }) },
					{
						history,
						weaver,
						state: () => options.stateAt(seq),
						files: () => options.filesAt(seq),
					},
				);
	const beside = { signal: new AbortController().signal, now };
	const made = await makeRequest(log, session, plan, {
		request: "look",
		base: {},
		handlers: new Handlers(),
		beside,
		upTo: seq,
		// Calls that are still running have no results yet: that is no damage.
		mend: !isOpen(plan.messages, history),
	});
	return { ...made, plan, seq };
}

/** The event before the newest answer at that moment: what was known when the request before this one left. */
export function requestBefore(seq: number, { history, session }: LookOptions): number | undefined {
	history.catchUp();
	const leaf = leafAt(history, session, seq);
	for (const entry of history.tree.upward(leaf ?? null)) {
		if (entry.role === "assistant") return entry.seq - 1;
	}
	return undefined;
}

function isOpen(messages: readonly PathMessage[], { tree }: History): boolean {
	const answer = messages.findLastIndex(({ role }) => role === "assistant");
	const turn = messages.slice(Math.max(0, answer)).flatMap(({ seq }) => tree.get(seq) ?? []);
	const answered = new Set(turn.flatMap(({ results }) => results));
	return turn.some(({ calls }) => calls.some((id) => !answered.has(id)));
}

function weaveAt(seq: number, leaf: number | undefined, options: LookOptions): Weave {
	const { log, session } = options;
	const recorded = sealsOf(log.read({ ...session, types: ["Seal"], upTo: seq }), estimateTokens);
	if (recorded.length > 0) return weave(seq, recorded, options);
	return weave(seq, walk(readPath(options.history, session, { leaf }), options), options);
}

/** The seals that the session would have made on its way here. */
function walk(path: readonly PathMessage[], options: LookOptions): readonly Seal[] {
	let at = 0;
	let start = 0;
	const walking = weave(() => at, [], options);
	for (const [index, message] of path.entries()) {
		if (message.role !== "assistant" || index === 0) continue;
		at = message.seq - 1;
		start += walking.next(path.slice(start, index), { cold: false }).first;
	}
	return walking.epochs.seals;
}

function weave(at: number | (() => number), seals: readonly Seal[], options: LookOptions): Weave {
	const { session, root, window, profile, model, history } = options;
	const seq = () => (typeof at === "number" ? at : at());
	const budget = seedBudget(profile, window) * HISTORY_SHARE;
	return new Weave({
		session: session.session,
		root,
		window,
		profile,
		prices: pricesOf(model),
		hidden: HIDDEN_PRICE_TOKENS[profile],
		seals,
		state: () => options.stateAt(seq()),
		files: () => options.filesAt(seq()),
		history: () => historySection(history.path(session, leafAt(history, session, seq())).nodes, budget),
	});
}
