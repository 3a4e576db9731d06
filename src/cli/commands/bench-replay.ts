import { runReplayBench } from "../../../bench/replay.ts";
import { tellReplay } from "../../replay/table.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { areWithin, ratioTable } from "../ratio-table.ts";

export interface BenchReplayOptions {
	readonly requests?: string;
}

export async function run({ out }: Context, _args: readonly string[], options: BenchReplayOptions): Promise<void> {
	const requests = wholeNumber("--requests", options.requests, 1_000);
	const report = await runReplayBench({
		...(requests === undefined ? {} : { requests }),
		onProgress: (what) => out.talk(out.paintTalk("dim", `${what} …`)),
	});
	const within = areWithin(report.ratios);
	if (out.json) return out.document({ within, ...report });
	const dim = (text: string) => out.paint("dim", text);
	await out.lines(tellReplay(report.replay, { width: out.columns, dim }));
	await out.line("");
	await out.lines(ratioTable(out, report.ratios, "time to plan"));
}
