/** What one hook of Codex costs where a resident answers, and how soon `weft mcp` has listed its tools, with a resident and without. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentWorld } from "../e2e/agents/agent-world.ts";
import { CodexWorld } from "../e2e/agents/codex-world.ts";
import { START_SCRIPT } from "../src/agent/setup/server-command.ts";
import { median, type Ratio } from "./measure.ts";
import { cpuOf, runTree } from "./process-tree.ts";

const MAX_HOOK_MS = 30;
const MAX_HOOK_CPU_MS = 10;
const MAX_LIST_MS = 50;
const ROUNDS = 7;
const HOOKS = 20;

/** The same number of hooks one after the other, as Codex starts each. */
const LOOP = `i=0; while [ $i -lt ${HOOKS} ]; do sh -c "$HOOK" <"$EVENT" >/dev/null; i=$((i+1)); done`;

export async function runHookBench(): Promise<Ratio[]> {
	const world = await CodexWorld.start();
	const { base, env } = world;
	try {
		world.configureLab();
		const { code, err } = await base.weft(["init", "codex", "--yes"], env);
		if (code !== 0) throw new Error(err);
		const { hooks } = JSON.parse(readFileSync(join(world.home, "hooks.json"), "utf8"));
		const event = join(base.root, "event.json");
		const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "c1" };
		writeFileSync(
			event,
			JSON.stringify({ session_id: "s1", cwd: base.project, hook_event_name: "PreToolUse", ...call }),
		);
		const hookEnv = { ...env, HOOK: hooks.PreToolUse[0].hooks[0].command, EVENT: event };
		const loop = (hook: string) =>
			runTree(["sh", "-c", LOOP], { cwd: base.project, env: { ...hookEnv, HOOK: hook }, stays: "resident" });
		const wall: number[] = [];
		const bare: number[] = [];
		const cpu: number[] = [];
		const residentCpu: number[] = [];
		for (let round = 0; round <= ROUNDS; round++) {
			const start = performance.now();
			await loop("true");
			const middle = performance.now();
			const before = cpuOf(base.residents());
			const { cpuMs } = await loop(hookEnv.HOOK);
			const end = performance.now();
			// The first starts the resident.
			if (round === 0) continue;
			bare.push((middle - start) / HOOKS);
			wall.push((end - middle) / HOOKS);
			residentCpu.push((cpuOf(base.residents()) - before) / HOOKS);
			cpu.push(cpuMs / HOOKS + residentCpu.at(-1)!);
		}
		const relay: number[] = [];
		const node: number[] = [];
		for (let round = 0; round <= ROUNDS; round++) {
			relay.push(await listingMs(base, env));
			node.push(await listingMs(base, { ...env, WEFT_RESIDENT_SECONDS: "0" }));
		}
		return [
			row("a hook", median(wall), MAX_HOOK_MS, `a hook that does nothing takes ${median(bare).toFixed(1)} ms`),
			row(
				"processor time of a hook",
				median(cpu),
				MAX_HOOK_CPU_MS,
				`of it the resident ${median(residentCpu).toFixed(1)} ms`,
			),
			row("weft mcp lists its tools, with a resident", median(relay), MAX_LIST_MS, "from the start of its process"),
			row("weft mcp lists its tools, without", median(node), MAX_LIST_MS, "from the start of its process"),
		];
	} finally {
		await base.close();
	}
}

function row(name: string, ms: number, bound: number, more: string): Ratio {
	return { name, beside: `${bound} ms`, ratio: ms / bound, bound: 1, detail: `${ms.toFixed(1)} ms, ${more}` };
}

/** From the start of the server as Codex starts it to its list of tools. */
function listingMs(base: AgentWorld, env: NodeJS.ProcessEnv): Promise<number> {
	const start = performance.now();
	const args = [START_SCRIPT, process.execPath, base.main, "--home", base.home, "mcp"];
	const child = spawn("sh", args, { cwd: base.project, env, stdio: ["pipe", "pipe", "ignore"] });
	const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
	send({ id: 1, method: "initialize", params });
	send({ method: "notifications/initialized" });
	send({ id: 2, method: "tools/list" });
	return new Promise((resolve, reject) => {
		let out = "";
		let took: number | undefined;
		child.stdout.on("data", (chunk) => {
			out += chunk;
			if (took !== undefined || !out.includes('"lcm_grep"')) return;
			took = performance.now() - start;
			child.stdin.end();
		});
		child.once("close", () => (took === undefined ? reject(new Error("It has not listed its tools.")) : resolve(took)));
	});
}
