import assert from "node:assert/strict";
import { test } from "node:test";
import { type EventWord, event, recordOf } from "../../../test/rig/events.ts";
import { searchable as readSearchable } from "./searchable.ts";

/** Without fields that are undefined. */
const searchable = (of: EventWord) => {
	const doc = readSearchable(recordOf(of));
	return doc && JSON.parse(JSON.stringify(doc));
};
const pi = (message: object) =>
	searchable(event("Message", { role: "x", form: "pi", raw: { type: "message", message } }));

test("finds the user's words, not the images", () => {
	const image = { type: "image", data: "QUJD", mimeType: "image/png" };
	assert.deepEqual(pi({ role: "user", content: [{ type: "text", text: "look" }, image] }), {
		role: "user",
		text: "look",
	});
	assert.equal(pi({ role: "user", content: [image] }), undefined);
});

test("finds calls with their arguments as they were typed, and thinking apart", () => {
	const content = [
		{ type: "thinking", thinking: "secretly" },
		{ type: "text", text: "On it." },
		{ type: "toolCall", id: "c", name: "bash", arguments: { command: 'cd a\necho "hi"', n: [1, null] } },
	];
	assert.deepEqual(pi({ role: "assistant", content }), {
		role: "assistant",
		text: 'On it.\n[tool: bash({"command":"cd a\necho "hi"","n":[1,null]})]',
		thinking: "secretly",
	});
	assert.deepEqual(pi({ role: "assistant", content: [content[0]!] }), {
		role: "assistant",
		text: "",
		thinking: "secretly",
	});
});

test("finds tool output under the tool's name", () => {
	const message = {
		role: "toolResult",
		toolCallId: "c",
		toolName: "grep",
		content: [{ type: "text", text: "a.ts:1" }],
	};
	assert.deepEqual(pi(message), { role: "toolResult", tool: "grep", text: "[grep] a.ts:1" });
});

test("reports Anthropic's result lines as toolResult, with the tool that the event names", () => {
	const raw = {
		type: "user",
		message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] },
	};
	const doc = searchable(event("Message", { role: "toolResult", form: "anthropic", tool: "Bash", raw }));
	assert.deepEqual(doc, { role: "toolResult", tool: "Bash", text: "[Bash] ok" });
});

test("never finds what our own search tools answered (case 15)", () => {
	for (const toolName of ["lcm_grep", "lcm_describe", "lcm_expand", "mcp__weft__lcm_grep"]) {
		assert.equal(pi({ role: "toolResult", toolName, content: [{ type: "text", text: "found" }] }), undefined);
	}
	assert.ok(pi({ role: "toolResult", toolName: "my_lcm_grep_notes", content: [{ type: "text", text: "found" }] }));
});

test("finds commands of the user with their output", () => {
	const doc = pi({ role: "bashExecution", command: "git st", output: "clean" });
	assert.deepEqual(doc, { role: "bashExecution", tool: "bash", text: "$ git st\nclean" });
});

test("finds custom messages, summaries, decisions and custom events", () => {
	assert.deepEqual(pi({ role: "custom", content: "note" }), { role: "custom", text: "note" });
	const entry = (kind: string) => searchable(event("Entry", { kind, raw: { type: kind, summary: "short" } }));
	assert.deepEqual(entry("compaction"), { role: "compactionSummary", text: "short" });
	assert.deepEqual(entry("branch_summary"), { role: "branchSummary", text: "short" });
	assert.deepEqual(entry("summary"), { role: "summary", text: "short" });
	assert.equal(entry("model_change"), undefined);
	assert.deepEqual(searchable(event("Decision", { text: "no cache", rationale: "stale" })), {
		role: "decision",
		text: "no cache\nstale",
	});
	assert.deepEqual(searchable(event("Custom", { name: "deploy", data: { to: "staging" } })), {
		role: "custom",
		text: 'deploy\n{"to":"staging"}',
	});
});

test("does not find the system prompt, nor events whose message is found already", () => {
	assert.equal(pi({ role: "system", content: "You are" }), undefined);
	assert.equal(searchable(event("UserIntent", { text: "again" })), undefined);
	assert.equal(searchable(event("ToolCalled", { tool: "bash", input: {} })), undefined);
});

test("survives arguments nested deeper than a stack", () => {
	const deep = JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`);
	assert.match(pi({ role: "assistant", content: [{ type: "toolCall", name: "t", arguments: deep }] })!.text, /…/);
});

test("case 15: neither the calls nor the results of our own search tools are found by it", () => {
	const call = (name: string) => ({ type: "toolCall", id: "c", name, arguments: { query: "needle" } });
	assert.equal(pi({ role: "assistant", content: [call("lcm_grep")] }), undefined);
	assert.match(pi({ role: "assistant", content: [call("lcm_expand"), call("bash")] })?.text ?? "", /^\[tool: bash/);
});
