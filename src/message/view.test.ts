import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
	type Form,
	guessForm,
	type MessageView,
	messageText,
	type ReadResult,
	readWire,
	shownText,
	viewMessage,
} from "./view.ts";
import { weighMessage } from "./weight.ts";

const pi = (message: unknown) => viewMessage({ role: "?", form: "pi", raw: { type: "message", id: "a", message } });
/** Fields that are there; `raw` is the message itself. */
const fields = ({ raw: _, ...view }: Partial<MessageView>) => JSON.parse(JSON.stringify(view));
const sent = { isSent: true, isIdentified: true, hasLateResult: false };
const anthropic = (line: object) => viewMessage({ role: "?", form: "anthropic", raw: line });

describe("a message in Pi's form", () => {
	test("shows text, thinking, images and calls in order, with model and usage", () => {
		const view = pi({
			role: "assistant",
			content: [
				{ type: "thinking", thinking: "hm", thinkingSignature: "sig" },
				{ type: "text", text: "hello" },
				{ type: "image", data: "AAAA", mimeType: "image/png" },
				{ type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts" } },
				{ type: "hologram", data: "AAAA", shows: "of a cat" },
			],
			api: "a",
			provider: "p",
			model: "m",
			stopReason: "toolUse",
			usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } },
			timestamp: 17,
		});
		assert.deepEqual(fields(view), {
			role: "assistant",
			speaker: "assistant",
			...sent,
			blocks: [
				{ kind: "thinking", text: "hm", signature: "sig" },
				{ kind: "text", text: "hello" },
				{ kind: "image", mimeType: "image/png" },
				{ kind: "call", id: "c1", tool: "read", input: { path: "a.ts" } },
				{ kind: "other", name: "hologram", text: "of a cat" },
			],
			timestamp: 17,
			model: "m",
			provider: "p",
			stopReason: "toolUse",
			usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 },
		});
	});

	test("shows a tool result with its tool, its text in one piece and its details, and what the model saw of it", () => {
		const message = {
			role: "toolResult",
			toolCallId: "c1",
			toolName: "bash",
			content: [
				{ type: "text", text: "one" },
				{ type: "image", data: "AAAA" },
				{ type: "text", text: "two\n\n[weft] a note" },
			],
			details: { exitCode: 3 },
			isError: true,
		};
		const said = { text: "one\ntwo", shown: "one\ntwo\n\n[weft] a note" };
		const about = { callId: "c1", tool: "bash", isError: true, details: { exitCode: 3 } };
		assert.deepEqual(fields(pi(message)), {
			role: "toolResult",
			speaker: "result",
			...sent,
			blocks: [{ kind: "result", ...said, ...about, raw: message }, { kind: "image" }],
			tool: "bash",
		});
	});

	test("shows a command of the user; a cancelled one has no exit status", () => {
		const ran = pi({ role: "bashExecution", command: "ls", output: "a\n", exitCode: 0, cancelled: false });
		assert.deepEqual(ran.command, { command: "ls", output: "a\n", exit: 0 });
		const cancelled = pi({ role: "bashExecution", command: "ls", output: "", exitCode: 0, cancelled: true });
		assert.equal(cancelled.command?.exit, null);
		assert.deepEqual([ran.blocks, ran.shown], [[], "Ran `ls`\n```\na\n\n```"]);
	});

	test("says what Pi does not send, and whose thinking is not known", () => {
		assert.equal(pi({ role: "assistant", content: [], stopReason: "aborted" }).isSent, false);
		assert.equal(pi({ role: "assistant", content: [], stopReason: "error" }).isSent, false);
		assert.equal(pi({ role: "bashExecution", command: "ls", excludeFromContext: true }).isSent, false);
		assert.equal(pi({ role: "assistant", content: [], api: "a", model: "m" }).isIdentified, false);
		assert.equal(pi({ role: "assistant", content: [] }).isIdentified, true);
	});

	test("reads hook messages of format 2 as custom, and every custom message as injected", () => {
		assert.deepEqual(fields(pi({ role: "hookMessage", content: "x" })), fields(pi({ role: "custom", content: "x" })));
		assert.equal(pi({ role: "custom", content: "x" }).injected, true);
		const entry = { type: "custom_message", customType: "t", content: [{ type: "text", text: "x" }] };
		assert.equal(viewMessage({ form: "pi", raw: entry }).role, "custom");
	});

	test("reads summaries from entries and from messages", () => {
		for (const raw of [
			{ type: "compaction", summary: "short" },
			{ type: "branch_summary", summary: "short" },
			{ type: "message", message: { role: "compactionSummary", summary: "short" } },
			{ role: "branchSummary", summary: "short" },
		]) {
			const view = viewMessage({ form: "pi", raw });
			assert.equal(messageText(view), "short");
			assert.match(shownText(view), /summary.*:\n\n<summary>\nshort\n?<\/summary>$/);
		}
	});
});

describe("a message in Anthropic's form", () => {
	test("reports lines that carry tool results as toolResult, with what the host noted", () => {
		const view = anthropic({
			type: "user",
			timestamp: "2026-01-01T00:00:00.000Z",
			message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok", is_error: false }] },
			toolUseResult: { stdout: "ok" },
		});
		const { raw, ...result } = view.blocks[0] as ReadResult;
		assert.deepEqual(raw, { type: "tool_result", tool_use_id: "t1", content: "ok", is_error: false });
		assert.deepEqual(
			{ ...fields(view), blocks: [fields(result)] },
			{
				role: "toolResult",
				speaker: "result",
				...sent,
				blocks: [{ kind: "result", callId: "t1", text: "ok", shown: "ok", isError: false, details: { stdout: "ok" } }],
				timestamp: Date.UTC(2026, 0, 1),
			},
		);
	});

	test("does not guess whose the notes are when a line carries several results", () => {
		const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: id }] });
		const view = anthropic({ message: { role: "user", content: [result("a"), result("b")] }, toolUseResult: {} });
		const said = view.blocks.map((block) => block.kind === "result" && [block.callId, block.text, block.details]);
		assert.deepEqual(said, [
			["a", "a", undefined],
			["b", "b", undefined],
		]);
	});

	test("shows a picture inside a result after it, and knows a result that stands after a text", () => {
		const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
		const result = { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "see" }, image] };
		const kinds = (...content: object[]) => {
			const view = readWire({ role: "user", content }, "anthropic");
			return [view.hasLateResult, ...view.blocks.map(({ kind }) => kind)];
		};
		assert.deepEqual(kinds(result), [false, "result", "image"]);
		assert.deepEqual(kinds(result, result, { type: "text", text: "x" }), [
			false,
			"result",
			"image",
			"result",
			"image",
			"text",
		]);
		assert.deepEqual(kinds({ type: "text", text: "x" }, result), [true, "text", "result", "image"]);
	});

	test("does not send what Claude Code says by itself", () => {
		const line = { type: "assistant", message: { role: "assistant", model: "<synthetic>", content: "API error" } };
		assert.equal(anthropic(line).isSent, false);
	});

	test("shows thinking with its signature, calls and cache usage", () => {
		const view = anthropic({
			type: "assistant",
			message: {
				role: "assistant",
				model: "m",
				stop_reason: "tool_use",
				content: [
					{ type: "thinking", thinking: "hm", signature: "s" },
					{ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } },
				],
				usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
			},
		});
		assert.deepEqual(fields(view).blocks, [
			{ kind: "thinking", text: "hm", signature: "s" },
			{ kind: "call", id: "t1", tool: "Bash", input: { command: "ls" } },
		]);
		assert.deepEqual(view.usage, { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cacheWriteLong: undefined });
		assert.equal(view.stopReason, "tool_use");
	});

	test("marks what a program says in the user's name", () => {
		const said = { type: "user", message: { role: "user", content: "x" } };
		assert.equal(anthropic(said).injected, undefined);
		assert.equal(anthropic({ ...said, isMeta: true }).injected, true);
		assert.equal(anthropic({ ...said, isCompactSummary: true }).role, "compactionSummary");
	});
});

describe("a message in OpenAI's form", () => {
	test("shows thinking, text, calls with their arguments, and results", () => {
		const fn = { name: "read", arguments: '{"path":"a.ts"}' };
		const tool_calls = [
			{ id: "c1", type: "function", function: fn },
			{ id: "c2", type: "function", function: { name: "x", arguments: "{cut" } },
		];
		const answer = readWire({ role: "assistant", reasoning_content: "hm", content: "I look.", tool_calls }, "openai");
		assert.deepEqual(answer.blocks, [
			{ kind: "thinking", text: "hm" },
			{ kind: "text", text: "I look." },
			{ kind: "call", id: "c1", tool: "read", input: { path: "a.ts" } },
			{ kind: "call", id: "c2", tool: "x", input: "{cut" },
		]);
		const raw = { role: "tool", tool_call_id: "c1", content: "text" };
		const { role, speaker, blocks } = readWire(raw, "openai");
		const result = { kind: "result", callId: "c1", text: "text", shown: "text", isError: false, raw };
		assert.deepEqual([role, speaker, blocks], ["toolResult", "result", [result]]);
	});
});

test("the words that a model reads are there without escapes, ids and bytes are not", () => {
	const view = pi({
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "hm", thinkingSignature: "sig" },
			{ type: "toolCall", id: "c1", name: "write", arguments: { path: "a.ts", content: 'say "x"\nend', lines: 2 } },
			{ type: "image", data: "AAAA", mimeType: "image/png" },
		],
	});
	assert.equal(shownText(view), 'hm\nwrite\na.ts\nsay "x"\nend\n2');
});

test("a bare message tells its form where the forms differ", () => {
	const forms: readonly [Form, object][] = [
		["openai", { role: "tool", tool_call_id: "a", content: "x" }],
		["openai", { role: "assistant", content: null, tool_calls: [] }],
		["anthropic", { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] }],
		["pi", { role: "toolResult", toolCallId: "a", content: [] }],
		["pi", { role: "user", content: "x" }],
	];
	for (const [form, message] of forms) assert.equal(guessForm({ ...message }), form);
});

test("only a frozen message is read once", () => {
	const message = { role: "user", content: "one" };
	assert.equal(messageText(readWire(message, "pi")), "one");
	message.content = "two";
	assert.equal(messageText(readWire(Object.freeze(message), "pi")), "two");
	assert.equal(readWire(message, "pi"), readWire(message, "pi"));
	assert.notEqual(readWire(message, "pi"), readWire(message, "anthropic"));
});

test("any value at all can be viewed", () => {
	const content = fc.oneof(fc.string(), fc.constant(null), fc.array(fc.anything()), fc.jsonValue());
	const message = fc.record({
		role: fc.constantFrom(
			"user",
			"assistant",
			"toolResult",
			"bashExecution",
			"tool",
			"branchSummary",
			"constructor",
			"x",
		),
		content,
		tool_calls: content,
	});
	const raw = fc.oneof(fc.anything(), fc.record({ type: fc.constantFrom("message", "compaction", "user"), message }));
	fc.assert(
		fc.property(fc.constantFrom("pi", "anthropic", undefined), raw, (form, value) => {
			assert.equal(typeof shownText(viewMessage({ form, raw: value })), "string");
		}),
	);
	fc.assert(
		fc.property(fc.constantFrom("pi", "anthropic", "openai"), fc.oneof(fc.anything(), message), (form, value) => {
			const view = readWire(value, form);
			assert.equal(typeof view.speaker, "string");
			assert.ok(Number.isInteger(weighMessage(view)));
		}),
	);
});
