import { type HistoryBenchReport, runHistoryBench } from "../../../bench/history.ts";
import { formatCount } from "../../text/bytes.ts";
import type { Context } from "../context.ts";
import type { Output } from "../output.ts";
import { areWithin, ratioTable } from "../ratio-table.ts";

export async function run({ out }: Context): Promise<void> {
	const report = await runHistoryBench({ onProgress: (what) => out.talk(out.paintTalk("dim", `${what} …`)) });
	const within = areWithin(report.ratios);
	if (out.json) await out.document({ within, ...report });
	else await out.lines(describe(out, report));
}

function* describe(out: Output, report: HistoryBenchReport): Generator<string> {
	yield* ratioTable(out, report.ratios);
	yield "";
	for (const { messages, nodes, uncovered } of report.sessions) {
		yield `${formatCount(messages)} messages: ${formatCount(nodes)} summaries, ${uncovered} of them uncovered`;
	}
}
