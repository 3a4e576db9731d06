/**
 * Updates the account of a session's window from what host and provider report: the window if the host names it, and the
 * provider's count of the newest answers next to our estimate of what was sent for them.
 */

import { asObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { promptTokens } from "../../message/usage.ts";
import type { TreeEntry } from "../../state/session/tree.ts";
import type { RuntimeContext } from "./contract.ts";
import type { HostSession, Sessions } from "./sessions.ts";
import { viewOf } from "./translate.ts";
import { type Account, type EstimatedAnswer, learn } from "./window-account.ts";

/** How far back to look for answers of the same turn. */
const MAX_STEPS_BACK = 60;
/** A smaller change is noise: the account stays, and with it the sizes of the epoch. */
const MIN_CHANGE = 0.03;

/** `window` undefined: the host does not name it. */
export function updateAccount(
	engine: Engine,
	sessions: Sessions,
	host: HostSession & { readonly runtimeContext?: RuntimeContext | undefined },
	window: number | undefined,
): void {
	const state = sessions.state(host);
	const known: Account = { window: window ?? state.window, overhead: state.overhead, factor: state.factor };
	const lastCall = countedTokens(host.runtimeContext?.promptCache?.lastCallUsage);
	const learnt = learn(known, readCounts(engine, sessions.of(host).ref, lastCall));
	const isNoise = isClose(learnt.overhead, state.overhead, known.window) && isClose(learnt.factor, state.factor, 1);
	sessions.change(host, isNoise ? known : learnt);
}

/**
 * The first and the newest answer of the turn: their difference shows how the provider counts. An estimate is of what the
 * planner shows at that answer now, so answers from before the newest seal, which followed another request, are left out.
 * `lastCall`: the host's count of the newest answer, for providers whose answers have none.
 */
function readCounts(engine: Engine, ref: SessionRef, lastCall: number): readonly EstimatedAnswer[] {
	const answers = newestAnswers(engine, ref);
	const newest = answers.at(-1)?.entry;
	const sealed = sealedAt(engine, ref);
	const counted = answers.flatMap(({ entry, parent }) => {
		const { tokens: own, ts } = countedAt(engine, entry);
		const tokens = own || (entry === newest ? lastCall : 0);
		return tokens > 0 && ts > sealed ? [{ parent, tokens }] : [];
	});
	const firstAndLast = counted.length > 1 ? [...counted.slice(0, 1), ...counted.slice(-1)] : counted;
	const found = firstAndLast.map(({ parent, tokens }) => {
		const sent = engine.plan({ ...ref, leaf: parent, decide: false });
		return { estimate: sent.tokens, counted: tokens, opening: sent.opening?.text };
	});
	return found.filter(({ opening }) => opening === found.at(-1)?.opening);
}

/** Answers of the newest turn that has any, oldest first. `parent`: the message that each answers. */
function newestAnswers(
	{ history: { tree } }: Engine,
	ref: SessionRef,
): { readonly entry: TreeEntry; readonly parent: number }[] {
	tree.catchUp();
	const answers: { entry: TreeEntry; parent: number }[] = [];
	let steps = 0;
	for (const entry of tree.upward(tree.tip(ref) ?? null)) {
		const { parent } = entry;
		if (entry.role === "assistant" && parent !== null) answers.unshift({ entry, parent });
		if (entry.asks && answers.length > 0) break;
		if (++steps >= MAX_STEPS_BACK) break;
	}
	return answers;
}

function countedAt({ log }: Engine, { seq }: TreeEntry): { readonly tokens: number; readonly ts: number } {
	const record = log.get(seq);
	return { tokens: countedTokens(asObject(record?.payload["raw"])?.["usage"]), ts: record?.ts ?? 0 };
}

/** 0: not counted. */
function countedTokens(usage: unknown): number {
	const read = viewOf({ role: "assistant", content: [], usage }).usage;
	return read ? promptTokens(read) : 0;
}

function sealedAt({ log }: Engine, ref: SessionRef): number {
	const [seal] = log.read({ ...ref, types: ["Seal"], order: "newest", limit: 1 });
	return seal?.ts ?? 0;
}

function isClose(one: number | undefined, other: number | undefined, of: number | undefined): boolean {
	if (one === undefined || other === undefined) return one === other;
	return Math.abs(one - other) <= MIN_CHANGE * (of ?? Math.max(one, other));
}
