/** The ratios of a benchmark as a table, and whether all are within their bounds. */
import type { Ratio } from "../../bench/measure.ts";
import { renderTable } from "../text/table.ts";
import type { Output } from "./output.ts";

export function areWithin(ratios: readonly Ratio[]): boolean {
	return ratios.every(({ ratio, bound }) => ratio <= bound);
}

export function ratioTable(out: Output, ratios: readonly Ratio[], what = "what"): Iterable<string> {
	const columns = [
		{ title: "" },
		{ title: what },
		{ title: "ratio", align: "right" },
		{ title: "bound", align: "right" },
		{ title: "beside" },
		{ title: "measured" },
	] as const;
	const rows = ratios.map(({ name, beside, ratio, bound, detail }) => [
		ratio <= bound ? "✓" : "✗",
		name,
		ratio.toFixed(3),
		bound.toFixed(2),
		beside,
		detail,
	]);
	return renderTable(columns, rows, { style: "ruled", paintHead: (text) => out.paint("dim", text) });
}
