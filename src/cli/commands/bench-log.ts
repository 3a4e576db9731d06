import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { MessageSource } from "../../../bench/corpus.ts";
import { type LogBenchReport, runLogBench } from "../../../bench/log.ts";
import { EngineError } from "../../error/engine-error.ts";
import type { Context } from "../context.ts";
import type { Output } from "../output.ts";
import { areWithin, ratioTable } from "../ratio-table.ts";

const MADE_UP_MESSAGES = 2_000;

export async function run({ out }: Context, [given]: readonly string[]): Promise<void> {
	if (given !== undefined && !existsSync(given)) throw new EngineError("not-found", `${given}: there is no such file.`);
	const folder = mkdtempSync(join(tmpdir(), "weft-bench-"));
	try {
		const report = await runLogBench({
			transcript: given === undefined ? madeUpSession(folder) : resolve(given),
			onProgress: (what) => out.talk(out.paintTalk("dim", `${what} …`)),
		});
		const within = areWithin(report.ratios);
		if (out.json) await out.document({ within, ...report });
		else await out.lines(describe(out, report));
		if (given === undefined) out.talk("Bytes on disk are those of a made-up session; name a real one to weigh it.");
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function madeUpSession(folder: string): string {
	const source = new MessageSource(0);
	const header = JSON.stringify({
		type: "session",
		version: 3,
		id: "made-up",
		timestamp: new Date(0).toISOString(),
		cwd: folder,
	});
	const entries = Array.from({ length: MADE_UP_MESSAGES }, (_, n) => source.event(n).raw);
	const path = join(folder, "session.jsonl");
	writeFileSync(path, `${[header, ...entries].join("\n")}\n`);
	return path;
}

function* describe(out: Output, report: LogBenchReport): Generator<string> {
	yield* ratioTable(out, report.ratios);
	yield "";
	yield `Full text is indexed at ${report.indexedMBPerSecond.toFixed(1)} MB/s.`;
	yield "Searched for:";
	for (const [third, queries] of Object.entries(report.queries)) yield `  ${third}: ${queries.join(", ")}`;
}
