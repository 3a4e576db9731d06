import { runReplayBench } from "../../bench/replay.ts";
import { tellReplay } from "../../replay/table.ts";
import { renderTable } from "../../text/table.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

export interface BenchReplayOptions {
	readonly requests?: string;
}

export async function run({ out }: Context, _args: readonly string[], options: BenchReplayOptions): Promise<void> {
	const requests = wholeNumber("--requests", options.requests, 1_000);
	const report = await runReplayBench({
		...(requests === undefined ? {} : { requests }),
		onProgress: (what) => out.talk(out.paintTalk("dim", `${what} …`)),
	});
	const within = report.ratios.every(({ ratio, bound }) => ratio <= bound);
	if (out.json) return out.document({ within, ...report });
	const dim = (text: string) => out.paint("dim", text);
	await out.lines(tellReplay(report.replay, { width: out.columns, dim }));
	const columns = [
		{ title: "" },
		{ title: "time to plan" },
		{ title: "ratio", align: "right" },
		{ title: "bound", align: "right" },
		{ title: "beside" },
		{ title: "measured" },
	] as const;
	const rows = report.ratios.map(({ name, beside, ratio, bound, detail }) => [
		ratio <= bound ? "✓" : "✗",
		name,
		ratio.toFixed(2),
		bound.toFixed(2),
		beside,
		detail,
	]);
	await out.line("");
	await out.lines(renderTable(columns, rows, { style: "ruled", paintHead: dim }));
}
