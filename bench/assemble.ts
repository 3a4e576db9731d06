/** How long does the engine take for a whole request, planned, made, checked and written down, late and early in a session? */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { READERS } from "../src/agent/agents.ts";
import { importFile } from "../src/agent/recorded/import.ts";
import { DEFAULT_WINDOW_TOKENS } from "../src/base/tokens/prices.ts";
import type { RecordedCall } from "../src/context/model-calls.ts";
import { type Engine, openEngine } from "../src/engine.ts";
import { median, micros, type Ratio } from "./measure.ts";

const STRETCH_REQUESTS = 30;
/** The first requests of a stretch do the work that was pending for all before them. */
const WARM_UP_REQUESTS = 5;
const BOUND = 1.5;

/** `calls`: those of the session in the file, all of them. */
export async function measureAssembly(file: string, calls: readonly RecordedCall[], early: number): Promise<Ratio[]> {
	const home = mkdtempSync(join(tmpdir(), "weft-bench-"));
	const engine = openEngine({ cwd: home, home, host: "bench", env: {}, trusted: false });
	try {
		const { log } = engine;
		await importFile(file, {
			readers: READERS,
			logFor: () => ({ append: (events) => log.append(events, { packed: true }), read: (query) => log.read(query) }),
		});
		const ratios: Ratio[] = [];
		for (const mode of ["woven", "warp", "lossless"] as const) {
			const first = await assembleTimes(engine, calls.slice(early, early + STRETCH_REQUESTS), mode);
			const last = await assembleTimes(engine, calls.slice(-STRETCH_REQUESTS), mode);
			ratios.push({
				name: `${mode}: the whole request, the last ${STRETCH_REQUESTS} of ${calls.length}`,
				beside: `requests ${early} to ${early + STRETCH_REQUESTS}`,
				ratio: last / first,
				bound: BOUND,
				detail: `${micros(last)} against ${micros(first)}`,
			});
		}
		return ratios;
	} finally {
		engine.close();
		rmSync(home, { recursive: true, force: true });
	}
}

async function assembleTimes(
	engine: Engine,
	calls: readonly RecordedCall[],
	mode: "woven" | "warp" | "lossless",
): Promise<number> {
	const times: number[] = [];
	for (const { session, leaf } of calls) {
		if (leaf === undefined) continue;
		const start = performance.now();
		await engine.assemble({ ...session, leaf, mode, window: DEFAULT_WINDOW_TOKENS });
		times.push(performance.now() - start);
	}
	return median(times.slice(WARM_UP_REQUESTS));
}
