import assert from "node:assert/strict";
import { test } from "node:test";
import { type ModelAnswer, overflow } from "./answer.ts";
import { startModelServer } from "./model-server.ts";

const ANSWER: ModelAnswer = {
	thinking: [{ text: "hm", signature: "sig" }],
	text: "two\nlines",
	toolCalls: [
		{ id: "a", name: "read", args: { path: "x" } },
		{ id: "b", name: "bash", args: { command: "ls" } },
	],
	usage: { input: 30_000, output: 5, cacheRead: 7 },
};

async function post(url: string, path: string, body: string) {
	const response = await fetch(url + path, { method: "POST", body, headers: { "content-type": "application/json" } });
	return { status: response.status, text: await response.text() };
}

const dataOf = (stream: string) =>
	stream
		.split("\n")
		.filter((line) => line.startsWith("data: {"))
		.map((line) => JSON.parse(line.slice("data: ".length)));

test("an Anthropic answer streams thinking with its signature, text, parallel calls and usage", async () => {
	await using server = await startModelServer([ANSWER]);
	const { text } = await post(server.url, "/v1/messages?beta=true", '{"model":"m"}');
	const events = dataOf(text);
	const deltas = events.filter(({ type }) => type === "content_block_delta").map(({ index, delta }) => [index, delta]);
	const joined = (index: number, key: string) =>
		deltas.flatMap(([at, delta]) => (at === index && delta[key] ? [delta[key]] : [])).join("");
	assert.equal(joined(0, "thinking"), "hm");
	assert.equal(joined(0, "signature"), "sig");
	assert.equal(joined(1, "text"), "two\nlines");
	assert.equal(joined(2, "partial_json"), '{"path":"x"}');
	assert.equal(joined(3, "partial_json"), '{"command":"ls"}');
	assert.equal(events.at(-2).delta.stop_reason, "tool_use");
	assert.deepEqual([events.at(-2).usage.input_tokens, events.at(-2).usage.cache_read_input_tokens], [30_000, 7]);
});

test("an OpenAI answer streams reasoning, text, parallel calls and usage", async () => {
	await using server = await startModelServer([ANSWER]);
	const { text } = await post(server.url, "/v1/chat/completions", '{"model":"m"}');
	const chunks = dataOf(text);
	const deltas = chunks.flatMap(({ choices }) => choices.map((choice: { delta: object }) => choice.delta));
	assert.deepEqual(
		deltas.flatMap(({ tool_calls }) => tool_calls ?? []).map((call) => [call.index, call.function.arguments]),
		[
			[0, ""],
			[0, '{"path":"x"}'],
			[1, ""],
			[1, '{"command":"ls"}'],
		],
	);
	assert.deepEqual(deltas.map(({ content }) => content ?? "").join(""), "two\nlines");
	assert.equal(chunks.at(-1).usage.prompt_tokens, 30_007);
	assert.ok(text.endsWith("data: [DONE]\n\n"));
});

test("keeps every request as it came, and answers each by its index", async () => {
	await using server = await startModelServer(({ json }, index) => ({ text: `${json["n"]}/${index}` }));
	for (const body of ['{"n": 1,  "x":"é"}', '{"n":2}']) await post(server.url, "/v1/messages", body);
	assert.deepEqual(
		server.requests.map(({ index, api, path, body }) => ({ index, api, path, body })),
		[
			{ index: 0, api: "anthropic-messages", path: "/v1/messages", body: '{"n": 1,  "x":"é"}' },
			{ index: 1, api: "anthropic-messages", path: "/v1/messages", body: '{"n":2}' },
		],
	);
});

test("an error is answered with its status; a script that is over says so with one that is not retried", async () => {
	await using server = await startModelServer([overflow("openai-completions", 32_000)]);
	const refused = await post(server.url, "/v1/chat/completions", "{}");
	assert.equal(refused.status, 400);
	assert.match(refused.text, /context_length_exceeded/);
	const over = await post(server.url, "/v1/chat/completions", "{}");
	assert.equal(over.status, 400);
	assert.match(over.text, /the script has 1 answers, this is request 2/);
});
