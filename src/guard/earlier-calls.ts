/**
 * The newest calls of a session and what came of them, from the log: for a guard in a new process. In some agents each hook
 * is a process of its own, and in all of them a session can be resumed.
 */
import { asObject } from "../base/json/read.ts";
import { type EventRecord, isA } from "../log/event/types.ts";
import type { ReadQuery } from "../log/types.ts";
import { callsOf, resultsOf, viewMessage } from "../message/view.ts";
import type { GuardCall } from "./types.ts";

export interface EarlierCall {
	readonly call: GuardCall;
	readonly startedAt: number;
	/** Undefined: it has no result yet. */
	readonly finishedAt: number | undefined;
	readonly output: string | undefined;
}

export type EarlierCallSource = (of: GuardCall) => readonly EarlierCall[];

/** Remarks that a process that is gone made on a call before it ran. */
export type EarlierNoteSource = (of: GuardCall) => readonly string[];

interface CallRecords {
	readonly read: (query: ReadQuery) => Iterable<EventRecord>;
}

const MAX_MESSAGES = 64;
const MAX_VERDICTS = 64;

export function earlierCallsIn(log: CallRecords): EarlierCallSource {
	return ({ session, host, cwd, folder }) => {
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
				calls.push({ call, startedAt: ts, finishedAt: result?.ts, output: result?.text });
			}
			if (view.speaker === "user" && answers.length === 0) isOpen = false;
		}
		return calls.reverse();
	};
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
