/** Agents that nobody knows, before a scripted provider that speaks all three APIs. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ModelApi, ModelRequest } from "../../../test/rig/answer.ts";
import { startModelServer } from "../../../test/rig/model-server.ts";
import type { JsonObject } from "../../base/json/read.ts";
import { type Engine, openEngine } from "../../engine.ts";
import { shownText, viewMessage } from "../../message/view.ts";
import { readUsage } from "../../state/session/usage-fold.ts";
import { renderCost, viewCost } from "../../view/cost.ts";
import { PLAIN } from "../../view/text-style.ts";
import { READERS } from "../agents.ts";
import { serveProxy } from "./serve.ts";

const KEY = "sk-very-secret";
const TASK = "Read all of it, one file after the other.";
const PATHS: Readonly<Record<ModelApi, string>> = {
	"anthropic-messages": "/v1/messages",
	"openai-completions": "/v1/chat/completions",
	"openai-responses": "/v1/responses",
};
const APIS = Object.keys(PATHS) as ModelApi[];

interface PlaceOptions {
	readonly rewrite?: boolean;
	readonly window?: number;
	readonly upstream?: string;
	/** How the ids of calls begin. */
	readonly id?: string;
	/** Is waited for before request `n` is answered. */
	readonly wait?: (n: number) => Promise<void> | undefined;
}

async function place(t: TestContext, { wait, id = "call", ...options }: PlaceOptions = {}) {
	const folder = mkdtempSync(join(tmpdir(), "weft-wire-"));
	const [cwd, home] = [join(folder, "project"), join(folder, "weft")];
	mkdirSync(cwd);
	let calls = 0;
	const model = await startModelServer(async () => {
		const n = ++calls;
		await wait?.(n);
		const call = { id: `${id}_${n}`, name: "read", args: { path: `file-${n}.js` } };
		return { text: `Step ${n}.`, toolCalls: [call], usage: { input: 100 * n, output: 7, cacheRead: 10 } };
	});
	const told: string[] = [];
	const given = { agent: "other", upstream: model.url, env: { HOME: folder }, cwd, home, ...options } as const;
	const start = () => serveProxy({ readers: READERS, ...given, onNotice: (notice) => told.push(notice) });
	let proxy = await start();
	t.after(async () => {
		await proxy.close();
		await model.close();
		rmSync(folder, { recursive: true, force: true });
	});
	return {
		told,
		home,
		id,
		sent: model.requests,
		origin: () => proxy.address,
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

const TOOLS: JsonObject = { tools: [{ name: "read" }] };

async function post(of: Pick<Place, "origin">, api: ModelApi, body: JsonObject, more = {}): Promise<string> {
	const headers = { "content-type": "application/json", authorization: `Bearer ${KEY}`, ...more };
	const url = `${of.origin()}${PATHS[api]}`;
	const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
	assert.equal(response.status, 200);
	return response.text();
}

/** What the log holds of each session, as text. */
function sessionTexts(of: Place): string[] {
	return of.inLog(({ log }) => {
		const sessions = Map.groupBy(log.read({ types: ["Message"] }), ({ session }) => session);
		return [...sessions.values()].map((all) =>
			all.map(({ payload }) => JSON.stringify(viewMessage(payload).raw)).join("\n"),
		);
	});
}

function countRequests(of: Place): number {
	return of.inLog(({ log }) => readUsage(log).reduce((sum, { requests }) => sum + requests, 0));
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

	async ask(more: JsonObject = TOOLS, headers: Readonly<Record<string, string>> = {}): Promise<void> {
		const system = { role: "system", content: this.#system };
		const body: JsonObject = {
			model: "some-model",
			stream: true,
			...(this.#api === "anthropic-messages" ? { system: this.#system, messages: this.items } : {}),
			...(this.#api === "openai-completions" ? { messages: [system, ...this.items] } : {}),
			...(this.#api === "openai-responses" ? { instructions: this.#system, input: this.items } : {}),
			...more,
		};
		await post(this.#place, this.#api, body, headers);
	}

	async run(turns: number, words = 10, more: JsonObject = TOOLS, headers = {}): Promise<void> {
		for (let turn = 0; turn < turns; turn++) {
			await this.ask(more, headers);
			this.goOn(this.#place.sent.length, words);
		}
	}

	/** With the answer to request `n`. */
	goOn(n: number, words = 10): void {
		const [id, args] = [`${this.#place.id}_${n}`, JSON.stringify({ path: `file-${n}.js`, added: true })];
		const output = `content of file ${n} ${"and some words ".repeat(words)}`;
		this.items.push(...said(this.#api, { id, args, text: `Step ${n}.`, output }));
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

test("another answer to the same messages is a session of its own, and both count", async (t) => {
	const of = await place(t);
	const agent = new Agent(of, "openai-completions");
	await agent.run(1);
	await agent.ask();
	await agent.ask();
	agent.goOn(3);
	await agent.run(1);
	const texts = sessionTexts(of);
	assert.equal(texts.length, 2);
	assert.ok(texts[0]!.includes("Step 2.") && !texts[0]!.includes("Step 3."));
	assert.ok(["Step 1.", "Step 3.", "Step 4."].every((text) => texts[1]!.includes(text)));
	assert.ok(!texts[1]!.includes("Step 2."), "the answer that was thrown away");
	assert.equal(countRequests(of), 4);
	of.inLog(({ log }) => {
		const parents = [...log.read({ types: ["SessionStarted"] })].map(({ payload }) => payload["parentSession"]);
		const [first] = [...log.read({ types: ["Message"] })];
		assert.deepEqual(parents, [undefined, first!.session]);
		assert.equal([...log.read({ types: ["ToolCalled"] })].length, 4, "nothing is derived twice");
	});
});

test("the same first words at once, and after a restart, are sessions of their own where they part", async (t) => {
	const both = Promise.withResolvers<void>();
	const of = await place(t, {
		wait: (n) => {
			if (n === 2) both.resolve();
			return n === 1 ? both.promise : undefined;
		},
	});
	const [one, other] = [new Agent(of, "openai-completions"), new Agent(of, "openai-completions")];
	await Promise.all([one.ask(), other.ask()]);
	one.goOn(1);
	other.goOn(2);
	await one.run(1);
	await other.run(1);
	await of.restart();
	await new Agent(of, "openai-completions").run(2);
	await one.run(1);
	const texts = sessionTexts(of);
	const holds = [1, 2, 3, 4, 5, 6, 7].map((n) => texts.findIndex((text) => text.includes(`"Step ${n}."`)));
	assert.deepEqual(holds, [0, 1, 0, 1, 2, 2, 0]);
	assert.equal(texts.length, 3);
	assert.equal(countRequests(of), 7);
});

test("an agent that changes its older messages goes on with its session", async (t) => {
	const of = await place(t);
	const agent = new Agent(of, "openai-completions");
	for (let n = 1; n <= 6; n++) {
		await agent.ask();
		const args = JSON.stringify({ path: `file-${n}.js` });
		const output = `content of file ${n}`;
		agent.items.push(...said("openai-completions", { id: `call_${n}`, args, text: `Step ${n}.`, output }));
		// Of the results only the newest stays as it was.
		if (n > 1) agent.items[2 * n - 2] = { ...agent.items[2 * n - 2], content: "(taken out)" };
	}
	assert.equal(sessionTexts(of).length, 1);
	assert.equal(countRequests(of), 6);
});

for (const shared of ["prompt_cache_key", "x-session-id"]) {
	test(`rewrite: nothing of a conversation reaches another one with the same ${shared}`, async (t) => {
		const of = await place(t, { rewrite: true, window: 16_000 });
		const isHeader = shared.startsWith("x-");
		const more = isHeader ? TOOLS : { ...TOOLS, [shared]: "app" };
		const headers = isHeader ? { [shared]: "app" } : {};
		const agents = ["ALPHA", "BETA"].map((word) => new Agent(of, "openai-completions", `Do the ${word} work.`));
		// A third one parts from the first after a while.
		await agents[0]!.run(2, 480, more, headers);
		const third = new Agent(of, "openai-completions");
		third.items.splice(0, 1, ...agents[0]!.items);
		const all = [...agents, third];
		const words = ["OWLS", "BEARS", "CATS"];
		for (let turn = 0; turn < 8; turn++) {
			for (const [n, agent] of all.entries()) {
				agent.items.push({ role: "user", content: `Go on with the ${words[n]}, please.` });
				await agent.run(1, 480, more, headers);
			}
		}
		assert.deepEqual(of.told, []);
		assert.ok(of.inLog(({ log }) => [...log.read({ types: ["Seal"] })].length) >= 3);
		const sealed = of.sent.filter(({ body }) => body.includes("The work so far"));
		assert.ok(sealed.length >= 3);
		for (const { body } of of.sent) {
			const found = words.filter((word) => body.includes(word));
			assert.ok(found.length <= 1, `${found}`);
			assert.ok(!(body.includes("ALPHA") && body.includes("BETA")));
		}
		assert.equal(sessionTexts(of).length, 3);
	});
}

test("rewrite: a text beside the results does not keep the cut away", async (t) => {
	const of = await place(t, { rewrite: true, window: 16_000 });
	const agent = new Agent(of, "anthropic-messages");
	for (let turn = 0; turn < 14; turn++) {
		await agent.run(1, 480);
		const result = agent.items.at(-1)!;
		const reminder = { type: "text", text: `Remember number ${turn}.` };
		agent.items[agent.items.length - 1] = { ...result, content: [...(result["content"] as JsonObject[]), reminder] };
	}
	const sizes = of.sent.map(({ body }) => body.length);
	assert.ok(Math.max(...sizes) < 60_000, `${sizes}`);
	const cuts = sizes.filter((size, at) => size < (sizes[at - 1] ?? 0)).length;
	assert.ok(cuts >= 1);
	assert.equal(
		of.inLog(({ log }) => [...log.read({ types: ["Seal"] })].length),
		cuts,
	);
	for (const { body } of of.sent)
		for (const id of new Set(body.match(/call_\d+/g))) assert.equal(body.split(`"${id}"`).length - 1, 2, id);
});

test("rewrite: a seal that cannot be applied is a fault, said once, and does not count", async (t) => {
	const of = await place(t, { rewrite: true, window: 16_000 });
	const agent = new Agent(of, "anthropic-messages");
	// The first message is not the user's alone: it cannot carry the seed.
	const lost = { type: "tool_result", tool_use_id: "call_0", content: "its call is lost" };
	agent.items.splice(0, 1, { role: "user", content: [lost, { type: "text", text: TASK }] });
	await agent.run(12, 480);
	assert.equal(of.told.length, 1);
	assert.match(of.told[0]!, /does not fit what the agent sends/);
	of.inLog(({ log }) => {
		assert.equal([...log.read({ types: ["Seal"] })].length, 0);
		assert.equal([...log.read({ types: ["Fault"] })].length, 1);
	});
	assert.ok(itemsOf(of.sent.at(-1)!).length === agent.items.length - 2, "all of it was sent");
});

test("an answer without usage counts as a request, and that is said", async (t) => {
	const answer = { id: "a", model: "m", choices: [{ message: { role: "assistant", content: "No figures." } }] };
	const server = createServer((request, response) => {
		request.resume().on("end", () => {
			response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
		});
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	t.after(() => server.close());
	const of = await place(t, { upstream: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
	await new Agent(of, "openai-completions").ask();
	of.inLog(({ log }) => {
		const cost = viewCost(log, { by: "model" });
		assert.deepEqual([cost.rows[0]?.name, cost.total.requests, cost.total.unreported], ["m", 1, 1]);
		assert.match(renderCost(cost, PLAIN).join("\n"), /1 request came back without usage/);
	});
});

test("a request that names the answer it follows goes on with its session, and is never cut", async (t) => {
	const of = await place(t, { rewrite: true, window: 16_000 });
	const bodies: string[] = [];
	let previous: string | undefined;
	for (let turn = 1; turn <= 10; turn++) {
		if (turn === 4) await of.restart();
		const output = `content of file ${turn - 1} ${"and some words ".repeat(480)}`;
		const items = [{ type: "function_call_output", call_id: `call_${turn - 1}`, output }];
		const input = previous === undefined ? TASK : items;
		const body = { model: "some-model", stream: true, ...TOOLS, input, previous_response_id: previous };
		bodies.push(JSON.stringify(body));
		previous = /"id":"(resp_[^"]+)"/.exec(await post(of, "openai-responses", body))?.[1];
		assert.ok(previous);
	}
	assert.deepEqual(
		of.sent.map(({ body }) => body),
		bodies,
	);
	of.inLog(({ log, history }) => {
		const messages = [...log.read({ types: ["Message"] })];
		assert.equal(new Set(messages.map(({ session }) => session)).size, 1);
		assert.equal(messages.length, 20);
		const tools = messages.flatMap(({ payload }) => viewMessage(payload).tool ?? []);
		assert.deepEqual(tools, Array(9).fill("read"));
		history.catchUp();
		const line = history.tree.stretch(messages[0]!.seq, messages.at(-1)!.seq);
		assert.equal(line.length, 20, "one line");
	});
	assert.equal(countRequests(of), 10);
});

test("a conversation that the provider keeps is one session, also over a restart", async (t) => {
	const of = await place(t, { rewrite: true, window: 16_000 });
	for (let turn = 1; turn <= 6; turn++) {
		if (turn === 4) await of.restart();
		const output = `content of file ${turn - 1}`;
		const input = turn === 1 ? TASK : [{ type: "function_call_output", call_id: `call_${turn - 1}`, output }];
		const conversation = turn % 2 === 0 ? "conv_1" : { id: "conv_1" };
		const body = { model: "some-model", stream: true, ...TOOLS, input, conversation };
		await post(of, "openai-responses", body);
	}
	await post(of, "openai-responses", { model: "m", stream: true, input: TASK, conversation: "conv_2" });
	of.inLog(({ log, history }) => {
		const sessions = Map.groupBy(log.read({ types: ["Message"] }), ({ session }) => session);
		assert.deepEqual(
			[...sessions].map(([name, messages]) => [name, messages.length]),
			[
				["conv_1", 12],
				["conv_2", 2],
			],
		);
		history.catchUp();
		const messages = sessions.get("conv_1")!;
		assert.equal(history.tree.stretch(messages[0]!.seq, messages.at(-1)!.seq).length, 12, "one line");
	});
});

test("rewrite: a session that parts from another one goes on with its seal", async (t) => {
	const of = await place(t, { rewrite: true, window: 16_000 });
	const agent = new Agent(of, "openai-completions");
	const sealed = () => of.sent.at(-1)?.body.includes("The work so far");
	while (!sealed() && of.sent.length < 20) await agent.run(1, 480);
	await agent.run(1, 10);
	await agent.ask();
	const before = of.sent.at(-1)!;
	await agent.ask();
	assert.ok(sealed());
	assert.equal(of.sent.at(-1)!.body, before.body);
	agent.goOn(of.sent.length);
	await agent.run(1);
	assert.deepEqual(itemsOf(of.sent.at(-1)!).slice(0, -2), itemsOf(before));
	assert.deepEqual(of.told, []);
	assert.equal(sessionTexts(of).length, 2);
	assert.equal(
		of.inLog(({ log }) => [...log.read({ types: ["Seal"] })].length),
		1,
	);
});

test("an agent whose first message changes with every request keeps its session, and nothing is written twice", async (t) => {
	const of = await place(t, { id: "toolu_x7k2" });
	for (const api of APIS) {
		const agent = new Agent(of, api, `The ${api} task.`);
		const task = agent.items[0]!;
		for (let turn = 1; turn <= 6; turn++) {
			if (turn === 4) await of.restart();
			agent.items[0] = { ...task, content: `The ${api} task. It is ${turn} o'clock.` };
			await agent.ask();
			agent.goOn(of.sent.length);
		}
	}
	const texts = sessionTexts(of);
	assert.equal(texts.length, 3);
	of.inLog(({ log }) => {
		assert.equal([...log.read({ types: ["Message"] })].length, 3 * 12, "each is there once");
		const raws = [...log.read({ types: ["Entry"] })].map(({ payload }) => JSON.stringify(payload));
		for (let turn = 1; turn <= 6; turn++)
			assert.equal(raws.filter((raw) => raw.includes(`It is ${turn} o'clock`)).length, 3, "the words as they came");
	});
	assert.equal(countRequests(of), 18);
});

test("two agents with the same words and a clock in their first message keep their sessions apart", async (t) => {
	const of = await place(t);
	const said = "I shall look at every file of the project, one after the other, before I answer.";
	for (let turn = 0; turn <= 3; turn++) {
		for (const task of ["ALPHA", "BRAVO"]) {
			const messages: JsonObject[] = [
				{ role: "user", content: `It is ${turn} o'clock for ${task}.` },
				{ role: "user", content: `task: ${task}` },
			];
			for (let n = 0; n < turn; n++)
				messages.push({ role: "assistant", content: `${said} ${n}` }, { role: "user", content: `go on with ${task}` });
			await post(of, "openai-completions", { model: "m", stream: true, ...TOOLS, messages });
		}
	}
	for (const text of sessionTexts(of)) assert.ok(!(text.includes("ALPHA") && text.includes("BRAVO")), text);
});

test("a figure that no provider means does not stop the log", async (t) => {
	for (const tokens of [1e19, 1e308, 2 ** 53 + 2, -5]) {
		const usage = { prompt_tokens: tokens, completion_tokens: tokens };
		const answer = {
			id: "c1",
			model: "m",
			choices: [{ index: 0, message: { role: "assistant", content: "Done." } }],
			usage,
		};
		const server = createServer((request, response) => {
			request
				.resume()
				.on("end", () => response.setHeader("content-type", "application/json").end(JSON.stringify(answer)));
		});
		await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
		t.after(() => server.close());
		const of = await place(t, { upstream: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
		for (const content of ["one", "two"])
			await post(of, "openai-completions", { model: "m", ...TOOLS, messages: [{ role: "user", content }] });
		assert.deepEqual(of.told, []);
		const rows = of.inLog(({ log }) => readUsage(log));
		assert.ok(rows.every(({ input, output }) => Number.isSafeInteger(input) && Number.isSafeInteger(output)));
		assert.equal(
			of.inLog(({ log }) => [...log.read({ types: ["Message"] })].length),
			4,
		);
	}
});

test("rewrite: a passing message at the end of each request does not seal it anew", async (t) => {
	const of = await place(t, { rewrite: true, window: 16_000, id: "toolu_x7k2" });
	const agent = new Agent(of, "openai-completions");
	for (let turn = 1; turn <= 20; turn++) {
		agent.items.push({ role: "user", content: `<env>It is ${turn} o'clock.</env>` });
		await agent.ask();
		agent.items.pop();
		agent.goOn(of.sent.length, 480);
	}
	assert.deepEqual(of.told, []);
	const seals = of.inLog(({ log }) => [...log.read({ types: ["Seal"] })].length);
	assert.ok(seals >= 1 && seals <= 5, `${seals} seals`);
	const lists = of.sent.map((request) =>
		itemsOf(request)
			.slice(0, -1)
			.map((item) => JSON.stringify(item)),
	);
	const starts = lists.filter((list, at) => at > 0 && !lists[at - 1]!.every((item, n) => item === list[n]));
	assert.equal(starts.length, seals, "inside an epoch each request extends the one before");
});
