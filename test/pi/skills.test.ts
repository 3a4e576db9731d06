/** A skill's `allowed_tools` in the real Pi: enforced from `/skill:name` until the next message of the user. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelAnswer } from "../rig/answer.ts";
import { runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { makePiWorkspace } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { resultsIn } from "./wire.ts";

const FILES = {
	".pi/skills/charts/SKILL.md":
		"---\nname: charts\ndescription: Draws sea charts.\nallowed_tools: [read]\n---\nDraw.\n",
	".pi/skills/broken/SKILL.md": "---\nname: broken\ndescription: x\nmemory_scope: galaxy\n---\n",
};

test("a tool that an active skill does not allow is blocked, and allowed again with the next message", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const script: readonly ModelAnswer[] = [
		{ toolCalls: [{ id: "b1", name: "bash", args: { command: "echo one" } }] },
		{ text: "not allowed" },
		{ toolCalls: [{ id: "b2", name: "bash", args: { command: "echo two" } }] },
		{ text: "done" },
	];
	const prompts = ["/skill:charts draw the bay", "Now run it."];
	const run = await runPi({ workspace, extensions: [WEFT_EXTENSION], script, prompts });
	const results = resultsIn(run.requests.at(-1)!);
	assert.match(results.get("b1")!, /The skill charts allows only read; bash is not among them\./);
	assert.match(results.get("b2")!, /two/);
	const verdicts = readLog(workspace, { types: ["Verdict"] }).map(({ payload }) => [
		payload["rule"],
		payload["callId"],
	]);
	assert.deepEqual(verdicts, [["skill-tools", "b1"]]);
	assert.match(
		run.stderr,
		/broken\/SKILL\.md:4: 'memory_scope' must be one of none, relevant, session, channel\. This is ignored\./,
	);
});
