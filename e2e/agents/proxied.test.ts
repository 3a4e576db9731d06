/**
 * The real Codex and Claude Code behind weft's proxy, and the real opencode with weft's plugin, headless, against a scripted model: a
 * task of forty requests, two seals or more in each way that the agent offers, the proxy killed in the middle of an answer.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ModelAnswer, ModelRequest } from "../../test/rig/answer.ts";
import { AgentWorld, epochStartsOf, proxyOf, type Ran } from "./agent-world.ts";

const STEPS = 42;
/** Half of the window that weft goes by, and what a host adds by itself. */
const MOST_BYTES = 620_000;

interface Agent {
	readonly name: "claude" | "codex" | "opencode";
	/** One read of a file. */
	readonly read: (world: AgentWorld, file: string) => { readonly name: string; readonly args: Record<string, unknown> };
	readonly messages: (request: ModelRequest) => readonly unknown[];
	readonly isTurn: (request: ModelRequest) => boolean;
}

const kindOf = ({ headers }: ModelRequest): unknown =>
	JSON.parse(headers["x-codex-turn-metadata"] ?? "{}").request_kind;

const CODEX: Agent = {
	name: "codex",
	read: (_world, file) => ({ name: "exec_command", args: { cmd: `cat ${file}` } }),
	messages: ({ json }) => json["input"] as unknown[],
	isTurn: (request) => kindOf(request) === "turn",
};
const CLAUDE: Agent = {
	name: "claude",
	read: (world, file) => ({ name: "Read", args: { file_path: join(world.project, file) } }),
	messages: ({ json }) => json["messages"] as unknown[],
	isTurn: ({ json, path }) => !path.includes("count_tokens") && ((json["tools"] as unknown[]) ?? []).length > 0,
};
const OPENCODE: Agent = {
	...CLAUDE,
	name: "opencode",
	read: (world, file) => ({ name: "read", args: { filePath: join(world.project, file) } }),
};

async function start(t: TestContext, agent: Agent, onStep?: (n: number) => void): Promise<AgentWorld> {
	let step = 0;
	const world: AgentWorld = await AgentWorld.start(agent.name, (request): ModelAnswer => {
		if (!agent.isTurn(request)) return { text: "<summary>by the provider</summary>" };
		const n = step++;
		onStep?.(n);
		if (n >= STEPS) return { text: "All of it was read." };
		const call = agent.read(world, `f${n}.js`);
		return { text: `Step ${n}.`, toolCalls: [{ id: `call_${String(n).padStart(4, "0")}`, ...call }] };
	});
	t.after(() => world.close());
	return world;
}

function assertSealed(world: AgentWorld, agent: Agent, ran: Ran): void {
	assert.equal(ran.code, 0, `${ran.err.slice(-2_000)}\n${ran.out.slice(-2_000)}`);
	assert.match(ran.out, /All of it was read\./);
	const turns = world.requests.filter(agent.isTurn);
	assert.ok(turns.length > STEPS, `${turns.length} requests`);
	const starts = epochStartsOf(turns.map(agent.messages));
	const seals = world.events("Seal");
	assert.ok(seals.length >= 2, `${seals.length} seals`);
	assert.equal(
		starts.length,
		seals.length,
		`epochs begin at ${starts}, seals: ${seals.map(({ ts, payload }) => `${payload["why"]} ${ts}`)}`,
	);
	assert.ok(Math.max(...turns.map(({ body }) => body.length)) < MOST_BYTES);
	assert.deepEqual(world.holding(world.key), [], "nothing of the key is on the disk");
	assert.deepEqual(
		world.events("Fault").map(({ payload }) => payload["message"]),
		[],
	);
}

/** Nobody but us wrote a summary. */
function assertNoSummary(world: AgentWorld, agent: Agent): void {
	const other = world.requests.filter((request) => !agent.isTurn(request));
	assert.ok(!other.some(({ body }) => /CHECKPOINT COMPACTION|CRITICAL: Respond with TEXT ONLY/.test(body)));
}

const CODEX_ARGS = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json"];

function codexHome(world: AgentWorld, lines: readonly string[]): NodeJS.ProcessEnv {
	const home = join(world.user, "codex");
	mkdirSync(home, { recursive: true });
	writeFileSync(
		join(home, "config.toml"),
		['model = "gpt-5.5"', ...lines, "[analytics]", "enabled = false", ""].join("\n"),
	);
	return world.env({ CODEX_HOME: home, LAB_KEY: world.key, CODEX_API_KEY: world.key });
}

const lab = (url: string) => [
	'model_provider = "lab"',
	"[model_providers.lab]",
	'name = "lab"',
	`base_url = "${url}/v1"`,
	'env_key = "LAB_KEY"',
	'wire_api = "responses"',
];

test("Codex, compaction by text, the proxy killed in the middle; without weft the session goes on", async (t) => {
	let pid = 0;
	const world = await start(t, CODEX, (n) => {
		const proxy = n === 6 ? proxyOf(pid) : undefined;
		if (proxy !== undefined) process.kill(proxy, "SIGKILL");
	});
	const env = codexHome(world, lab(world.url));
	const ran = await world.weft(["run", "codex", "--", ...CODEX_ARGS, "read all of it"], env, (started) => {
		pid = started;
	});
	assertNoSummary(world, CODEX);
	assertSealed(world, CODEX, ran);
	const again = await world.run("codex", ["exec", "resume", "--last", ...CODEX_ARGS.slice(1), "go on"], env);
	assert.equal(again.code, 0, again.err.slice(-2_000));
});

test("Codex, compaction by an opaque item: the provider gets the seed in its place", async (t) => {
	const world = await start(t, CODEX);
	const { serveProxy } = await import("../../src/hosts/proxy/serve.ts");
	const given = { agent: "codex", upstream: world.url, cwd: world.project, home: world.home } as const;
	const env = codexHome(world, []);
	const proxy = await serveProxy({ ...given, env, tell: (notice) => t.diagnostic(notice) });
	const through = codexHome(world, [`openai_base_url = "${proxy.origin}/v1"`]);
	const ran = await world.run("codex", [...CODEX_ARGS, "read all of it"], through);
	await proxy.close();
	assertNoSummary(world, CODEX);
	assertSealed(world, CODEX, ran);
	assert.ok(!world.requests.some(({ body }) => body.includes("weft-seed.")), "no item of ours reached the provider");
});

test("Claude Code behind the proxy, which is killed in the middle; without weft the session goes on", async (t) => {
	let pid = 0;
	const world = await start(t, CLAUDE, (n) => {
		const proxy = n === 6 ? proxyOf(pid) : undefined;
		if (proxy !== undefined) process.kill(proxy, "SIGKILL");
	});
	const env = world.env({
		CLAUDE_CONFIG_DIR: join(world.user, ".claude"),
		ANTHROPIC_BASE_URL: world.url,
		ANTHROPIC_API_KEY: world.key,
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
		CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000",
		DISABLE_AUTOUPDATER: "1",
	});
	const args = ["--allowedTools", "Read", "--output-format", "stream-json", "--verbose"];
	const ran = await world.weft(["run", "claude", "--", "-p", "read all of it", ...args], env, (started) => {
		pid = started;
	});
	assertNoSummary(world, CLAUDE);
	assertSealed(world, CLAUDE, ran);
	const last = world.requests.at(-1)!;
	const again = await world.run("claude", ["-c", "-p", "go on", ...args], env);
	assert.equal(again.code, 0, again.err.slice(-2_000));
	const [before, after] = [last, world.requests.at(-1)!].map(CLAUDE.messages);
	// Where the last answer led to a compaction, there is nobody but the provider to write it.
	const isLed = world.events("UsageRaised").at(-1)?.payload["answer"] === `msg_${last.index}`;
	assert.deepEqual(epochStartsOf([before!, after!]), isLed ? [1] : [], "it goes on with what was sent last");
});

test("opencode with the plugin: the planner's requests, and no compaction of its own", async (t) => {
	const world = await start(t, OPENCODE);
	const models = { scripted: { name: "scripted", limit: { context: 200_000, output: 8_000 }, tool_call: true } };
	const options = { baseURL: `${world.url}/v1`, apiKey: world.key };
	const config = {
		autoupdate: false,
		share: "disabled",
		snapshot: false,
		model: "lab/scripted",
		small_model: "lab/scripted",
		permission: { "*": "allow" },
		provider: { lab: { npm: "@ai-sdk/anthropic", name: "lab", options, models } },
	};
	writeFileSync(join(world.project, "opencode.json"), JSON.stringify(config));
	const folders = Object.fromEntries(
		["DATA", "CONFIG", "CACHE", "STATE"].map((name) => [`XDG_${name}_HOME`, join(world.user, name.toLowerCase())]),
	);
	const switches = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"].map((name) => [
		`OPENCODE_DISABLE_${name}`,
		"1",
	]);
	const env = world.env({ ...folders, ...Object.fromEntries(switches) });
	const ran = await world.weft(["run", "opencode", "--", "run", "--format", "json", "read all of it"], env);
	assertSealed(world, OPENCODE, ran);
});
