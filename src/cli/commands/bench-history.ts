import { type HistoryBenchReport, runHistoryBench } from "../../bench/history.ts";
import { formatCount } from "../../text/bytes.ts";
import { renderTable } from "../../text/table.ts";
import type { Context } from "../context.ts";
import type { Output } from "../output.ts";

export async function run({ out }: Context): Promise<void> {
	const report = await runHistoryBench({ onProgress: (what) => out.talk(out.paintTalk("dim", `${what} …`)) });
	const within = report.ratios.every(({ ratio, bound }) => ratio <= bound);
	if (out.json) await out.document({ within, ...report });
	else await out.lines(describe(out, report));
}

function* describe(out: Output, report: HistoryBenchReport): Generator<string> {
	const columns = [
		{ title: "" },
		{ title: "what" },
		{ title: "ratio", align: "right" },
		{ title: "bound", align: "right" },
		{ title: "beside" },
		{ title: "measured" },
	] as const;
	const rows = report.ratios.map(({ name, beside, ratio, bound, detail }) => [
		ratio <= bound ? "✓" : "✗",
		name,
		ratio.toFixed(2),
		bound.toFixed(1),
		beside,
		detail,
	]);
	yield* renderTable(columns, rows, { style: "ruled", paintHead: (text) => out.paint("dim", text) });
	yield "";
	for (const { messages, nodes, uncovered } of report.sessions) {
		yield `${formatCount(messages)} messages: ${formatCount(nodes)} summaries, ${uncovered} of them uncovered`;
	}
}
