/** Tokens per request as block characters: one strip per mode, all on one scale, so that heights can be compared. */
import { formatKilo } from "../base/text/number.ts";

export interface Series {
	readonly name: string;
	/** null: unknown. */
	readonly values: readonly (number | null)[];
}

const BLOCKS = " ▁▂▃▄▅▆▇█";
const ROWS = 4;
const LABEL_COLUMNS = 10;
const SCALE_COLUMNS = 8;
const MIN_COLUMNS = 20;

export function* renderChart(series: readonly Series[], width: number): Generator<string> {
	const longest = Math.max(0, ...series.map(({ values }) => values.length));
	const columns = Math.max(MIN_COLUMNS, Math.min(longest, width - LABEL_COLUMNS - SCALE_COLUMNS));
	const strips = series.map(({ name, values }) => ({ name, heights: bucket(values, columns) }));
	const top = Math.max(1, ...strips.flatMap(({ heights }) => heights.filter((height) => height !== null)));
	for (const { name, heights } of strips) {
		for (let row = ROWS - 1; row >= 0; row--) {
			const label = row === ROWS - 1 ? name : "";
			const cells = heights.map((height) => (height === null ? " " : block(height / top, row))).join("");
			const scale = row === ROWS - 1 ? ` ${formatKilo(top)}` : row === 0 ? " 0" : "";
			yield `${label.padEnd(LABEL_COLUMNS)}${cells}${scale}`.trimEnd();
		}
	}
	yield `${" ".repeat(LABEL_COLUMNS)}0${String(Math.max(0, longest - 1)).padStart(columns - 1)} request`;
}

/** The largest value of each bucket; null where all values are unknown. */
export function bucket(values: readonly (number | null)[], columns: number): (number | null)[] {
	const count = Math.min(columns, values.length);
	return Array.from({ length: count }, (_, at) => {
		const part = values.slice(Math.floor((at * values.length) / count), Math.floor(((at + 1) * values.length) / count));
		const known = part.filter((value) => value !== null);
		return known.length === 0 ? null : known.reduce((max, value) => Math.max(max, value), 0);
	});
}

function block(share: number, row: number): string {
	const eighths = Math.round((share * ROWS - row) * 8);
	// Even the smallest value shows.
	const min = row === 0 && share > 0 ? 1 : 0;
	return BLOCKS.charAt(Math.max(min, Math.min(8, eighths)));
}
