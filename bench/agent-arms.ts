/** The real agents of `bench agents`, each with and without weft: a program to start in a folder of its own, and its script. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentWorld } from "../e2e/agents/agent-world.ts";
import { CodexWorld } from "../e2e/agents/codex-world.ts";
import { OpencodeWorld } from "../e2e/agents/opencode-world.ts";
import { nativeProgram } from "../e2e/agents/programs.ts";
import { Script } from "../e2e/agents/script.ts";
import type { ScriptedCall } from "../test/rig/answer.ts";

/** One way to run an agent. */
export interface Arm {
	readonly name: "bare" | "empty" | "weft" | "proxy";
	readonly base: AgentWorld;
	readonly script: Script;
	readonly env: NodeJS.ProcessEnv;
	readonly command: readonly [string, ...string[]];
	/** One read of some lines of a file. */
	readonly read: (file: string) => ScriptedCall;
	readonly prepare?: (() => void) | undefined;
}

export interface BenchAgent {
	readonly title: string;
	/** The first is the agent alone. */
	readonly start: () => Promise<readonly Arm[]>;
	/** What the processor time may be at most, of the agent alone. */
	readonly bounds: Readonly<Partial<Record<Arm["name"], number>>>;
}

const PROMPT = "Read them.";
const EMPTY_SERVER = fileURLToPath(new URL("empty-server.js", import.meta.url));
/** opencode's hooks, without a process behind them. */
const EMPTY_PLUGIN = `export const WeftPlugin = async () => ({
	event: async () => {},
	"chat.params": async () => {},
	"experimental.chat.messages.transform": async () => {},
	"tool.execute.before": async () => {},
	"tool.execute.after": async () => {},
});\n`;

export const BENCH_AGENTS: readonly BenchAgent[] = [
	{
		title: "Codex",
		bounds: { empty: 1.3, weft: 1.3 },
		start: () => Promise.all((["bare", "empty", "weft"] as const).map(codexArm)),
	},
	{
		title: "Claude Code",
		bounds: { empty: 1.25, weft: 1.25, proxy: 1.35 },
		start: () => Promise.all((["bare", "empty", "weft", "proxy"] as const).map(claudeArm)),
	},
	{
		title: "opencode",
		bounds: { empty: 1.3, weft: 1.3 },
		start: () => Promise.all((["bare", "empty", "weft"] as const).map(opencodeArm)),
	},
];

/** `empty`: hooks that do nothing, which is Codex's own cost of calling them. */
async function codexArm(name: Arm["name"]): Promise<Arm> {
	const world = await CodexWorld.start();
	const { base, env, script } = world;
	world.configureLab();
	if (name !== "bare") await setUp(base, "codex", env);
	if (name === "empty") emptyHooks(world);
	await world.trustHooks();
	const read = (file: string) => world.shell(`head -20 ${file}`);
	return { name, base, script, env, read, command: [nativeProgram("codex"), ...world.exec(PROMPT)] };
}

/** The same hooks, which do nothing, and no server. */
function emptyHooks(world: CodexWorld): void {
	const file = join(world.home, "hooks.json");
	writeFileSync(file, readFileSync(file, "utf8").replaceAll(/"command": *"[^"]*hook codex"/g, '"command": "true"'));
	world.configureLab();
}

async function claudeArm(name: Arm["name"]): Promise<Arm> {
	const script = new Script();
	const base = await AgentWorld.start("claude", script.answer);
	const env = base.claudeEnv();
	if (name === "weft" || name === "empty") await setUp(base, "claude", env);
	if (name === "empty") emptyServer(base);
	const start = name === "proxy" ? [process.execPath, base.main, "run", "claude", "--"] : [nativeProgram("claude")];
	const [program = "", ...args] = start;
	const read = (file: string) => script.call("Read", { file_path: join(base.project, file), limit: 20 });
	return { name, base, script, env, read, command: [program, ...args, "-p", PROMPT, "--allowedTools", "Read"] };
}

/** The same hooks of the same plugin, answered by a server that does nothing. */
function emptyServer(base: AgentWorld): void {
	const file = join(base.home, "agents/claude-code/weft/.mcp.json");
	const { mcpServers } = JSON.parse(readFileSync(file, "utf8"));
	mcpServers.log = { ...mcpServers.log, command: process.execPath, args: [EMPTY_SERVER] };
	writeFileSync(file, JSON.stringify({ mcpServers }));
}

async function opencodeArm(name: Arm["name"]): Promise<Arm> {
	const world = await OpencodeWorld.start();
	const { base, env, script } = world;
	if (name !== "bare") await setUp(base, "opencode", env);
	if (name === "empty") writeFileSync(join(base.user, "config/opencode/plugin/weft.js"), EMPTY_PLUGIN);
	const read = (file: string) => script.call("read", { filePath: world.path(file), limit: 20 });
	const prepare = () => world.expectSession();
	return { name, base, script, env, read, prepare, command: [nativeProgram("opencode"), ...world.run(PROMPT)] };
}

async function setUp(base: AgentWorld, agent: string, env: NodeJS.ProcessEnv): Promise<void> {
	const { code, err } = await base.weft(["init", agent, "--yes"], env);
	if (code !== 0) throw new Error(err);
}
