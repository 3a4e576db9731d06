/** Events as rows, newest first, a page at a time: for a timeline that can be filtered and searched. */

import { asNumber, asText } from "../base/json/read.ts";
import type { EventRecord } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { ReadQuery } from "../log/types.ts";
import { gist } from "./event-gist.ts";

export interface TimelineRow {
	readonly seq: number;
	readonly ts: number;
	readonly session: string;
	readonly host: string;
	readonly type: string;
	readonly what: string;
	readonly handle: string;
	readonly file: string | null;
	readonly tool: string | null;
	readonly cause: number | null;
	/** The outcome, where one word says it. */
	readonly state: "blocked" | "failed" | "pass" | "changed" | "wrong" | null;
}

export interface EventFilter extends Pick<ReadQuery, "session" | "types" | "tool" | "file"> {
	/** Words to find: full text, newest first. */
	readonly text?: string | undefined;
	/** Only events before this seq. */
	readonly before?: number | undefined;
	readonly limit: number;
}

export interface EventPage {
	readonly rows: readonly TimelineRow[];
	/** The `before` of the next page; null: this is the end. */
	readonly next: number | null;
	/** How many documents a search looked at; null: there was no search. */
	readonly searched: number | null;
}

export function viewEvents(log: Log, filter: EventFilter): EventPage {
	const { text, before, limit, ...query } = filter;
	if (text !== undefined && text.trim() !== "") return found(log, { ...filter, text });
	const upTo = before === undefined ? undefined : before - 1;
	const records = [...log.read({ ...query, upTo, order: "newest", limit, everything: true })];
	return { rows: records.map(eventRow), next: nextOf(records, limit), searched: null };
}

function found(
	log: Log,
	{ text, before, limit, session, types, tool, file }: EventFilter & { readonly text: string },
): EventPage {
	const { hits, scanned } = log.search.find({ text, session, tool, file, beforeSeq: before, order: "recent", limit });
	const records = hits.flatMap(({ seq }) => log.get(seq) ?? []);
	const shown = types ? records.filter(({ type }) => types.includes(type)) : records;
	return { rows: shown.map(eventRow), next: nextOf(records, limit), searched: scanned };
}

function nextOf(records: readonly EventRecord[], limit: number): number | null {
	return records.length < limit ? null : (records.at(-1)?.seq ?? null);
}

export function eventRow(record: EventRecord): TimelineRow {
	const { seq, ts, session, host, type, cause, payload } = record;
	return {
		seq,
		ts,
		session,
		host,
		type,
		what: gist(record),
		handle: handleOf(record),
		file: asText(payload["path"]) ?? null,
		tool: asText(payload["tool"]) ?? null,
		cause,
		state: stateOf(record),
	};
}

function stateOf({ type, payload, wrong }: EventRecord): TimelineRow["state"] {
	if (wrong !== undefined) return "wrong";
	switch (type) {
		case "Verdict":
			return payload["verdict"] === "block" ? "blocked" : null;
		case "CommandRun":
			return (asNumber(payload["exit"]) ?? 0) === 0 ? null : "failed";
		case "ToolResult":
			return payload["status"] === "error" ? "failed" : null;
		case "TestStatus":
			return payload["status"] === "fail" ? "failed" : payload["status"] === "pass" ? "pass" : null;
		case "FileChanged":
			return payload["actor"] === "other" ? "changed" : null;
		case "Fault":
			return "failed";
		default:
			return null;
	}
}
