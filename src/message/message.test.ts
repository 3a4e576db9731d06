import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { messageText, viewMessage } from "./message.ts";

const pi = (message: unknown) => viewMessage({ role: "?", form: "pi", raw: { type: "message", id: "a", message } });
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
				{ type: "hologram" },
			],
			provider: "p",
			model: "m",
			stopReason: "toolUse",
			usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } },
			timestamp: 17,
		});
		assert.deepEqual(view, {
			role: "assistant",
			blocks: [
				{ kind: "thinking", text: "hm", signature: "sig" },
				{ kind: "text", text: "hello" },
				{ kind: "image", mimeType: "image/png" },
				{ kind: "call", id: "c1", tool: "read", input: { path: "a.ts" } },
				{ kind: "other", name: "hologram" },
			],
			timestamp: 17,
			model: "m",
			provider: "p",
			stopReason: "toolUse",
			usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 },
		});
	});

	test("shows a tool result with its tool, its text in one piece and its details", () => {
		const view = pi({
			role: "toolResult",
			toolCallId: "c1",
			toolName: "bash",
			content: [
				{ type: "text", text: "one" },
				{ type: "image", data: "AAAA" },
				{ type: "text", text: "two" },
			],
			details: { exitCode: 3 },
			isError: true,
		});
		assert.deepEqual(view, {
			role: "toolResult",
			blocks: [
				{ kind: "result", callId: "c1", tool: "bash", text: "one\ntwo", isError: true, details: { exitCode: 3 } },
				{ kind: "image" },
			],
			tool: "bash",
		});
	});

	test("shows a command of the user; a cancelled one has no exit status", () => {
		const ran = pi({ role: "bashExecution", command: "ls", output: "a\n", exitCode: 0, cancelled: false });
		assert.deepEqual(ran.command, { command: "ls", output: "a\n", exit: 0 });
		const cancelled = pi({ role: "bashExecution", command: "ls", output: "", exitCode: 0, cancelled: true });
		assert.equal(cancelled.command?.exit, null);
	});

	test("reads hook messages of format 2 as custom, and every custom message as injected", () => {
		assert.deepEqual(pi({ role: "hookMessage", content: "x" }), pi({ role: "custom", content: "x" }));
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
			assert.equal(messageText(viewMessage({ form: "pi", raw })), "short");
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
		assert.deepEqual(view, {
			role: "toolResult",
			blocks: [{ kind: "result", callId: "t1", text: "ok", isError: false, details: { stdout: "ok" } }],
			timestamp: Date.UTC(2026, 0, 1),
		});
	});

	test("does not guess whose the notes are when a line carries several results", () => {
		const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: id }] });
		const view = anthropic({ message: { role: "user", content: [result("a"), result("b")] }, toolUseResult: {} });
		assert.deepEqual(view.blocks, [
			{ kind: "result", callId: "a", text: "a", isError: false },
			{ kind: "result", callId: "b", text: "b", isError: false },
		]);
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
		assert.deepEqual(view.blocks, [
			{ kind: "thinking", text: "hm", signature: "s" },
			{ kind: "call", id: "t1", tool: "Bash", input: { command: "ls" } },
		]);
		assert.deepEqual(view.usage, { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 });
		assert.equal(view.stopReason, "tool_use");
	});

	test("marks what a program says in the user's name", () => {
		const said = { type: "user", message: { role: "user", content: "x" } };
		assert.equal(anthropic(said).injected, undefined);
		assert.equal(anthropic({ ...said, isMeta: true }).injected, true);
		assert.equal(anthropic({ ...said, isCompactSummary: true }).role, "compactionSummary");
	});
});

test("any value at all can be viewed", () => {
	const content = fc.oneof(fc.string(), fc.constant(null), fc.array(fc.anything()), fc.jsonValue());
	const message = fc.record({
		role: fc.constantFrom("user", "assistant", "toolResult", "bashExecution", "x"),
		content,
	});
	const raw = fc.oneof(fc.anything(), fc.record({ type: fc.constantFrom("message", "compaction", "user"), message }));
	fc.assert(
		fc.property(fc.constantFrom("pi", "anthropic", undefined), raw, (form, value) => {
			assert.ok(Array.isArray(viewMessage({ form, raw: value }).blocks));
		}),
	);
});
