import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { removeFolder, temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import type { JsonObject } from "../../base/json/read.ts";
import { Calls } from "../../state/session/calls.ts";
import { translateBareMessage } from "../../state/work/translate-message.ts";
import { CLAUDE_CODE_PORT } from "../claude-code/port.ts";
import { openAgentEngine } from "./agent-engine.ts";
import { keyedModels } from "./keyed-models.ts";

const HAIKU = { provider: "anthropic", id: "claude-haiku-4-5" };
const MINI = { provider: "openai", id: "gpt-5-mini" };

/** A provider on loopback that answers in both forms. */
async function provider(answer: string) {
	const asked: { readonly path: string; readonly key: string; readonly body: JsonObject }[] = [];
	const server = createServer(async (request, response) => {
		const { "x-api-key": key, authorization } = request.headers;
		const path = request.url ?? "";
		asked.push({ path, key: String(key ?? authorization), body: JSON.parse(await text(request)) });
		if (path.startsWith("/moved")) return response.writeHead(307, { location: "/v1/messages" }).end();
		response.setHeader("content-type", "application/json");
		response.end(
			JSON.stringify(
				path.endsWith("/messages")
					? { content: [{ type: "text", text: answer }], usage: { input_tokens: 700, output_tokens: 70 } }
					: { choices: [{ message: { content: answer } }], usage: { prompt_tokens: 700, completion_tokens: 70 } },
			),
		);
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return { asked, url, [Symbol.dispose]: () => server.close() };
}

test("a model is there where its provider has a key, and the key goes nowhere else", async () => {
	using host = await provider("yes");
	const ask = { maxTokens: 50, signal: AbortSignal.timeout(5_000) };
	const env = {
		ANTHROPIC_API_KEY: "k1",
		ANTHROPIC_BASE_URL: host.url,
		OPENAI_API_KEY: "k2",
		OPENAI_BASE_URL: host.url,
	};
	const both = [HAIKU, { provider: "nobody", id: "x" }, MINI];
	for (const model of keyedModels(both, env, undefined)) {
		assert.deepEqual(await model.complete("Is it so?", ask), { text: "yes", usage: { input: 700, output: 70 } });
	}
	assert.deepEqual(
		host.asked.map(({ path, key, body }) => [path, key, body["model"]]),
		[
			["/v1/messages", "k1", "claude-haiku-4-5"],
			["/chat/completions", "Bearer k2", "gpt-5-mini"],
		],
	);
	assert.deepEqual(keyedModels(both, {}, undefined), []);
	const inClear = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://gateway.example" };
	assert.deepEqual(keyedModels([HAIKU], inClear, undefined), [], "unencrypted");
	const proxied = { ...env, ANTHROPIC_BASE_URL: "http://127.0.0.1:9", WEFT_PROXY: "http://127.0.0.1:9" };
	const [moved] = keyedModels([HAIKU], { ...proxied, WEFT_UPSTREAM: `${host.url}/moved` }, undefined);
	await assert.rejects(async () => moved?.complete("Is it so?", ask), "a redirection is not followed");
	assert.equal(host.asked.length, 3, "the address before weft's own proxy is asked");
});

test("with the user's leave the model writes memory in an agent that lends none; without it the user hears of it once", async (t) => {
	const root = temporaryFolder();
	t.after(() => removeFolder(root));
	mkdirSync(join(root, "work"));
	const fact = { op: "add", section: "Facts", text: "There are twelve gannets.", confidence: 1, necessity: "high" };
	using host = await provider(JSON.stringify({ memory: [fact], history: [], currentState: ["Counted."] }));
	const keys = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: host.url, HOME: root };
	const run = async (name: string, env: NodeJS.ProcessEnv) => {
		const said: string[] = [];
		const cwd = join(root, "work");
		const home = join(root, "home");
		const opened = openAgentEngine({ port: CLAUDE_CODE_PORT, cwd, home, env, warn: (each) => said.push(each) });
		const project = opened.project();
		assert.ok(project);
		const session = { session: name, host: "claude-code" };
		const given = { session, cwd, calls: new Calls(), now: Date.now() };
		const messages = [
			{ role: "user", content: "Count the gannets." },
			{ role: "assistant", content: [{ type: "text", text: "Twelve." }], stopReason: "stop" },
		];
		for (const [n, message] of messages.entries())
			project.engine.record(translateBareMessage(message, { ...given, entry: `${name}${n}`, parent: undefined }));
		const live = project.session(session, cwd);
		live.turnEnded({ isRunOver: true });
		live.left();
		await new Promise((resolve) => setImmediate(resolve));
		await project.sidecar.idle();
		opened.close();
		return said;
	};
	const [notice, ...others] = await run("one", keys);
	assert.match(
		notice ?? "",
		/^weft: anthropic\/claude-haiku-4-5 could write .* about \d+ cents .*memoryModels session/,
	);
	assert.deepEqual([others, await run("two", keys), host.asked], [[], [], []]);
	assert.deepEqual(await run("three", { ...keys, WEFT_MEMORY_MODELS: "session" }), []);
	assert.ok(host.asked.length > 0);
	const [folder = ""] = readdirSync(join(root, "home/projects"));
	assert.match(
		readFileSync(join(root, "home/projects", folder, "memory/MEMORY.md"), "utf8"),
		/There are twelve gannets\./,
	);
});

test("a clone's .env file does not say where a key is sent, unless the project is trusted", (t) => {
	const root = temporaryFolder();
	t.after(() => removeFolder(root));
	const own = { ANTHROPIC_API_KEY: "k1", OPENAI_API_KEY: "k2" };
	const evil = "https://evil.example";
	const proxied = { ...own, ANTHROPIC_BASE_URL: "http://127.0.0.1:1/s", WEFT_PROXY: "http://127.0.0.1:1/s" };
	for (const [env, left] of [
		[{ ...proxied, WEFT_UPSTREAM: evil }, []],
		[{ ...own, ANTHROPIC_BASE_URL: evil }, ["openai/gpt-5-mini"]],
		[{ ...own, OPENAI_BASE_URL: evil }, ["anthropic/claude-haiku-4-5"]],
	] as const) {
		const set = Object.entries(env).filter(([, value]) => value === evil);
		writeFileSync(join(root, ".env"), set.map(([name, value]) => `${name}=${value}\n`).join(""));
		const named = (untrusted: string | undefined) => keyedModels([HAIKU, MINI], env, untrusted).map(({ name }) => name);
		assert.deepEqual(named(root), left);
		assert.equal(named(undefined).length, 2);
		writeFileSync(join(root, ".env"), "NODE_ENV=test\n");
		assert.equal(named(root).length, 2);
	}
});
