import assert from "node:assert/strict";
import { test } from "node:test";
import { asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import { GeminiTranslator } from "./translate.ts";

const timestamp = "2026-10-01T10:00:02.000Z";
const tokens = { input: 1000, output: 10, cached: 400, thoughts: 5, tool: 0, total: 1015 };
const answer = (more: JsonObject) => ({ id: "g1", timestamp, type: "gemini", content: "I look", ...more });
const call = (id: string, status: string, output?: string) => ({
	id,
	name: "run_shell_command",
	args: { command: `ls ${id}` },
	status,
	result: output === undefined ? undefined : [{ functionResponse: { id, response: { output } } }],
});

/** Entry, and what it says: the calls, the result, the usage. */
function messages(lines: readonly JsonObject[]): string[] {
	const translator = new GeminiTranslator({ session: "s", parent: undefined, cwd: "/w" });
	return lines.flatMap((line) =>
		translator.translate(line, JSON.stringify(line)).flatMap(({ type, entry, raw }) => {
			const said = type === "Message" ? parseObject(raw ?? "") : undefined;
			if (!said) return [];
			const blocks = (said["content"] as JsonObject[]).map((block) => block["text"] ?? block["id"]);
			const input = asObject(said["usage"])?.["input"];
			return [`${entry}: ${blocks.join(" ")}${input === undefined ? "" : ` (${input})`}`];
		}),
	);
}

test("a later version of an answer tells its usage, more calls and how they ended", () => {
	const lines = [
		answer({}),
		answer({ tokens }),
		answer({ tokens, toolCalls: [call("one", "executing")] }),
		answer({ tokens, toolCalls: [call("one", "success", "1.txt"), call("two", "success", "2.txt")] }),
		answer({ tokens, toolCalls: [call("one", "success", "1.txt"), call("two", "success", "2.txt")] }),
	];
	const all = ["g1: I look", "g1/usage:  (600)", "g1/calls: one", "g1/calls 1: two", "g1/one: 1.txt", "g1/two: 2.txt"];
	assert.deepEqual(messages(lines), all);
});

test("usage that comes with the calls stands with them, and counts once", () => {
	const toolCalls = [call("one", "success", "1.txt")];
	assert.deepEqual(messages([answer({}), answer({ tokens, toolCalls })]), [
		"g1: I look",
		"g1/calls: one (600)",
		"g1/one: 1.txt",
	]);
	assert.deepEqual(messages([answer({ tokens }), answer({ tokens, toolCalls })]), [
		"g1: I look (600)",
		"g1/calls: one",
		"g1/one: 1.txt",
	]);
});

test("a call that was cancelled has its result, one that never ended has none", () => {
	const toolCalls = [call("one", "cancelled"), call("two", "executing")];
	const next = { id: "g2", timestamp, type: "gemini", content: "Well" };
	assert.deepEqual(messages([answer({ tokens, toolCalls }), next]), [
		"g1: I look (600)",
		"g1/calls: one two",
		"g1/one: ",
		"g2: Well",
	]);
});
