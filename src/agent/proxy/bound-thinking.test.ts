/** `--rewrite` before a provider that checks the thinking which comes back to it. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startModelServer } from "../../../test/rig/model-server.ts";
import { type ProviderOptions, ThinkingProvider, thoughts } from "../../../test/rig/thinking-provider.ts";
import type { JsonObject } from "../../base/json/read.ts";
import { openEngine } from "../../engine.ts";
import { READERS } from "../agents.ts";
import { serveProxy } from "./serve.ts";

async function place(t: TestContext, options: ProviderOptions) {
	const folder = mkdtempSync(join(tmpdir(), "weft-bound-"));
	const [cwd, home] = [join(folder, "project"), join(folder, "weft")];
	mkdirSync(cwd);
	const provider = new ThinkingProvider(options);
	let steps = 0;
	const script = provider.script(() => {
		const n = ++steps;
		return {
			thinking: thoughts(n),
			text: `Step ${n}.`,
			toolCalls: [{ id: `call_${n}`, name: "read", args: { path: `f-${n}.js` } }],
		};
	});
	const model = await startModelServer(script);
	const given = { agent: "other", upstream: model.url, env: { HOME: folder }, cwd, home } as const;
	const start = () => serveProxy({ readers: READERS, ...given, rewrite: true, window: 16_000, onNotice: () => {} });
	let proxy = await start();
	t.after(async () => {
		await proxy.close();
		await model.close();
		rmSync(folder, { recursive: true, force: true });
	});
	return {
		provider,
		sent: model.requests,
		address: () => proxy.address,
		restart: async () => {
			await proxy.close();
			proxy = await start();
		},
		seals: () => {
			const engine = openEngine({ cwd, home, host: "test", env: {} });
			try {
				return [...engine.log.read({ types: ["Seal"] })].length;
			} finally {
				engine.close();
			}
		},
	};
}

/** Keeps its whole history, and sends every answer back as it came, thinking with signatures. */
class Agent {
	readonly #of: Awaited<ReturnType<typeof place>>;
	readonly #fields: JsonObject;
	messages: JsonObject[];

	constructor(of: Awaited<ReturnType<typeof place>>, fields: JsonObject, messages: JsonObject[] = []) {
		this.#of = of;
		this.#fields = fields;
		this.messages = messages;
	}

	async run(turns: number): Promise<void> {
		if (this.messages.length === 0) this.messages.push({ role: "user", content: "Read all of it." });
		for (let n = 0; n < turns; n++) {
			const content = await this.#ask();
			const id = content.find(({ type }) => type === "tool_use")?.["id"];
			const result = {
				type: "tool_result",
				tool_use_id: id,
				content: `content of ${id}: ${"words of it ".repeat(480)}`,
			};
			this.messages.push({ role: "assistant", content }, { role: "user", content: [result] });
		}
	}

	async #ask(): Promise<JsonObject[]> {
		const tools = [{ name: "read", input_schema: { type: "object" } }];
		const body = { stream: true, system: "You are an agent.", tools, ...this.#fields, messages: this.messages };
		const response = await fetch(`${this.#of.address()}/v1/messages`, { method: "POST", body: JSON.stringify(body) });
		const text = await response.text();
		assert.equal(response.status, 200, text);
		return readBlocks(text);
	}
}

function readBlocks(stream: string): JsonObject[] {
	const blocks: Record<string, unknown>[] = [];
	const inputs: string[] = [];
	for (const [, line = ""] of stream.matchAll(/^data: (.*)$/gm)) {
		const { type, index, content_block, delta } = JSON.parse(line);
		if (type === "content_block_start") blocks[index] = content_block;
		if (type !== "content_block_delta") continue;
		const { type: kind, partial_json, ...fields } = delta;
		if (kind === "input_json_delta") inputs[index] = (inputs[index] ?? "") + partial_json;
		for (const [name, part] of Object.entries(fields))
			blocks[index] = { ...blocks[index], [name]: `${blocks[index]?.[name] ?? ""}${part}` };
	}
	return blocks.map((block, at) => (inputs[at] === undefined ? block : { ...block, input: JSON.parse(inputs[at]) }));
}

const NEWER = { model: "claude-opus-5-5", thinking: { type: "adaptive" } };

for (const onMismatch of ["error", "drop"] as const) {
	test(`a model that binds (${onMismatch}): after ten seals and a restart all that came back was valid, and nothing was lost`, async (t) => {
		const of = await place(t, { generation: "newer", onMismatch });
		const agent = new Agent(of, NEWER);
		await agent.run(40);
		await of.restart();
		await agent.run(40);
		assert.ok(of.seals() >= 10, `${of.seals()} seals`);
		assert.deepEqual([of.provider.refused, of.provider.dropped, of.provider.lost], [[], 0, []]);
		assert.ok(of.provider.leftOut > 0);
		assert.ok(Math.max(...of.provider.kept) > 1);
	});
}

test("a session that parts from another keeps its cut, and its thinking is valid", async (t) => {
	const of = await place(t, { generation: "newer" });
	const agent = new Agent(of, NEWER);
	await agent.run(12);
	const other = new Agent(of, NEWER, [...agent.messages]);
	await agent.run(4);
	await other.run(8);
	assert.ok(of.seals() >= 2);
	assert.deepEqual(of.provider.refused, []);
});

for (const readsOthers of [false, true])
	test(`a switch between models that ${readsOthers ? "" : "do not "}read each other's thinking, between generations and back, with seals between: nothing is refused`, (t) =>
		switchModels(t, readsOthers));

async function switchModels(t: TestContext, readsOthers: boolean): Promise<void> {
	const older = { model: "claude-sonnet-4-5", thinking: { type: "enabled", budget_tokens: 1_024 } };
	const other = { ...NEWER, model: "claude-sonnet-5-5" };
	const of = await place(t, { generation: (model) => (model === older.model ? "older" : "newer"), readsOthers });
	let messages: JsonObject[] = [];
	for (const fields of [NEWER, other, NEWER, older, other, older, NEWER]) {
		const agent = new Agent(of, fields, messages);
		await agent.run(6);
		messages = agent.messages;
	}
	assert.ok(of.seals() >= 5, `${of.seals()} seals`);
	assert.deepEqual([of.provider.refused, of.provider.dropped, of.provider.lost], [[], 0, []]);
	assert.ok(of.provider.leftOut > 0 && Math.max(...of.provider.kept) > 1, `${of.provider.kept}`);
}

for (const [name, model] of [
	["a known", "claude-sonnet-4-5"],
	["an unknown", "local"],
] as const) {
	test(`${name} model with manual thinking: the newest turn keeps it across every seal`, async (t) => {
		const of = await place(t, { generation: "older" });
		const agent = new Agent(of, { model, thinking: { type: "enabled", budget_tokens: 1_024 } });
		await agent.run(40);
		assert.ok(of.seals() >= 5, `${of.seals()} seals`);
		assert.deepEqual(of.provider.refused, []);
		assert.ok(of.provider.kept.slice(1).every((count) => count > 0));
	});
}
