/**
 * The account of a session's window, kept from what the host and the provider say: the window where it is named, and what
 * the provider counted of the newest answers beside what we know to have been sent before them.
 */

import { asObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { TreeEntry } from "../../state/session/tree.ts";
import { type Account, type Answer, learn } from "./account.ts";
import type { RuntimeContext } from "./contract.ts";
import type { HostSession, Sessions } from "./sessions.ts";

/** How far back answers of the same turn are looked for. */
const MAX_STEPS_BACK = 60;
/** Less than that is noise: the account stays, and with it the sizes of the epoch. */
const MIN_CHANGE = 0.03;

/** The window: undefined where the host does not name it. */
export function keepAccount(
	engine: Engine,
	sessions: Sessions,
	host: HostSession & { readonly runtimeContext?: RuntimeContext | undefined },
	window: number | undefined,
): void {
	const state = sessions.state(host);
	const known: Account = { window: window ?? state.window, overhead: state.overhead, factor: state.factor };
	const lastCall = promptTokens(host.runtimeContext?.promptCache?.lastCallUsage);
	const learnt = learn(known, answersOf(engine, sessions, host, lastCall));
	const isNoise = isClose(learnt.overhead, state.overhead, known.window) && isClose(learnt.factor, state.factor, 1);
	sessions.change(host, isNoise ? known : learnt);
}

/**
 * The newest answer, and the first of the same turn: the difference tells how the provider counts. Their estimates are of
 * what the planner shows at each, so those from before the newest seal, which were sent something else, tell nothing.
 * `lastCall`: what the host says of the newest, where that one says nothing itself.
 */
function answersOf(engine: Engine, sessions: Sessions, host: HostSession, lastCall: number): readonly Answer[] {
	const { ref } = sessions.of(host);
	const { tree } = engine.history;
	tree.catchUp();
	const answers: TreeEntry[] = [];
	let steps = 0;
	for (const entry of tree.upward(tree.tip(ref) ?? null)) {
		if (entry.role === "assistant" && entry.parent !== null) answers.unshift(entry);
		if (entry.asks && answers.length > 0) break;
		if (++steps >= MAX_STEPS_BACK) break;
	}
	const sealed = sealedAt(engine, ref);
	const counted = answers.flatMap((entry) => {
		const { tokens: own, ts } = countedAt(engine, entry);
		const tokens = own || (entry === answers.at(-1) ? lastCall : 0);
		return tokens > 0 && ts > sealed ? [{ entry, tokens }] : [];
	});
	const chosen = counted.length > 1 ? [counted[0]!, counted.at(-1)!] : counted;
	const found = chosen.map(({ entry, tokens }) => {
		const sent = engine.plan({ ...ref, leaf: entry.parent!, decide: false });
		return { estimate: sent.tokens, counted: tokens, opening: sent.opening?.text };
	});
	return found.filter(({ opening }) => opening === found.at(-1)?.opening);
}

function countedAt({ log }: Engine, { seq }: TreeEntry): { readonly tokens: number; readonly ts: number } {
	const record = log.get(seq);
	return { tokens: promptTokens(asObject(record?.payload["raw"])?.["usage"]), ts: record?.ts ?? 0 };
}

/** 0: nobody counted. */
function promptTokens(usage: unknown): number {
	const counts = asObject(usage) ?? {};
	return ["input", "cacheRead", "cacheWrite"].reduce((sum, name) => sum + (Number(counts[name]) || 0), 0);
}

function sealedAt({ log }: Engine, ref: SessionRef): number {
	const [seal] = log.read({ ...ref, types: ["Seal"], order: "newest", limit: 1 });
	return seal?.ts ?? 0;
}

function isClose(one: number | undefined, other: number | undefined, of: number | undefined): boolean {
	if (one === undefined || other === undefined) return one === other;
	return Math.abs(one - other) <= MIN_CHANGE * (of ?? Math.max(one, other));
}
