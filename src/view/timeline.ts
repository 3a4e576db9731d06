/** Events in order, one line each. */

import { cutToWidth, textWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { type Column, renderTable } from "../base/text/table.ts";
import { formatTime } from "../base/text/time.ts";
import type { EventRecord } from "../log/event/types.ts";
import { gist } from "./event-gist.ts";
import { shortSession, type TextStyle } from "./text-style.ts";

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
