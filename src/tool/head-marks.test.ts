import assert from "node:assert/strict";
import { test } from "node:test";
import { HISTORY_PREAMBLE, MCP_INSTRUCTIONS, TOOLS } from "./catalogue.ts";
import { headMarks } from "./head-marks.ts";

const theirs = [{ name: "Read" }, { name: "mcp__other__find" }];
const ours = TOOLS.map(({ name }) => ({ name: `mcp__plugin_weft_log__${name}` }));
const usual = headMarks([...theirs, ...ours], "You are an agent.");

function changed(tools: readonly unknown[], system: unknown): string[] {
	const now = headMarks(tools, system);
	return (["weft", "agent"] as const).filter((part) => now[part] !== usual[part]);
}

test("the part that changed is told by its owner", () => {
	assert.deepEqual(changed([...theirs, ...ours], "You are an agent."), []);
	assert.deepEqual(changed([...theirs, ...ours.slice(1)], "You are an agent."), ["weft"]);
	assert.deepEqual(changed([...theirs.slice(1), ...ours], "You are an agent."), ["agent"]);
	assert.deepEqual(changed([...theirs, ...ours], "You are another."), ["agent"]);
	assert.deepEqual(changed([], "You are an agent."), ["weft", "agent"]);
});

test("weft's words are its own, wherever an agent puts them", () => {
	for (const words of [HISTORY_PREAMBLE, MCP_INSTRUCTIONS]) {
		assert.deepEqual(changed([...theirs, ...ours], `You are an agent.${words.trim()}`), ["weft"]);
	}
	const search = (description: string) => [
		{ type: "tool_search", description },
		{ type: "namespace", name: "mcp__weft" },
	];
	const [one, two] = [headMarks(search("Servers: "), null), headMarks(search(`Servers: ${MCP_INSTRUCTIONS}`), null)];
	assert.equal(one.agent, two.agent);
	assert.notEqual(one.weft, two.weft);
});
