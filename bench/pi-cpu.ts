/**
 * weft's cost in the real Pi, in CPU time, compared with Pi alone: a start with one request, and a request in a long task. All
 * arms do the same task, in step, so that a busy machine disturbs them equally. A third arm runs Pi with an extension whose
 * hooks are empty: Pi's own cost of calling hooks, which no extension can avoid.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModelAnswer } from "../test/rig/answer.ts";
import { installWeft } from "../test/rig/installed.ts";
import { runPi } from "../test/rig/pi.ts";
import { makePiWorkspace } from "../test/rig/workspace.ts";
import { InStep } from "./in-step.ts";
import { itemAt, median, type Ratio } from "./measure.ts";

const START_ROUNDS = 5;
const REQUEST_ROUNDS = 3;
const REQUESTS = 240;
/** Until here most code runs for the first times. */
const WARM_REQUESTS = 60;
const START_BOUND = 1.25;
const FIRST_REQUESTS_BOUND = 1.8;
const REQUEST_BOUND = 1.5;
const FILES = 12;
const FILE_LINES = 60;
const TIME_LIMIT_MS = 600_000;
const EMPTY_HOOKS = fileURLToPath(new URL("empty-hooks.ts", import.meta.url));

export interface PiCpuOptions {
	/** Where weft is put as a package of Pi is. */
	readonly folder: string;
	readonly rounds?: number;
	readonly requests?: number;
	readonly extension?: string;
	readonly onProgress?: (what: string) => void;
}

type Arms<Of> = Readonly<Record<"bare" | "empty" | "weft", Of>>;

export async function measurePiCpu(options: PiCpuOptions): Promise<Ratio[]> {
	const weft = options.extension ?? (await installWeft(options.folder));
	const extensions: Arms<readonly string[]> = { bare: [], empty: [EMPTY_HOOKS], weft: [weft] };
	const say = options.onProgress ?? (() => {});
	const starts: Arms<Cpu>[] = [];
	for (let round = 0; round <= (options.rounds ?? START_ROUNDS); round++) {
		say(`starting the real Pi, with and without weft: round ${round + 1}`);
		const arms = await runInStep(extensions, 1);
		// The first fills caches of compiled code.
		if (round > 0) starts.push(arms);
	}
	const requests = options.requests ?? REQUESTS;
	const tasks: Arms<Cpu>[] = [];
	for (let round = 0; round < (options.rounds ?? REQUEST_ROUNDS); round++) {
		say(`${requests} requests of the real Pi, with and without weft: round ${round + 1}`);
		tasks.push(await runInStep(extensions, requests));
	}
	const between = (from: number, to: number) => (cpu: Cpu) =>
		(itemAt(cpu.asked, to - 1) - itemAt(cpu.asked, from)) / (to - 1 - from);
	return [
		ratioOf(starts, "starting Pi with weft, and one request", START_BOUND, ({ total }) => total),
		ratioOf(
			tasks,
			`a request in Pi with weft, the first ${WARM_REQUESTS}`,
			FIRST_REQUESTS_BOUND,
			between(0, WARM_REQUESTS),
		),
		ratioOf(tasks, `the same, from there to ${requests}`, REQUEST_BOUND, between(WARM_REQUESTS, requests)),
	];
}

function ratioOf(rounds: readonly Arms<Cpu>[], name: string, bound: number, of: (cpu: Cpu) => number): Ratio {
	const middle = (arm: keyof Arms<Cpu>) => median(rounds.map((arms) => of(arms[arm]))).toFixed(1);
	const beside = (arm: keyof Arms<Cpu>) => median(rounds.map((arms) => of(arms[arm]) / of(arms.bare)));
	const floor = `empty hooks ${middle("empty")} ms: ${beside("empty").toFixed(2)} of Pi alone`;
	return {
		name,
		beside: "Pi alone",
		ratio: beside("weft"),
		bound,
		detail: `${middle("weft")} ms of processor time against ${middle("bare")}; ${floor}`,
	};
}

/** Processor time of a Pi, ms since its start: when it sent each request, and when it ended. */
interface Cpu {
	readonly asked: readonly number[];
	readonly total: number;
}

async function runInStep(extensions: Arms<readonly string[]>, requests: number): Promise<Arms<Cpu>> {
	const names = ["bare", "empty", "weft"] as const;
	const step = new InStep(names);
	const runs = names.map(async (name) => {
		try {
			const answer = async (_request: unknown, n: number) => {
				await step.turn(name);
				return answerOf(n, requests);
			};
			return [name, await cpuOf(extensions[name], answer)] as const;
		} finally {
			step.leave(name);
		}
	});
	return Object.fromEntries(await Promise.all(runs)) as unknown as Arms<Cpu>;
}

/** Loaded into Pi before it starts. As a text, because to read a TypeScript file takes Node longer than to start. */
const WATCH = `
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
const now = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const asked = [];
subscribe("undici:request:create", () => asked.push(now()));
process.on("exit", () => writeFileSync(process.env.WEFT_BENCH_CPU_FILE, JSON.stringify({ asked, total: now() })));
`;

async function cpuOf(
	extensions: readonly string[],
	script: (request: unknown, n: number) => Promise<ModelAnswer>,
): Promise<Cpu> {
	using workspace = makePiWorkspace({ files });
	const file = join(workspace.userHome, "cpu.json");
	const watch = `data:text/javascript;base64,${Buffer.from(WATCH).toString("base64")}`;
	const { code, stderr } = await runPi({
		workspace,
		script,
		extensions,
		prompts: ["Look at all."],
		env: { NODE_OPTIONS: `--import=${watch}`, WEFT_BENCH_CPU_FILE: file },
		timeLimitMs: TIME_LIMIT_MS,
	});
	// A weft that failed and stepped aside would look cheap.
	if (code !== 0 || stderr !== "") throw new Error(`Pi ended with ${code}: ${stderr.slice(0, 500)}`);
	return JSON.parse(readFileSync(file, "utf8")) as Cpu;
}

const files = Object.fromEntries(
	Array.from({ length: FILES }, (_, n) => [`src/part${n}.ts`, `export const part${n} = ${n};\n`.repeat(FILE_LINES)]),
);

/** Reads a file in each request but the last. */
function answerOf(n: number, requests: number): ModelAnswer {
	if (n === requests - 1) return { text: "Done." };
	const call = { id: `call-${n}`, name: "read", args: { path: `src/part${n % FILES}.ts` } };
	return { text: `Part ${n}.`, toolCalls: [call] };
}
