/**
 * The request at some moment of a session, as it was or would be, without writing anything. A request that weft sent is
 * rebuilt from the stored patches. A session that ran without weft is walked from its beginning as if weft had been
 * there, alone: that costs as much as the session is long, and agrees with replay of its file.
 */

import { asName } from "../base/json/read.ts";
import type { PriceList, Prices } from "../base/tokens/prices.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { viewMessage } from "../message/view.ts";
import type { History } from "../state/history/history.ts";
import { scopeOf } from "../state/session/find-session.ts";
import { placeOf } from "../state/session/session-state.ts";
import type { Tree } from "../state/session/tree.ts";
import { recordedFiles } from "../state/work/recorded-files.ts";
import { type AnsweredCall, mainPrices, type RecordedCall, readCalls } from "./model-calls.ts";
import type { ModeName } from "./moment.ts";
import { type Plan, plan } from "./plan.ts";
import type { ProjectState } from "./project-state.ts";
import { type PlannedBytes, requestOf } from "./request.ts";
import { SentRequests } from "./sent-requests.ts";
import { type PlannedRequest, type PresentFacts, recordedClock, Walk, type WalkOptions } from "./walk.ts";

export interface LookOptions extends Omit<WalkOptions, "prices" | "sessions">, PresentFacts {
	readonly history: History;
	readonly session: SessionRef;
	/** By default the mode of the request, or else that of `settings`. */
	readonly mode?: ModeName | undefined;
	/** By default those of the model that answered most often. */
	readonly prices?: Prices | undefined;
	/** Prices of models, as the settings name them. */
	readonly listed?: PriceList | undefined;
	readonly stateAt: (seq: number) => ProjectState;
	/** Called before each request of a session that is walked from its beginning; what it throws ends the walk. */
	readonly onStep?: ((done: number, total: number) => void | Promise<void>) | undefined;
}

export interface RequestAt extends PlannedBytes {
	readonly plan: Plan;
	/** The newest event that counts. */
	readonly seq: number;
	/** The request that left at this moment; undefined: none did. */
	readonly request: string | undefined;
}

/** The request after the event `seq`. */
export async function lookAt(seq: number, options: LookOptions): Promise<RequestAt> {
	const { log, history, session, settings } = options;
	history.catchUp();
	const moment = momentAt(log, history.tree, session, seq);
	const { call, isAsked } = moment;
	const sent = new SentRequests(history, options.reader);
	const made = sent.madeAt(call);
	const madeIn = asName(made?.payload["mode"]) as ModeName | undefined;
	const mode = options.mode ?? madeIn ?? settings.mode;
	if (made && madeIn === mode) {
		const { planned, request, ephemeral, thinking: sentThinking, seen } = sent.read(call, made);
		const { model } = call;
		const bytes = requestOf(planned, { isAsked, request, ephemeral, model, seen, sentThinking });
		return { ...bytes, plan: planned.plan, seq, request };
	}
	const calls = readCalls(log, history.tree, [session]);
	const prices = options.prices ?? mainPrices(calls, options.listed);
	const used = { ...options, prices, settings: { ...settings, mode } };
	const isStored = ranWith(log, session, mode, seq);
	const planned = isStored ? planStored(call, sent, used) : await planWalked(call, calls, used);
	const { model } = call;
	const seen = isStored ? sent.seen(call, planned.path) : undefined;
	return { ...requestOf(planned, { isAsked, model, seen }), plan: planned.plan, seq, request: undefined };
}

/** The event before the newest answer at that moment: the newest event that the previous request knew. */
export function requestBefore(seq: number, { log, history, session }: LookOptions): number | undefined {
	history.catchUp();
	const { call } = momentAt(log, history.tree, session, seq);
	for (const entry of history.tree.upward(call.leaf ?? null)) {
		if (entry.role === "assistant") return entry.seq - 1;
	}
	return undefined;
}

type Used = LookOptions & WalkOptions;

/** The session has seals of its own, and the next request continues from them. */
function planStored(call: RecordedCall, sent: SentRequests, options: Used): PlannedRequest {
	const { log, history, session, settings, prices, stateAt, known } = options;
	const { mode } = settings;
	const path = sent.path(call, mode);
	const moment = {
		path,
		history,
		prices,
		model: call.model,
		root: options.root ?? placeOf(log, session).root,
		now: options.now ?? recordedClock(log, call.leaf),
		lastAskedAt: sent.lastAskedAt(call),
		state: () => stateAt(call.upTo),
		files: options.files ?? (() => recordedFiles(log, call.upTo)),
		known,
	};
	return { path, plan: plan(moment, settings, { openingRole: options.openingRole }) };
}

/** All earlier calls count, on other branches too: their summaries exist. */
async function planWalked(call: RecordedCall, calls: readonly AnsweredCall[], options: Used): Promise<PlannedRequest> {
	const walk = new Walk({ ...options, sessions: scopeOf(options.log, options.session.session) });
	const earlier = calls.filter(({ upTo }) => upTo < call.upTo);
	for (const [done, before] of earlier.entries()) {
		await options.onStep?.(done, earlier.length);
		await walk.request(before);
	}
	return walk.request(call, options);
}

/** The newest entry at an event. If an answer comes right after it, the entry that was answered. */
function momentAt(
	log: Log,
	tree: Tree,
	session: SessionRef,
	upTo: number,
): { readonly call: RecordedCall; readonly isAsked: boolean } {
	const types = ["Message", "Entry"];
	const { host } = session;
	const [next] = log.read({ session: session.session, host, types, after: upTo, limit: 1 });
	const answer = next && tree.get(next.seq);
	if (next && answer?.role === "assistant") {
		const { model } = viewMessage(next.payload);
		return { call: { session, leaf: answer.parent ?? undefined, upTo, model }, isAsked: true };
	}
	const [newest] = log.read({ session: session.session, host, types, upTo, order: "newest", limit: 1 });
	return { call: { session, leaf: newest?.seq, upTo }, isAsked: false };
}

/** True: the log has requests of this mode, or seals, where the agent made its own requests. Either way the seals are known. */
function ranWith(log: Log, { session, host }: SessionRef, mode: ModeName, upTo: number): boolean {
	for (const record of log.read({ session, host, types: ["Request", "Seal"], upTo, order: "newest" })) {
		if (record.type === "Seal" || record.payload["mode"] === mode) return true;
	}
	return false;
}
