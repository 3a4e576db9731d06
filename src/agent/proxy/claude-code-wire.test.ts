import assert from "node:assert/strict";
import { test } from "node:test";
import { claudeCodeWire as wire } from "./claude-code-wire.ts";
import { HeldBody } from "./held-body.ts";

const said = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

test("a glance at a request says the same as a look at all of it, or nothing", () => {
	const tools = [{ name: "Bash" }];
	const ours = [...tools, { name: "mcp__weft__lcm_expand" }];
	const cases = [
		{ body: { messages: [said("go on")], tools }, isTold: true },
		{ body: { messages: [said("Write the title")], tools: [] }, isTold: true },
		{ body: { messages: [said('Say "tools":[{ for me')] }, isTold: true },
		{ body: { messages: [said("go on")], tools: ours }, isTold: false },
		{ body: { messages: [said("what is lcm_expand?")], tools }, isTold: false },
	];
	for (const { body, isTold } of cases) {
		const { isTurn, namesTools } = wire.readFacts(body, {});
		const bytes = Buffer.from(JSON.stringify(body));
		for (const parts of [[bytes], [bytes.subarray(0, 60), bytes.subarray(60)]]) {
			const glance = wire.glance!(new HeldBody(parts), false);
			assert.equal(glance !== undefined, isTold);
			if (glance) assert.deepEqual([glance.isTurn, glance.namesTools], [isTurn, namesTools]);
			// Once it is known that the agent has our tools, it stays so.
			assert.equal(wire.glance!(new HeldBody(parts), true)?.isTurn, isTurn);
		}
	}
});
