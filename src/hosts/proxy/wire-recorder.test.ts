/** Agents that nobody knows, before a scripted provider that speaks all three APIs. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ModelApi, ModelRequest } from "../../../test/rig/answer.ts";
import { startModelServer } from "../../../test/rig/model-server.ts";
import { type Engine, openEngine } from "../../engine.ts";
import type { JsonObject } from "../../json/read.ts";
import { shownText, viewMessage } from "../../message/view.ts";
import { readUsage } from "../../session/usage-fold.ts";
import { serveProxy } from "./serve.ts";

const KEY = "sk-very-secret";
const TASK = "Read all of it, one file after the other.";
const PATHS: Readonly<Record<ModelApi, string>> = {
	"anthropic-messages": "/v1/messages",
	"openai-completions": "/v1/chat/completions",
	"openai-responses": "/v1/responses",
};
const APIS = Object.keys(PATHS) as ModelApi[];

async function place(t: TestContext, options: { readonly rewrite?: boolean; readonly window?: number } = {}) {
	const folder = mkdtempSync(join(tmpdir(), "weft-wire-"));
	const [cwd, home] = [join(folder, "project"), join(folder, "weft")];
	mkdirSync(cwd);
	let calls = 0;
	const model = await startModelServer(() => {
		const n = ++calls;
		const call = { id: `call_${n}`, name: "read", args: { path: `f${n}.js` } };
		return { text: `Step ${n}.`, toolCalls: [call], usage: { input: 100 * n, output: 7, cacheRead: 10 } };
	});
	const told: string[] = [];
	const given = { agent: "other", upstream: model.url, env: { HOME: folder }, cwd, home, ...options } as const;
	const start = () => serveProxy({ ...given, tell: (notice) => told.push(notice) });
	let proxy = await start();
	t.after(async () => {
		await proxy.close();
		await model.close();
		rmSync(folder, { recursive: true, force: true });
	});
	return {
		told,
		home,
		sent: model.requests,
		origin: () => proxy.origin,
		restart: async () => {
			await proxy.close();
			proxy = await start();
		},
		inLog: <Value>(look: (engine: Engine) => Value): Value => {
			const engine = openEngine({ cwd, home, host: "test", env: {} });
			try {
				return look(engine);
			} finally {
				engine.close();
			}
		},
	};
}

type Place = Awaited<ReturnType<typeof place>>;

/** Keeps its whole history and knows what the script says; it writes the answers back in its own way. */
class Agent {
	readonly #api: ModelApi;
	readonly #place: Place;
	readonly #system: string;
	readonly items: JsonObject[];

	constructor(of: Place, api: ModelApi, task = TASK) {
		this.#api = api;
		this.#place = of;
		this.#system = "You are an agent.";
		this.items = [{ role: "user", content: task }];
	}

	async ask(more: JsonObject = { tools: [{ name: "read" }] }): Promise<void> {
		const system = { role: "system", content: this.#system };
		const body: JsonObject = {
			model: "some-model",
			stream: true,
			...(this.#api === "anthropic-messages" ? { system: this.#system, messages: this.items } : {}),
			...(this.#api === "openai-completions" ? { messages: [system, ...this.items] } : {}),
			...(this.#api === "openai-responses" ? { instructions: this.#system, input: this.items } : {}),
			...more,
		};
		const headers = { "content-type": "application/json", authorization: `Bearer ${KEY}` };
		const url = `${this.#place.origin()}${PATHS[this.#api]}`;
		const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
		await response.text();
		assert.equal(response.status, 200);
	}

	async run(turns: number, words = 10): Promise<void> {
		for (let turn = 0; turn < turns; turn++) {
			await this.ask();
			const n = this.#place.sent.length;
			const [id, args] = [`call_${n}`, JSON.stringify({ path: `f${n}.js`, added: true })];
			const output = `content of file ${n} ${"and some words ".repeat(words)}`;
			this.items.push(...said(this.#api, { id, args, text: `Step ${n}.`, output }));
		}
	}
}

function said(api: ModelApi, of: { id: string; args: string; text: string; output: string }): JsonObject[] {
	const { id, args, text, output } = of;
	if (api === "openai-completions") {
		const call = { id, type: "function", function: { name: "read", arguments: args } };
		return [
			{ role: "assistant", content: text, tool_calls: [call] },
			{ role: "tool", tool_call_id: id, content: output },
		];
	}
	if (api === "openai-responses") {
		return [
			{ type: "message", role: "assistant", content: [{ type: "output_text", text }] },
			{ type: "function_call", call_id: id, name: "read", arguments: args },
			{ type: "function_call_output", call_id: id, output },
		];
	}
	const call = { type: "tool_use", id, name: "read", input: JSON.parse(args) };
	return [
		{ role: "assistant", content: [{ type: "text", text }, call] },
		{ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
	];
}

function itemsOf({ api, json }: ModelRequest): readonly JsonObject[] {
	return json[api === "openai-responses" ? "input" : "messages"] as JsonObject[];
}

for (const api of APIS) {
	test(`${api}: what passes is a session, also over a restart of the proxy`, async (t) => {
		const of = await place(t);
		const agent = new Agent(of, api);
		await agent.run(3);
		await of.restart();
		await agent.run(3);
		assert.deepEqual(of.told, []);
		of.inLog(({ log }) => {
			const messages = [...log.read({ types: ["Message"] })];
			assert.equal(new Set(messages.map(({ session }) => session)).size, 1);
			const texts = messages.map(({ payload }) => shownText(viewMessage(payload)));
			assert.deepEqual(
				messages.map(({ payload }) => payload["role"]),
				["user", ...Array.from({ length: 6 }, () => ["assistant", "toolResult"]).flat()].slice(0, 12),
			);
			assert.equal(texts[0], TASK);
			assert.match(texts[1]!, /Step 1\./);
			assert.match(texts[2]!, /content of file 1 /);
			const requests = [...log.read({ types: ["Request"] })].map(({ payload }) => payload);
			assert.equal(requests.length, 6);
			assert.deepEqual(
				requests.map(({ difference }) => difference),
				requests.map(() => null),
			);
			const [usage] = readUsage(log);
			const { requests: count, input, cache_read, output } = usage!;
			const inputs = 100 * (1 + 2 + 3 + 4 + 5 + 6);
			assert.deepEqual({ count, input, cache_read, output }, { count: 6, input: inputs, cache_read: 60, output: 42 });
			assert.equal([...log.read({ types: ["ToolCalled"] })].length, 6);
		});
		const files = readdirSync(of.home, { recursive: true }).map((name) => join(of.home, String(name)));
		for (const file of files.filter((path) => statSync(path).isFile()))
			assert.ok(!readFileSync(file).includes(KEY), `${file} holds the key`);
	});
}

test("a question beside the work is no session; the same first words after an answer begin another one", async (t) => {
	const of = await place(t);
	await new Agent(of, "openai-completions", "Write a title").ask({});
	await new Agent(of, "openai-completions").run(2);
	await new Agent(of, "openai-completions").run(2);
	of.inLog(({ log }) => {
		const sessions = Map.groupBy(log.read({ types: ["Message"] }), ({ session }) => session);
		assert.deepEqual(
			[...sessions.values()].map((messages) => messages.length),
			[4, 4],
		);
	});
});

for (const [api, more] of [
	["openai-completions", 8],
	["anthropic-messages", 1],
	["openai-responses", 1],
] as const) {
	test(`${api}, rewrite: bounded, each epoch only grows, and a restart keeps the cut`, async (t) => {
		const of = await place(t, { rewrite: true, window: 16_000 });
		const agent = new Agent(of, api);
		await agent.run(8, 480);
		await of.restart();
		await agent.run(more, 480);
		assert.deepEqual(of.told, []);
		const lists = of.sent.map((request) => itemsOf(request).map((item) => JSON.stringify(item)));
		const starts = lists.flatMap((list, at) => {
			const before = lists[at - 1];
			return before && !before.every((item, n) => item === list[n]) ? [at] : [];
		});
		const seals = of.inLog(({ log }) => [...log.read({ types: ["Seal"] })]);
		assert.ok(seals.length >= (more > 1 ? 2 : 1), `${seals.length} seals`);
		assert.equal(starts.length, seals.length, `epochs begin at ${starts}`);
		const most = Math.max(...of.sent.map(({ body }) => body.length));
		assert.ok(most < 55_000 && most < JSON.stringify(agent.items).length, `${most} bytes`);
		const last = lists.at(-1)!.join("\n");
		assert.ok(last.includes(TASK) && last.includes("The work so far"), "the first words, and the seed after them");
		// Every result that is sent has its call, and the newest are there.
		const calls = new Set(last.match(/call_\d+/g));
		for (const id of calls) assert.equal(last.split(`"${id}"`).length - 1, 2, id);
		assert.ok(last.includes(`content of file ${7 + more} `));
		of.inLog(({ log }) => {
			const texts = [...log.read({ types: ["Message"] })].map(({ payload }) => shownText(viewMessage(payload)));
			assert.ok(
				texts.some((text) => text.includes("content of file 2 ")),
				"what left is in the log",
			);
		});
	});
}
