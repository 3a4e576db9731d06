/**
 * What weft costs beside the real Codex, as installed: the same task of a scripted model with and without it, in turn. Counts the
 * processor time of the whole agent, its hooks, its MCP server and weft's resident included, and the time that a step takes. A
 * third arm has hooks that do nothing: Codex's own cost of calling them, which no hook can avoid.
 */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentWorld } from "../e2e/agents/agent-world.ts";
import { CodexWorld } from "../e2e/agents/codex-world.ts";
import { nativeProgram } from "../e2e/agents/programs.ts";
import { itemAt, median, type Ratio } from "./measure.ts";

const ROUNDS = 5;
const STEPS = 10;
const CPU_BOUND = 1.3;
const MAX_STEP_MS = 30;
const TICKS_PER_SECOND = 100;

/** Of one run, ms. */
interface Run {
	readonly cpu: number;
	/** From one request to the next, in the median. */
	readonly step: number;
}

type Arms<Of> = Readonly<Record<"bare" | "empty" | "weft", Of>>;

export async function runAgentsBench({
	rounds = ROUNDS,
	onProgress,
}: {
	readonly rounds?: number | undefined;
	readonly onProgress: (what: string) => void;
}): Promise<{ readonly ratios: readonly Ratio[] }> {
	const arms: Arms<CodexWorld> = {
		bare: await CodexWorld.start(),
		empty: await CodexWorld.start(),
		weft: await CodexWorld.start(),
	};
	const worlds = Object.values(arms);
	try {
		for (const world of worlds) world.configureLab();
		for (const world of [arms.empty, arms.weft]) {
			const { code, err } = await world.base.weft(["init", "codex", "--yes"], world.env);
			if (code !== 0) throw new Error(err);
		}
		emptyHooks(arms.empty);
		for (const world of worlds) await world.trustHooks();
		const runs: Arms<Run>[] = [];
		for (let round = 0; round <= rounds; round++) {
			onProgress(`${STEPS} steps of the real Codex, with and without weft: round ${round + 1}`);
			const arm = { bare: await run(arms.bare), empty: await run(arms.empty), weft: await run(arms.weft) };
			// The first starts the resident, and fills caches of compiled code.
			if (round > 0) runs.push(arm);
		}
		return { ratios: ratiosOf(runs) };
	} finally {
		for (const { base } of worlds) await base.close();
	}
}

/** The same hooks, which do nothing, and no server. */
function emptyHooks(world: CodexWorld): void {
	const file = join(world.home, "hooks.json");
	writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"command": *"[^"]*hook codex"/g, '"command": "true"'));
	world.configureLab();
}

function ratiosOf(runs: readonly Arms<Run>[]): Ratio[] {
	const middle = (arm: keyof Arms<Run>, of: keyof Run) => median(runs.map((arms) => arms[arm][of])).toFixed(0);
	const cpuOf = (arm: keyof Arms<Run>) => median(runs.map((arms) => arms[arm].cpu / arms.bare.cpu));
	const addedBy = (arm: keyof Arms<Run>) => median(runs.map((arms) => arms[arm].step - arms.bare.step));
	const spent = `${middle("weft", "cpu")} ms of processor time against ${middle("bare", "cpu")}`;
	const added = `${addedBy("weft").toFixed(0)} ms; a step takes ${middle("weft", "step")} ms against ${middle("bare", "step")}`;
	return [
		{
			name: `Codex with weft, a task of ${STEPS} steps`,
			beside: "Codex alone",
			ratio: cpuOf("weft"),
			bound: CPU_BOUND,
			detail: `${spent}; empty hooks ${middle("empty", "cpu")} ms: ${cpuOf("empty").toFixed(2)} of Codex alone`,
		},
		{
			name: "time that weft adds to a step of Codex",
			beside: `${MAX_STEP_MS} ms`,
			ratio: addedBy("weft") / MAX_STEP_MS,
			bound: 1,
			detail: `${added}; empty hooks add ${addedBy("empty").toFixed(0)} ms`,
		},
	];
}

/** Reads files, one with each step, and answers. */
async function run(world: CodexWorld): Promise<Run> {
	const { base, env, script } = world;
	const asked: number[] = [];
	const steps = Array.from({ length: STEPS }, (_, at) => () => {
		asked.push(performance.now());
		return { toolCalls: [world.shell(`head -20 f${at}.js`)] };
	});
	script.add(...steps, { text: "All of it was read." });
	const before = residentCpu(base);
	// The shell says what its children took, with theirs that they have waited for.
	const line = '"$0" "$@" >/dev/null 2>&1 && times';
	const args = ["-c", line, nativeProgram("codex"), ...world.exec("Read them.")];
	const child = spawn("sh", args, { cwd: base.project, env, stdio: ["ignore", "pipe", "inherit"] });
	let out = "";
	child.stdout.on("data", (chunk) => {
		out += chunk;
	});
	const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
	if (code !== 0 || script.left > 0) throw new Error(`Codex ended with ${code}, and ${script.left} steps are left.`);
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
