/** The reader's screen: its width and colours. Every renderer of this room takes one. */
import type { styleText } from "node:util";
import { type Column, renderTable } from "../base/text/table.ts";

export type Paint = Parameters<typeof styleText>[0];

export interface TextStyle {
	/** Columns of the screen; undefined: nothing is cut. */
	readonly columns: number | undefined;
	paint(paint: Paint, text: string): string;
	/** Highlights a match, also without colours. */
	mark(text: string): string;
}

/** For readers without colours or a known width: agents' commands and programs. */
export const PLAIN: TextStyle = { columns: undefined, paint: (_, text) => text, mark: (text) => `«${text}»` };

/** Names in bold and their values. */
export function renderPairs(
	style: TextStyle,
	pairs: readonly (readonly [name: string, value: string])[],
	value: Partial<Column> = {},
): string[] {
	const name = { title: "", paint: (cell: string) => style.paint("bold", cell) };
	const width = value.shrink ? style.columns : undefined;
	return renderTable([name, { title: "", ...value }], pairs, { style: "bare", width });
}

/** A table with titles, cut to the screen if a column may shrink. */
export function renderRuled(
	style: TextStyle,
	columns: readonly Column[],
	rows: readonly (readonly string[])[],
): string[] {
	const width = columns.some(({ shrink }) => shrink) ? style.columns : undefined;
	return renderTable(columns, rows, { style: "ruled", width, paintHead: (text) => style.paint("dim", text) });
}
