/** The real Codex behind weft's proxy, headless, against a scripted model: both ways of its compaction, the proxy killed in the middle of an answer. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ModelRequest } from "../../test/rig/answer.ts";
import { type AgentWorld, proxyOf } from "./agent-world.ts";
import { type Agent, assertNoSummary, assertSealed, start } from "./many-reads.ts";

const kindOf = ({ headers }: ModelRequest): unknown =>
	JSON.parse(headers["x-codex-turn-metadata"] ?? "{}").request_kind;

const CODEX: Agent = {
	name: "codex",
	read: (_world, file) => ({ name: "exec_command", args: { cmd: `cat ${file}` } }),
	messages: ({ json }) => json["input"] as unknown[],
	isTurn: (request) => kindOf(request) === "turn",
};
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
