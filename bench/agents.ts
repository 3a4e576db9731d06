/**
 * What weft costs beside the real agents, as installed: the same task of a scripted model with and without it, in turn. Counts
 * the processor time of the whole agent, with its hooks, its MCP server, weft's proxy and resident, and the time of a step.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { AgentWorld } from "../e2e/agents/agent-world.ts";
import { type Arm, BENCH_AGENTS, type BenchAgent } from "./agent-arms.ts";
import { itemAt, median, type Ratio } from "./measure.ts";

const ROUNDS = 5;
const STEPS = 10;
const MAX_STEP_MS = 30;
const TICKS_PER_SECOND = 100;
/** How weft runs in an arm. */
const MANNERS = { bare: "alone", empty: "with empty hooks", weft: "with weft", proxy: "behind weft's proxy" } as const;

/** Of one run, ms. */
interface Run {
	readonly cpu: number;
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
	/** The title of one agent. */
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
			detail: `${middle("ours", "cpu")} ms of processor time against ${middle("bare", "cpu")}`,
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
		return { toolCalls: [read(`f${at}.js`)] };
	});
	script.add(...steps, { text: "All of it was read." });
	const before = residentCpu(base);
	// The shell says what its children took, with theirs that they have waited for.
	const args = ["-c", '"$0" "$@" >/dev/null 2>&1 && times', ...command];
	const child = spawn("sh", args, { cwd: base.project, env, stdio: ["ignore", "pipe", "inherit"] });
	let out = "";
	child.stdout.on("data", (chunk) => {
		out += chunk;
	});
	const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
	if (code !== 0 || script.left > 0) throw new Error(`It ended with ${code}, and ${script.left} steps are left.`);
	const step = median(asked.slice(1).map((at, n) => at - itemAt(asked, n)));
	return { cpu: childrenCpu(out) + residentCpu(base) - before, step };
}

/** The second line of `times`: `0m0.42s 0m0.10s`. */
function childrenCpu(times: string): number {
	const spent = [...itemAt(times.trim().split("\n"), 1).matchAll(/(\d+)m([\d.]+)s/g)];
	return spent.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1_000, 0);
}

function residentCpu(base: AgentWorld): number {
	const [pid] = base.residents();
	if (pid === undefined) return 0;
	const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "latin1").split(/\) (?=\S )/);
	const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
	return ((user + system) * 1_000) / TICKS_PER_SECOND;
}
