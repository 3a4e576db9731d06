/** `weft mcp` as an agent meets it: the protocol's own client, over standard input and output of the real command. */

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { importTarget } from "../../src/agent/recorded/intake.ts";
import { openEngine } from "../../src/engine.ts";
import { McpWire } from "../rig/mcp-wire.ts";
import { Place } from "./place.ts";

const MAIN = fileURLToPath(new URL("../../src/show/cli/main.ts", import.meta.url));
const LONG = Array.from({ length: 4_000 }, (_, n) => `row ${n} of the ledger — ${"é".repeat(n % 7)}`).join("\n");

function lines(cwd: string) {
	const line = (uuid: string, parentUuid: string | null, message: object) => ({
		...{ type: (message as { role: string }).role, uuid, parentUuid, sessionId: "cc-1", cwd, isSidechain: false },
		...{ timestamp: "2026-03-01T10:00:00.000Z", message },
	});
	const use = { type: "tool_use", id: "t1", name: "Bash", input: { command: "cat ledger" } };
	return [
		line("u1", null, { role: "user", content: "Reconcile the ledger of the lighthouse" }),
		line("a1", "u1", { id: "msg1", role: "assistant", model: "claude-x", content: [use] }),
		line("u2", "a1", { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: LONG }] }),
		line("a2", "u2", {
			id: "msg2",
			role: "assistant",
			model: "claude-x",
			content: [{ type: "text", text: "It balances." }],
		}),
	];
}

async function connect(t: TestContext, place: Place, env: Readonly<Record<string, string>> = {}) {
	const told: string[] = [];
	const transport = new StdioClientTransport({
		command: process.execPath,
		args: [MAIN, "mcp"],
		cwd: place.project,
		env: place.env(env),
		stderr: "pipe",
	});
	transport.stderr?.on("data", (data) => told.push(String(data)));
	const client = new Client({ name: "test", version: "1" });
	await client.connect(transport);
	t.after(() => client.close());
	const call = async (name: string, args: Record<string, unknown>) => {
		const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
		assert.equal(structuredContent, undefined, "two of three agents drop the text where there is one");
		const [block] = content as { type: string; text: string }[];
		return { text: block?.text ?? "", isError: isError === true };
	};
	return { client, call, told };
}

test("the protocol's client finds, fetches and decides, and gets every byte back", async (t) => {
	const place = new Place();
	t.after(() => place.remove());
	const engine = openEngine({ cwd: place.project, host: "cli", home: place.home, env: {} });
	await importFile(place.file("cc-1.jsonl", lines(place.project)), {
		readers: READERS,
		logFor: () => importTarget(engine.log),
	});
	engine.close();
	const { client, call } = await connect(t, place, { WEFT_RESIDENT_SECONDS: "5" });

	const { tools } = await client.listTools();
	assert.deepEqual(
		tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
		[
			["lcm_grep", true],
			["lcm_describe", true],
			["lcm_expand", true],
			["decide", false],
			["recall", true],
			["thread", true],
			["ask", true],
			["rewind", true],
		],
	);
	assert.match(client.getInstructions() ?? "", /find it with lcm_grep and fetch it/);

	const found = await call("lcm_grep", { query: "lighthouse" });
	assert.match(found.text, /Reconcile the ledger/);
	assert.match(found.text, /\[This is about the session cc-1 \(claude-code\): the newest of this project\./);
	const handle = /m-[0-9a-f]{12}/.exec((await call("lcm_grep", { query: '"row 3999"' })).text)?.[0];
	assert.ok(handle);
	const parts: string[] = [];
	let offset: number | undefined = 0;
	while (offset !== undefined) {
		const { text } = await call("lcm_expand", { summary_id: handle, max_tokens: 8_000, offset });
		assert.ok(Buffer.byteLength(text) <= 40_000);
		parts.push(text.slice(text.indexOf("\n") + 1, text.lastIndexOf("\n")));
		const next = /"offset": (\d+)\}\)\]$/.exec(text)?.[1];
		offset = next === undefined ? undefined : Number(next);
	}
	assert.ok(parts.length > 1);
	assert.equal(parts.join(""), JSON.stringify(lines(place.project)[2]));

	assert.match((await call("decide", { decision: "Count in pence" })).text, /^Recorded as decision e-/);
	const thread = await call("thread", {});
	assert.match(
		thread.text,
		/^Thread of session cc-1 \(claude-code\), 1 request\n\nAsked\n {2}task-[0-9a-f]{6} Reconcile the/,
	);
	assert.match(thread.text, /\nHolds\n {2}decision-[0-9a-f]{6} Count in pence \[e-[0-9a-f]{12}\]\n/);
	assert.match(thread.text, /lcm_expand gives the source of an id in brackets\./);
	const state = await client.readResource({ uri: "weft://state" });
	assert.match(JSON.stringify(state), /Count in pence/);
	const { resourceTemplates } = await client.listResourceTemplates();
	assert.equal(resourceTemplates.length, 3);
	assert.match(JSON.stringify(await client.readResource({ uri: "weft://requests" })), /2 {2}2026-03-01/);
	const recap = await client.getPrompt({ name: "recap", arguments: { about: "pence" } });
	assert.match(JSON.stringify(recap), /Look most at: pence/);
	const status = await client.getPrompt({ name: "status" });
	assert.match(JSON.stringify(status), /context +[\d,]+ of at most [\d,]+ tokens in 4 messages/);
	assert.equal((await client.listPrompts()).prompts.length, 2);

	const wrong = await call("lcm_expand", { summary_id: "nonsense" });
	assert.deepEqual([wrong.isError, /is not an id/.test(wrong.text)], [true, true]);
	await assert.rejects(client.readResource({ uri: "weft://elsewhere" }), /There is nothing at weft:\/\/elsewhere/);
});

test("where nothing can be recorded it says so, and goes on", async (t) => {
	const place = new Place();
	t.after(() => place.remove());
	const { client, call, told } = await connect(t, place, { WEFT_HOME: place.file("a-file", "not a folder") });
	assert.equal((await client.listTools()).tools.length, 8);
	const answer = await call("lcm_grep", { query: "anything" });
	assert.deepEqual(answer, {
		text: "weft keeps no record of this project, so there is nothing to ask it.",
		isError: true,
	});
	assert.match(told.join(""), /The agent carries on without it/);
});

test("where an agent names its session with each call, its own file is read in first", async (t) => {
	const place = new Place();
	t.after(() => place.remove());
	const id = "01a1e409-38db-7b33-b272-79f8cbdc4ff7";
	const line = (type: string, payload: object) => ({ timestamp: "2026-03-01T10:00:00.000Z", type, payload });
	const said = { type: "message", role: "user", content: [{ type: "input_text", text: "Repair the astrolabe" }] };
	const meta = { id, cwd: place.project, timestamp: "2026-03-01T10:00:00.000Z", originator: "codex_exec" };
	place.file(`codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-${id}.jsonl`, [
		line("session_meta", meta),
		line("response_item", said),
	]);
	const { client } = await connect(t, place, { CODEX_HOME: `${place.folder}/codex` });
	const _meta = { threadId: id, sessionId: id, "x-codex-turn-metadata": { session_id: id } };
	const { content } = await client.callTool({ name: "lcm_grep", arguments: { query: "astrolabe" }, _meta });
	const [{ text } = { text: "" }] = content as { text: string }[];
	assert.match(text, /^Found 1 result[\s\S]*Repair the astrolabe/);
	assert.doesNotMatch(text, /the newest of this project/);
});

test("lists are answered before anything is opened, with the same bytes in a new project, in a used one and in every mode", async (t) => {
	const place = new Place();
	t.after(() => place.remove());
	const heads: string[] = [];
	const head = async (env: Readonly<Record<string, string>> = {}) => {
		const { client } = await connect(t, place, env);
		const { tools } = await client.listTools();
		await Promise.all([client.listPrompts(), client.listResources(), client.listResourceTemplates(), client.ping()]);
		heads.push(JSON.stringify([client.getInstructions(), tools]));
		return client;
	};
	await (await head()).close();
	assert.equal(existsSync(place.home) && readdirSync(place.home).length > 0, false, "nothing was opened");
	await place.weft("memory", "add", "The lamp burns paraffin.");
	await head();
	for (const WEFT_MODE of ["off", "warp", "lossless"]) await head({ WEFT_MODE });
	await head({ WEFT_MEMORY: "false" });
	await head({ WEFT_ENABLED: "false" });
	await head({ CLAUDE_CODE_SESSION_ID: "cc-2", CLAUDE_CONFIG_DIR: place.folder });
	assert.equal(heads.length, 8);
	assert.deepEqual([...new Set(heads)].length, 1);
});

test("recall answers in a sentence where there is no memory, and from it where there is", async (t) => {
	const place = new Place();
	t.after(() => place.remove());
	const { call } = await connect(t, place);
	const ask = { query: "What does the lamp burn?" };
	assert.match((await call("recall", ask)).text, /^Nothing is in this project's memory yet\. lcm_grep/);
	await place.weft("memory", "add", "The lamp burns paraffin.");
	assert.match((await call("recall", ask)).text, /The lamp burns paraffin/);
	assert.match((await call("recall", { query: "zebra" })).text, /^Nothing that this project remembers bears on it\./);
	assert.equal((await call("recall", { query: " " })).isError, true);
	const off = await connect(t, place, { WEFT_MEMORY: "false" });
	assert.match((await off.call("recall", ask)).text, /^This project keeps no memory: the setting memory is off\./);
});

test("unknown methods and broken lines are answered as the protocol says, and the next call works", async (t) => {
	const place = new Place();
	t.after(() => place.remove());
	const raw = new McpWire([MAIN], place.project, place.env());
	t.after(() => raw.end());
	raw.write("not json\n", "[1]\n", "\n");
	raw.send({ id: 1, method: "server/discover" });
	raw.send({ id: "two", method: "initialize", params: { protocolVersion: "1999-01-01" } });
	raw.send({ method: "notifications/initialized" });
	raw.send({ id: 3, method: "ping" });
	const answers = await raw.answers(5);
	const of = (id: unknown) => answers.filter((answer) => answer.id === id);
	assert.deepEqual(
		of(null).map(({ error }) => error?.code),
		[-32_700, -32_600],
	);
	assert.equal(of(1)[0]?.error?.code, -32_601);
	assert.equal(of("two")[0]?.result?.["protocolVersion"], "2025-11-25");
	assert.deepEqual(of(3)[0]?.result, {});
	const { code, err } = await raw.end();
	assert.equal(code, 0);
	assert.match(err, /^weft: A message of the agent is not JSON: .*\n$/);
});
