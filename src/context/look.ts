/**
 * What a model was given at some moment of a session, or would be given, without writing anything. A request that left with
 * weft is shown as it was sent, from the stored patches. A session that ran without weft is walked from its beginning, as
 * if weft had been there.
 */
import type { EventRecord } from "../event/types.ts";
import type { History } from "../history/history.ts";
import { asName } from "../json/read.ts";
import type { Log } from "../log/log.ts";
import { isMessage, type SessionRef } from "../session/tree.ts";
import { recordedFiles } from "../work/recorded-files.ts";
import { callsTo } from "./calls.ts";
import { segmentsOf } from "./envelope/bytes.ts";
import { type ContextEnvelope, hostMessages, makeEnvelope } from "./envelope/envelope.ts";
import type { ModeName, Moment } from "./moment.ts";
import { type ReplayItem, replay } from "./patch/replay.ts";
import { readTransform } from "./patch/transform.ts";
import { openingRole, StoredPatches } from "./patches.ts";
import { PathReader } from "./path.ts";
import { type Plan, plan } from "./plan.ts";
import type { ProjectState } from "./project-state.ts";
import { type MadeRequest, sendable } from "./requests.ts";
import { type Known, recordedClock, Walk, type WalkOptions } from "./walk.ts";

export interface LookOptions extends WalkOptions, Known {
	readonly history: History;
	readonly session: SessionRef;
	/** By default the mode in which the request was made, or else that of `settings`. */
	readonly mode?: ModeName | undefined;
	readonly stateAt: (seq: number) => ProjectState;
}

export interface Look extends Pick<MadeRequest, "envelope" | "messages" | "tokens" | "violations" | "reasons"> {
	readonly plan: Plan;
	/** The newest event that counts. */
	readonly seq: number;
	/** The request that left at this moment; undefined: none did. */
	readonly request: string | undefined;
}

/** As it was after the event `seq`. */
export async function lookAt(seq: number, options: LookOptions): Promise<Look> {
	const { log, history, session, settings } = options;
	history.catchUp();
	const leaf = leafAt(log, session, seq);
	const made = requestAt(history, session, leaf, seq);
	const mode = options.mode ?? (asName(made?.payload["mode"]) as ModeName | undefined) ?? settings.mode;
	const isAsSent = made !== undefined && made.payload["mode"] === mode;
	const used = { ...settings, mode };
	const planned =
		isAsSent || ranWith(log, session, mode, seq)
			? planRecorded(seq, leaf, { ...options, settings: used }, isAsSent)
			: await planWalked(seq, leaf, { ...options, settings: used });
	const ephemeral = isAsSent ? ephemeralOf(log, session, String(made.payload["request"]), seq) : [];
	return lookOf(planned, ephemeral, seq, isAsSent ? String(made.payload["request"]) : undefined);
}

/** The event before the newest answer at that moment: what was known when the request before this one left. */
export function requestBefore(seq: number, { log, history, session }: LookOptions): number | undefined {
	history.catchUp();
	for (const entry of history.tree.upward(leafAt(log, session, seq) ?? null)) {
		if (entry.role === "assistant") return entry.seq - 1;
	}
	return undefined;
}

interface Planned {
	readonly plan: Plan;
	readonly form: Moment["path"]["form"];
	readonly isOpen: boolean;
}

function planRecorded(seq: number, leaf: number | undefined, options: LookOptions, isAsSent: boolean): Planned {
	const { log, history, session, settings, prices, stateAt, rootOf, known } = options;
	const patches = new StoredPatches(history, session).forMode(settings.mode, seq);
	const path = new PathReader(history).read({ session, leaf, patches, compactions: "recorded" });
	const moment: Moment = {
		path,
		history,
		prices,
		root: rootOf(session.session),
		now: options.now ?? recordedClock(log, leaf),
		state: () => stateAt(seq),
		files: options.files ?? (() => recordedFiles(log, seq)),
		known,
	};
	const role = openingRole(session.host, settings.mode);
	return { plan: plan(moment, settings, { role, decide: !isAsSent }), form: path.form, isOpen: path.isOpen };
}

async function planWalked(seq: number, leaf: number | undefined, options: LookOptions): Promise<Planned> {
	const { log, history, session } = options;
	const walk = new Walk(options);
	for (const call of callsTo(log, history.tree, session, leaf)) await walk.request(call);
	const { path, plan } = await walk.request({ session, leaf, upTo: seq }, options);
	return { plan, form: path.form, isOpen: path.isOpen };
}

function lookOf(
	{ plan, form, isOpen }: Planned,
	more: readonly ReplayItem[],
	seq: number,
	request: string | undefined,
): Look {
	const { envelope } = replay(makeEnvelope({}), [...plan.items, ...more], { request });
	// Calls that are still running have no results yet: that is not damage.
	const checked = sendable(envelope, form, { mend: !isOpen });
	return {
		...checked,
		messages: hostMessages(checked.envelope),
		tokens: totalTokens(checked.envelope),
		reasons: plan.seal ? [`${plan.mode}: ${plan.decision.why}`] : [],
		plan,
		seq,
		request,
	};
}

function totalTokens(envelope: ContextEnvelope): number {
	return segmentsOf(envelope).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** seq of the session's newest message or other entry at a moment. */
export function leafAt(log: Log, { session, host }: SessionRef, upTo: number): number | undefined {
	const types = ["Message", "Entry"];
	for (const { seq } of log.read({ session, host, types, upTo, order: "newest", limit: 1 })) return seq;
	return undefined;
}

/** The request that was made at this place of the session: nothing was said since. */
function requestAt(
	history: History,
	session: SessionRef,
	leaf: number | undefined,
	upTo: number,
): EventRecord | undefined {
	const query = { ...session, types: ["Request"], upTo, order: "newest", limit: 1 } as const;
	for (const record of history.log.read(query)) {
		const spoken = newestMessage(history, leaf);
		return spoken !== undefined && newestMessage(history, record.cause ?? undefined) === spoken ? record : undefined;
	}
	return undefined;
}

function newestMessage({ tree }: History, leaf: number | undefined): number | undefined {
	for (const entry of tree.upward(leaf ?? null)) if (isMessage(entry)) return entry.seq;
	return undefined;
}

/** True: the session has requests of this mode, so its seals are in the log; or seals alone, in an older one. */
function ranWith(log: Log, session: SessionRef, mode: ModeName, upTo: number): boolean {
	for (const record of log.read({ ...session, types: ["Request", "Seal"], upTo, order: "newest" })) {
		if (record.type === "Seal" || record.payload["mode"] === mode) return true;
	}
	return false;
}

function ephemeralOf(log: Log, session: SessionRef, request: string, upTo: number): ReplayItem[] {
	const items: ReplayItem[] = [];
	for (const record of log.read({ ...session, types: ["Transform"], upTo })) {
		const transform = readTransform(record.payload);
		if (transform.reason === "ephemeral" && transform.request === request) items.push({ kind: "transform", transform });
	}
	return items;
}
