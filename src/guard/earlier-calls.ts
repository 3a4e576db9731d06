/**
 * The newest calls of a session and what came of them, from the log: for a guard in a new process. In some agents each hook
 * is a process of its own, and in all of them a session can be resumed.
 */
import { asObject, asText } from "../base/json/read.ts";
import { type EventRecord, isA } from "../log/event/types.ts";
import type { ReadQuery } from "../log/types.ts";
import { callsOf, resultsOf, viewMessage } from "../message/view.ts";
import type { GuardCall, GuardEvent } from "./types.ts";

export interface EarlierCall {
	readonly call: GuardCall;
	readonly startedAt: number;
	/** Undefined: it has no result yet. */
	readonly finishedAt: number | undefined;
	readonly output: string | undefined;
	/** The files written by its line that were there before; undefined: no guard has looked. */
	readonly there?: readonly string[] | undefined;
	/** Files with text that the model had not seen, as the guard found them before it; undefined: no guard has looked. */
	readonly unseen?: readonly UnseenBefore[] | undefined;
}

export interface UnseenBefore {
	/** Absolute. */
	readonly path: string;
	/** SHA-256 of the bytes; undefined: too large to tell. */
	readonly hash: string | undefined;
}

export type EarlierCallSource = (of: GuardCall) => readonly EarlierCall[];

/** Remarks that a process that is gone made on a call before it ran. */
export type EarlierNoteSource = (of: GuardCall) => readonly string[];

interface CallRecords {
	readonly read: (query: ReadQuery) => Iterable<EventRecord>;
}

const MAX_MESSAGES = 64;
const MAX_VERDICTS = 64;
const MAX_MARKS = 128;
const MAX_INPUT_CHARS = 256 * 1024;
/** The names of events that one process writes for the next. */
const STARTED = "call-started";
const ENDED = "call-ended";

/** What the process that judges a call leaves for the one that sees its result. An agent may write calls down later. */
export function callStarted(
	call: GuardCall,
	{ there, unseen }: { readonly there: Iterable<string>; readonly unseen: readonly UnseenBefore[] },
	now: number,
): GuardEvent {
	const { session, host, tool, callId, input } = call;
	const isLong = JSON.stringify(input).length > MAX_INPUT_CHARS;
	const data = { callId, tool, input: isLong ? {} : input, there: [...there], unseen };
	return { type: "Custom", session, host, ts: now, payload: { name: STARTED, data } };
}

export function callEnded({ session, host, callId }: GuardCall, now: number): GuardEvent {
	return { type: "Custom", session, host, ts: now, payload: { name: ENDED, data: { callId } } };
}

/** By call id. */
type CallMarks = ReadonlyMap<string, { started?: EventRecord; ended?: EventRecord }>;

function marksIn(log: CallRecords, { session, host }: GuardCall): CallMarks {
	const marks = new Map<string, { started?: EventRecord; ended?: EventRecord }>();
	const query = { session, host, types: ["Custom"], order: "newest", limit: MAX_MARKS } as const;
	for (const event of log.read(query)) {
		const { name, data } = event.payload;
		const callId = asText(asObject(data)?.["callId"]);
		if (callId === undefined || (name !== STARTED && name !== ENDED)) continue;
		const mark = marks.get(callId) ?? {};
		marks.set(callId, { ...mark, [name === STARTED ? "started" : "ended"]: event });
	}
	return marks;
}

export function earlierCallsIn(log: CallRecords): EarlierCallSource {
	return (of) => {
		const { session, host, cwd, folder } = of;
		const marks = marksIn(log, of);
		const told = new Set<string>();
		const results = new Map<string, { readonly ts: number; readonly text: string }>();
		const calls: EarlierCall[] = [];
		// A call without a result that is followed by the user's words was stopped.
		let isOpen = true;
		const query = { session, host, types: ["Message"], order: "newest", limit: MAX_MESSAGES } as const;
		for (const { payload, ts } of log.read(query)) {
			const view = viewMessage(payload);
			const answers = resultsOf(view);
			for (const { callId, text } of answers) results.set(callId, { ts, text });
			for (const { id, tool, input } of callsOf(view)) {
				const result = results.get(id);
				if (!result && !isOpen) continue;
				const call = { session, host, cwd, folder, tool, callId: id, input: asObject(input) ?? {} };
				const { started, ended } = marks.get(id) ?? {};
				told.add(id);
				calls.push({
					call,
					startedAt: started?.ts ?? ts,
					finishedAt: ended?.ts ?? result?.ts,
					output: result?.text,
					...lookIn(started),
				});
			}
			if (view.speaker === "user" && answers.length === 0) isOpen = false;
		}
		return [...calls.reverse(), ...untold(marks, told, { session, host, cwd, folder })];
	};
}

function lookIn(started: EventRecord | undefined): Pick<EarlierCall, "there" | "unseen"> {
	const { there, unseen } = asObject(started?.payload["data"]) ?? {};
	if (!Array.isArray(there) || !Array.isArray(unseen)) return {};
	const files = unseen
		.map(asObject)
		.map((file) => ({ path: asText(file?.["path"]) ?? "", hash: asText(file?.["hash"]) }));
	return { there: there.map(String), unseen: files };
}

/** Calls that a process has judged, and that the agent has not written down yet. */
function untold(
	marks: CallMarks,
	told: ReadonlySet<string>,
	of: Pick<GuardCall, "session" | "host" | "cwd" | "folder">,
): EarlierCall[] {
	const found = [...marks].flatMap(([callId, { started, ended }]): EarlierCall[] => {
		const data = asObject(started?.payload["data"]);
		if (told.has(callId) || !started || !data) return [];
		const call = { ...of, tool: asText(data["tool"]) ?? "", callId, input: asObject(data["input"]) ?? {} };
		return [{ call, startedAt: started.ts, finishedAt: ended?.ts, output: undefined, ...lookIn(started) }];
	});
	return found.reverse();
}

export function earlierNotesIn(log: CallRecords): EarlierNoteSource {
	return ({ session, host, callId }) => {
		const query = { session, host, types: ["Verdict"], order: "newest", limit: MAX_VERDICTS } as const;
		const found = [...log.read(query)].filter(
			(event) => isA(event, "Verdict") && event.payload.callId === callId && event.payload.verdict === "warn",
		);
		return found.reverse().flatMap((event) => {
			if (!isA(event, "Verdict") || event.payload.mode !== "enforce") return [];
			const { reason, blob } = event.payload;
			return [blob === undefined ? reason : `${reason} ${renderReplaced(blob)}`];
		});
	};
}

export function renderReplaced(blob: string): string {
	return `The text that it replaced: lcm_expand("b-${blob.slice(0, 12)}").`;
}
