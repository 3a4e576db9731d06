/** Renders several replays as text: each file, then the sums by host and overall. */
import { basename } from "node:path";
import { formatCount, plural } from "../base/text/bytes.ts";
import { renderTable } from "../base/text/table.ts";
import type { ReplayReport } from "./report.ts";
import { columnsOf, countRequests, type ReportTextOptions, renderExam } from "./report-text.ts";
import { type ReplayTotals, type Totals, totalsOf } from "./totals.ts";

export interface ReplayedFile {
	readonly file: string;
	readonly report: ReplayReport;
}

export function* renderTotals(
	files: readonly ReplayedFile[],
	totals: ReplayTotals,
	{ dim = (text) => text, width }: ReportTextOptions = {},
): Generator<string> {
	for (const { file, report } of files) {
		if (report.startMissing)
			yield `${basename(file)} starts in the middle of its session; no row has what came before.`;
	}
	const titles = ["of host", "at 3k", "healed", "edits", "hand", "paths", "terms"];
	const each = files.flatMap(({ file, report }) => rowsOf(basename(file), totalsOf([report]).all));
	const single = [{ title: "file", shrink: true }, { title: "mode" }, ...columnsOf("", titles).slice(1)];
	yield* renderTable(single, each, { style: "ruled", paintHead: dim, width });
	yield "";
	const sums = Object.entries(totals.byHost).flatMap(([host, own]) => rowsOf(host, own));
	const columns = [{ title: "host", shrink: true }, ...single.slice(1)];
	yield* renderTable(columns, [...sums, ...rowsOf("all", totals.all)], { style: "ruled", paintHead: dim, width });
	yield "";
	const spreads = [...Object.entries(totals.byHost), ["all", totals.all] as const].flatMap(([host, own]) =>
		Object.entries(own).flatMap(([mode, { spread, sessions }]) =>
			spread && mode !== "host"
				? [[host, mode, String(sessions), ...[spread.best, spread.median, spread.worst].map(share)]]
				: [],
		),
	);
	const spreadTitles = columnsOf("", ["files", "best", "median", "worst"]).slice(1);
	yield* renderTable([{ title: "at 3k" }, { title: "mode" }, ...spreadTitles], spreads, {
		style: "ruled",
		paintHead: dim,
		width,
	});
	const exams = Object.entries(totals.all).flatMap(([mode, { exam }]) => (exam ? [[mode, exam] as const] : []));
	if (exams.length > 0) {
		yield "";
		yield* renderExam(Object.fromEntries(exams), dim, { missed: false });
	}
	const calls = files.reduce((sum, { report }) => sum + countRequests(report), 0);
	yield `${plural(files.length, "session")}, ${formatCount(calls)} model calls`;
}

function rowsOf(name: string, totals: Totals): string[][] {
	return Object.entries(totals).map(([mode, total], at) => [
		at === 0 ? name : "",
		mode,
		share(total.ofHost),
		share(total.ofHost3k),
		share(total.healedOfHost3k),
		share(total.editSupport),
		share(total.editsAtHand),
		share(total.pathSupport),
		share(total.termSupport),
	]);
}

function share(value: number | null): string {
	return value === null ? "–" : value.toFixed(3);
}
