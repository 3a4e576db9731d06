import { runPiBench } from "../../bench/pi.ts";
import { renderTable } from "../../text/table.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

export interface BenchPiOptions {
	readonly events?: string;
}

export async function run({ out }: Context, _args: readonly string[], options: BenchPiOptions): Promise<void> {
	const events = wholeNumber("--events", options.events, 10_000);
	const report = await runPiBench({
		...(events === undefined ? {} : { events }),
		onProgress: (what) => out.talk(out.paintTalk("dim", `${what} …`)),
	});
	const within = report.ratios.every(({ ratio, bound }) => ratio <= bound);
	if (out.json) return out.document({ within, ...report });
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
		ratio.toFixed(3),
		bound.toFixed(2),
		beside,
		detail,
	]);
	await out.lines(renderTable(columns, rows, { style: "ruled", paintHead: (text) => out.paint("dim", text) }));
}
