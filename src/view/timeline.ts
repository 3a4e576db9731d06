/** Events in order, one line each. */

import { asNumber, asText } from "../base/json/read.ts";
import { cutToWidth, textWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { type Column, renderTable } from "../base/text/table.ts";
import { formatTime } from "../base/text/time.ts";
import type { EventRecord } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { ReadQuery } from "../log/types.ts";
import { gist } from "./event-gist.ts";
import { shortSession } from "./short-session.ts";
import type { TextStyle } from "./text-style.ts";

/** Rows that share one layout. */
const LAYOUT_ROWS = 500;
const MAX_GIST_COLUMNS = 120;

/** Lays out a timeline piece by piece. Later rows line up with earlier ones where they fit. */
export class Timeline {
	readonly #style: TextStyle;
	readonly #hasSession: boolean;
	/** The widest cell of each column so far; empty: nothing is laid out yet. */
	readonly #minWidths: number[] = [];

	constructor(style: TextStyle, { hasSession = true }: { readonly hasSession?: boolean } = {}) {
		this.#style = style;
		this.#hasSession = hasSession;
	}

	get isEmpty(): boolean {
		return this.#minWidths.length === 0;
	}

	*lines(records: Iterable<EventRecord>): Generator<string> {
		let rows: string[][] = [];
		for (const record of records) {
			rows.push(this.#row(record));
			if (rows.length < LAYOUT_ROWS) continue;
			yield* this.#layOut(rows);
			rows = [];
		}
		if (rows.length > 0) yield* this.#layOut(rows);
	}

	#layOut(rows: readonly string[][]): string[] {
		const style = this.isEmpty ? "ruled" : "bare";
		const dim = (text: string): string => this.#style.paint("dim", text);
		const columns: readonly Column[] = [
			{ title: "seq", align: "right", paint: (cell) => this.#style.paint("cyan", cell) },
			{ title: "time", paint: dim },
			...(this.#hasSession ? [{ title: "session", paint: dim }] : []),
			{ title: "type", paint: (cell) => this.#style.paint("green", cell) },
			{ title: "what", shrink: true },
		];
		for (const [at, { title }] of columns.slice(0, -1).entries()) {
			const widest = rows.reduce((most, row) => Math.max(most, textWidth(row[at] ?? "")), title.length);
			this.#minWidths[at] = Math.max(this.#minWidths[at] ?? 0, widest);
		}
		const aligned = columns.map((column, at) => ({ ...column, min: this.#minWidths[at] ?? 0 }));
		return renderTable(aligned, rows, { style, width: this.#style.columns, paintHead: dim });
	}

	#row(record: EventRecord): string[] {
		return [
			String(record.seq),
			formatTime(record.ts),
			...(this.#hasSession ? [oneLine(shortSession(record.session))] : []),
			oneLine(record.type),
			cutToWidth(gist(record), MAX_GIST_COLUMNS),
		];
	}
}

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

/**
 * The agent's own entries that say something to a reader. Its others are bookkeeping (progress, snapshots, the raw lines of messages
 * that have events of their own): a timeline shows those only when entries are asked for.
 */
const TELLING_ENTRIES: ReadonlySet<string> = new Set([
	"ai-title",
	"branch_summary",
	"compacted",
	"compaction",
	"label",
	"model_change",
	"pr-link",
	"reset",
	"session.model_change",
	"session_info",
	"summary",
	"thinking_level_change",
]);

export function isBookkeeping({ type, payload }: EventRecord): boolean {
	// A line that the agent writes again and again: its title, its mode.
	if (type === "ForeignLine") return payload["why"] === "repeated";
	return type === "Entry" && !TELLING_ENTRIES.has(asText(payload["kind"]) ?? "");
}

interface EventFilter extends Pick<ReadQuery, "session" | "types" | "tool" | "file"> {
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

/** Events as rows, newest first, a page at a time: for a timeline that can be filtered and searched. */
export function viewEvents(log: Log, filter: EventFilter): EventPage {
	const { text, before, limit, ...query } = filter;
	if (text !== undefined && text.trim() !== "") return found(log, { ...filter, text });
	const upTo = before === undefined ? undefined : before - 1;
	const records = Iterator.from(log.read({ ...query, upTo, order: "newest", everything: true }))
		.filter((record) => query.types !== undefined || !isBookkeeping(record))
		.take(limit)
		.toArray();
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
