/** Tokens per request as columns, compared with the whole history. Pure. */
import { formatCount } from "../../src/base/text/bytes.ts";

export interface ChartColumn {
	/** Tokens that were sent. */
	readonly sent: number;
	/** Tokens of everything said so far. */
	readonly whole: number;
	/** True: it was the first request of an epoch. */
	readonly sealed: boolean;
}

const ROWS = 12;
const WIDTH = 2;

export function renderChart(columns: readonly ChartColumn[]): string[] {
	const most = Math.max(1, ...columns.flatMap(({ sent, whole }) => [sent, whole]));
	const labelWidth = formatCount(most).length;
	const rows = Array.from({ length: ROWS }, (_, at) => {
		const level = ROWS - at;
		const floor = ((level - 1) / ROWS) * most;
		const label =
			level === ROWS || level === 1 || level === ROWS / 2 ? formatCount(Math.round((level / ROWS) * most)) : "";
		const cells = columns.map(({ sent, whole }) => (sent > floor ? "█" : whole > floor ? "░" : " ").padEnd(WIDTH));
		return `${label.padStart(labelWidth)} ┤${cells.join("")}`.trimEnd();
	});
	const seals = columns.map(({ sealed }) => (sealed ? "▲" : " ").padEnd(WIDTH)).join("");
	const indent = " ".repeat(labelWidth + 1);
	return [
		...rows,
		`${indent}└${"─".repeat(columns.length * WIDTH)}`,
		`${indent} ${seals}`.trimEnd(),
		`${indent} █ tokens sent   ░ the whole history   ▲ first request after a seal`,
	];
}
