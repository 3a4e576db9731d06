import { runStateBench } from "../../../bench/state.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { areWithin, ratioTable } from "../ratio-table.ts";

export interface BenchStateOptions {
	readonly events?: string;
}

export async function run({ out }: Context, _args: readonly string[], options: BenchStateOptions): Promise<void> {
	const events = wholeNumber("--events", options.events, 2_000);
	const report = runStateBench({
		...(events === undefined ? {} : { events }),
		onProgress: (what) => out.talk(out.paintTalk("dim", `${what} …`)),
	});
	const within = areWithin(report.ratios);
	if (out.json) return out.document({ within, ...report });
	await out.lines(ratioTable(out, report.ratios));
}
