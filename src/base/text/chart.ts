/** Charts of block characters. */

interface Series {
	readonly name: string;
	/** null: unknown. */
	readonly values: readonly (number | null)[];
	/** A character for each value, drawn in a line below; a space: none. */
	readonly marks?: readonly string[];
	/** Stands beside the curve's own end; by default the top of the scale is named, which all strips share. */
	readonly end?: string;
}

const BLOCKS = " ▁▂▃▄▅▆▇█";
const ROWS = 4;
const LABEL_COLUMNS = 10;
const SCALE_COLUMNS = 8;
const MIN_COLUMNS = 20;

interface TextChartOptions {
	/** Columns of the screen. */
	readonly width: number;
	readonly format: (value: number) => string;
	/** What a value stands for, at the end of the axis; with `ends`, the names of the first and the last one. */
	readonly unit?: string;
	readonly ends?: readonly [first: string, last: string];
}

/** Values as block characters: one strip per series, all on one scale, so that heights can be compared. */
export function* renderChart(
	series: readonly Series[],
	{ width, format, unit = "", ends }: TextChartOptions,
): Generator<string> {
	const longest = Math.max(0, ...series.map(({ values }) => values.length));
	const columns = Math.max(MIN_COLUMNS, Math.min(longest, width - LABEL_COLUMNS - SCALE_COLUMNS));
	const strips = series.map(({ name, values, marks, end }) => ({
		name,
		end,
		heights: bucket(values, columns),
		marks: marks && bucketMarks(marks, columns),
	}));
	const top = Math.max(
		Number.MIN_VALUE,
		...strips.flatMap(({ heights }) => heights.filter((height) => height !== null)),
	);
	for (const { name, heights, marks, end } of strips) {
		const endRow = rowOf((heights.at(-1) ?? 0) / top);
		for (let row = ROWS - 1; row >= 0; row--) {
			const label = row === ROWS - 1 ? name : "";
			const cells = heights.map((height) => (height === null ? " " : block(height / top, row))).join("");
			const value = end === undefined && row === ROWS - 1 ? format(top) : row === endRow ? end : undefined;
			const scale = value !== undefined ? ` ${value}` : row === 0 ? " 0" : "";
			yield `${label.padEnd(LABEL_COLUMNS)}${cells}${scale}`.trimEnd();
		}
		if (marks) yield `${" ".repeat(LABEL_COLUMNS)}${marks}`.trimEnd();
	}
	const [first, last] = ends ?? ["0", String(Math.max(0, longest - 1))];
	const between = Math.min(columns, longest) - first.length - last.length;
	const apart = between > 0 ? " ".repeat(between) : " – ";
	const axis = first === last ? first : `${first}${apart}${last}`;
	yield `${" ".repeat(LABEL_COLUMNS)}${axis} ${unit}`.trimEnd();
}

/** The largest value of each bucket; null where all values are unknown. */
export function bucket(values: readonly (number | null)[], columns: number): (number | null)[] {
	return buckets(values, columns).map((part) => {
		const known = part.filter((value) => value !== null);
		return known.length === 0 ? null : known.reduce((max, value) => Math.max(max, value), 0);
	});
}

function bucketMarks(marks: readonly string[], columns: number): string {
	return buckets(marks, columns)
		.map((part) => part.find((mark) => mark !== " ") ?? " ")
		.join("");
}

function buckets<Value>(values: readonly Value[], columns: number): Value[][] {
	const count = Math.min(columns, values.length);
	return Array.from({ length: count }, (_, at) =>
		values.slice(Math.floor((at * values.length) / count), Math.floor(((at + 1) * values.length) / count)),
	);
}

/** The highest row in which a value shows. */
function rowOf(share: number): number {
	for (let row = ROWS - 1; row > 0; row--) if (block(share, row) !== " ") return row;
	return 0;
}

function block(share: number, row: number): string {
	const eighths = Math.round((share * ROWS - row) * 8);
	// Even the smallest value shows.
	const min = row === 0 && share > 0 ? 1 : 0;
	return BLOCKS.charAt(Math.max(min, Math.min(8, eighths)));
}
