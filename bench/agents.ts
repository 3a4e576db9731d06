/**
 * What weft costs beside the real agents, as installed: the same task of a scripted model with and without it, in turn. Counts
 * the processor time of the whole agent, with its hooks, its MCP server, weft's proxy and resident, and the time of a step.
 * Hooks that do nothing show what the agent itself takes to call any.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { AgentWorld } from "../e2e/agents/agent-world.ts";
import { type Arm, BENCH_AGENTS, type BenchAgent } from "./agent-arms.ts";
import { runHookBench } from "./hook.ts";
import { itemAt, median, type Ratio } from "./measure.ts";
import { cpuOf, runTree } from "./process-tree.ts";

const ROUNDS = 5;
const STEPS = 10;
const MAX_STEP_MS = 30;
const REST_MS = 400;
/** No model answers sooner. weft does part of its work meanwhile. */
const ANSWER_MS = 250;
/** How weft runs in an arm. */
const MANNERS = {
	bare: "alone",
	empty: "with hooks that do nothing",
	weft: "with weft",
	proxy: "behind weft's proxy",
} as const;

/** Of one run, ms. */
interface Run {
	readonly cpu: number;
	/** The resident's part of it. */
	readonly resident: number;
	/** From one request to the next, in the median. */
	readonly step: number;
}

/** The runs of one round, in the order of the arms. */
type Round = readonly Run[];

export async function runAgentsBench({
	rounds = ROUNDS,
	only,
	onProgress,
}: {
	readonly rounds?: number | undefined;
	/** The title of one agent, or `hook`. */
	readonly only?: string | undefined;
	readonly onProgress: (what: string) => void;
}): Promise<{ readonly ratios: readonly Ratio[] }> {
	const ratios: Ratio[] = [];
	for (const agent of BENCH_AGENTS.filter(({ title }) => only === undefined || title === only)) {
		const arms = await agent.start();
		try {
			const runs: Round[] = [];
			for (let round = 0; round <= rounds; round++) {
				onProgress(`${STEPS} steps of the real ${agent.title}, with and without weft: round ${round + 1}`);
				const done: Run[] = [];
				for (const arm of arms) done.push(await run(arm));
				// The first starts the resident, and fills caches of compiled code.
				if (round > 0) runs.push(done);
			}
			ratios.push(...arms.flatMap((arm, at) => ratiosOf(agent, arm, runs, at)));
		} finally {
			for (const { base } of arms) await base.close();
		}
	}
	if (only === undefined || only === "hook") {
		onProgress("hooks and servers, one by one");
		ratios.push(...(await runHookBench()));
	}
	return { ratios };
}

function ratiosOf({ title, bounds }: BenchAgent, { name }: Arm, rounds: readonly Round[], at: number): Ratio[] {
	const bound = bounds[name];
	if (bound === undefined) return [];
	const pairs = rounds.map((round) => ({ ours: itemAt(round, at), bare: itemAt(round, 0) }));
	const middle = (arm: "ours" | "bare", of: keyof Run) => median(pairs.map((pair) => pair[arm][of])).toFixed(0);
	const added = median(pairs.map(({ ours, bare }) => ours.step - bare.step));
	return [
		{
			name: `${title} ${MANNERS[name]}, a task of ${STEPS} steps`,
			beside: `${title} alone`,
			ratio: median(pairs.map(({ ours, bare }) => ours.cpu / bare.cpu)),
			bound,
			detail: `${middle("ours", "cpu")} ms of processor time against ${middle("bare", "cpu")}, of it the resident ${middle("ours", "resident")}`,
		},
		{
			name: `time added to a step of ${title} ${MANNERS[name]}`,
			beside: `${MAX_STEP_MS} ms`,
			ratio: added / MAX_STEP_MS,
			bound: 1,
			detail: `${added.toFixed(0)} ms; a step takes ${middle("ours", "step")} ms against ${middle("bare", "step")}`,
		},
	];
}

/** Reads files, one with each step, and answers. */
async function run({ base, env, script, command, read, prepare }: Arm): Promise<Run> {
	prepare?.();
	const asked: number[] = [];
	const steps = Array.from({ length: STEPS }, (_, at) => () => {
		asked.push(performance.now());
		return { toolCalls: [read(`f${at}.js`)], delayMs: ANSWER_MS };
	});
	script.add(...steps, { text: "All of it was read." });
	const before = cpuOf(base.residents());
	const { code, cpuMs } = await runTree(command, { cwd: base.project, env, stays: "resident" });
	if (code !== 0 || script.left > 0) throw new Error(`It ended with ${code}, and ${script.left} steps are left.`);
	const step = median(asked.slice(1).map((at, n) => at - itemAt(asked, n)));
	const resident = (await restedCpu(base)) - before;
	return { cpu: cpuMs + resident, resident, step };
}

/** Of the resident, when it has done what it left for later. */
async function restedCpu(base: AgentWorld): Promise<number> {
	for (let last = -1; ; ) {
		const now = cpuOf(base.residents());
		if (now === last) return now;
		last = now;
		await pause(REST_MS);
	}
}
