import { cutToWidth, textWidth } from "./cut.ts";

export interface Column {
	readonly title: string;
	/** Numbers align right. */
	readonly align?: "left" | "right" | undefined;
	/** Minimum width, so that lines rendered one by one still align. */
	readonly min?: number | undefined;
	/** May be cut so that the line fits; the widest of these shrinks first. */
	readonly shrink?: boolean | undefined;
	/** Colours the padded cell; widths are measured before. */
	readonly paint?: ((cell: string) => string) | undefined;
}

export interface TableOptions {
	/** `ruled`: titles above a line. `bare`: cells only, for pairs of a name and a value. */
	readonly style: "ruled" | "bare";
	/** Columns of the terminal; undefined: nothing is cut. */
	readonly width?: number | undefined;
	/** Colours the titles and the line. */
	readonly paintHead?: ((text: string) => string) | undefined;
}

const GAP = "  ";
const MIN_SHRUNK_COLUMNS = 8;

/** Lines of text, aligned by the columns a terminal shows: CJK and emoji take two. Cells must be single lines. */
export function renderTable(
	columns: readonly Column[],
	rows: readonly (readonly string[])[],
	options: TableOptions,
): string[] {
	const ruled = options.style === "ruled";
	const natural = columns.map((column, at) => {
		const least = Math.max(column.min ?? 0, ruled ? textWidth(column.title) : 0);
		return rows.reduce((width, row) => Math.max(width, textWidth(row[at] ?? "")), least);
	});
	const widths = fit(columns, natural, options.width);
	const paintHead = options.paintHead ?? ((text) => text);
	const head = ruled
		? [
				paintHead(line(columns.map((column, at) => pad(column.title, widths[at] ?? 0, column.align)))),
				paintHead(widths.map((width) => "─".repeat(width)).join(GAP)),
			]
		: [];
	const body = rows.map((row) =>
		line(
			columns.map((column, at) => {
				const last = at === columns.length - 1 && column.align !== "right";
				const cell = cutToWidth(row[at] ?? "", widths[at] ?? 0);
				const padded = last ? cell : pad(cell, widths[at] ?? 0, column.align);
				return column.paint ? column.paint(padded) : padded;
			}),
		),
	);
	return [...head, ...body];
}

function fit(columns: readonly Column[], natural: readonly number[], width: number | undefined): number[] {
	const widths = [...natural];
	if (width === undefined) return widths;
	let excess = widths.reduce((sum, own) => sum + own, 0) + GAP.length * (columns.length - 1) - width;
	while (excess > 0) {
		const widest = columns.reduce((best, column, at) => {
			if (!column.shrink) return best;
			return best === -1 || (widths[at] ?? 0) > (widths[best] ?? 0) ? at : best;
		}, -1);
		const own = widths[widest] ?? 0;
		if (own <= MIN_SHRUNK_COLUMNS) break;
		const next = columns.reduce(
			(second, column, at) => (column.shrink && at !== widest ? Math.max(second, widths[at] ?? 0) : second),
			MIN_SHRUNK_COLUMNS,
		);
		const cut = Math.min(excess, own - MIN_SHRUNK_COLUMNS, Math.max(1, own - next));
		widths[widest] = own - cut;
		excess -= cut;
	}
	return widths;
}

function pad(cell: string, width: number, align: Column["align"]): string {
	const space = " ".repeat(Math.max(0, width - textWidth(cell)));
	return align === "right" ? space + cell : cell + space;
}

function line(cells: readonly string[]): string {
	return cells.join(GAP).trimEnd();
}
