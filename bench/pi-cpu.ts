/**
 * What weft costs in the real Pi, in processor time, beside Pi alone: a start with one request, and a request in a long
 * task. The two arms take turns, so that a busy machine disturbs them alike.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelScript } from "../test/rig/answer.ts";
import { installWeft } from "../test/rig/installed.ts";
import { runPi } from "../test/rig/pi.ts";
import { makePiWorkspace } from "../test/rig/workspace.ts";
import { median, type Ratio } from "./measure.ts";

const ROUNDS = 5;
const REQUESTS = 60;
const START_BOUND = 1.2;
const REQUEST_BOUND = 1.3;
const FILES = 12;
const FILE_LINES = 60;
const WATCH = fileURLToPath(new URL("cpu-at-exit.ts", import.meta.url));

export async function measurePiCpu(options: {
	/** Where weft is put as a package of Pi is. */
	readonly folder: string;
	readonly rounds?: number;
	readonly extension?: string;
	readonly onProgress?: (what: string) => void;
}): Promise<Ratio[]> {
	const rounds: { readonly bare: Arm; readonly weft: Arm }[] = [];
	const extension = options.extension ?? (await installWeft(options.folder));
	for (let round = 0; round <= (options.rounds ?? ROUNDS); round++) {
		options.onProgress?.(`the real Pi, with and without weft: round ${round + 1}`);
		const bare = await measureArm([]);
		const weft = await measureArm([extension]);
		// The first fills caches of compiled code.
		if (round > 0) rounds.push({ bare, weft });
	}
	const ratio = (name: string, beside: string, bound: number, of: (arm: Arm) => number): Ratio => ({
		name,
		beside,
		ratio: median(rounds.map(({ bare, weft }) => of(weft) / of(bare))),
		bound,
		detail: `${median(rounds.map(({ weft }) => of(weft))).toFixed(1)} ms of processor time against ${median(rounds.map(({ bare }) => of(bare))).toFixed(1)}`,
	});
	return [
		ratio("starting Pi with weft", "Pi alone", START_BOUND, ({ startMs }) => startMs),
		ratio("a request in Pi with weft", "Pi alone", REQUEST_BOUND, ({ requestMs }) => requestMs),
	];
}

interface Arm {
	readonly startMs: number;
	readonly requestMs: number;
}

async function measureArm(extensions: readonly string[]): Promise<Arm> {
	const startMs = await cpuOf(extensions, 1);
	const longMs = await cpuOf(extensions, REQUESTS);
	return { startMs, requestMs: (longMs - startMs) / (REQUESTS - 1) };
}

async function cpuOf(extensions: readonly string[], requests: number): Promise<number> {
	using workspace = makePiWorkspace({ files });
	const file = join(workspace.userHome, "cpu.json");
	const env = { NODE_OPTIONS: `--import=${WATCH}`, WEFT_BENCH_CPU_FILE: file };
	const { code, stderr } = await runPi({
		workspace,
		script: task(requests),
		extensions,
		prompts: ["Look at all."],
		env,
	});
	// A weft that failed and stepped aside would look cheap.
	if (code !== 0 || stderr !== "") throw new Error(`Pi ended with ${code}: ${stderr.slice(0, 500)}`);
	return (JSON.parse(readFileSync(file, "utf8")) as { ms: number }).ms;
}

const files = Object.fromEntries(
	Array.from({ length: FILES }, (_, n) => [`src/part${n}.ts`, `export const part${n} = ${n};\n`.repeat(FILE_LINES)]),
);

/** Reads a file in each request but the last. */
function task(requests: number): ModelScript {
	return Array.from({ length: requests }, (_, n) =>
		n === requests - 1
			? { text: "Done." }
			: {
					text: `Part ${n}.`,
					toolCalls: [{ id: `call-${n}`, name: "read", args: { path: `src/part${n % FILES}.ts` } }],
				},
	);
}
