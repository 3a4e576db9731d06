/** Output that the agent itself has cut: weft shortens the whole of it where the agent keeps one, and says so where it does not. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sha256 } from "../../src/base/hash/sha256.ts";
import type { AgentName } from "./port.ts";
import { type AgentRun, run } from "./run.ts";
import type { ScriptStep } from "./script.ts";

const ROWS = "seq -f 'row %.0f of a very long output' 1 5000";
const rows = Array.from({ length: 5_000 }, (_, at) => `row ${at + 1} of a very long output\n`).join("");
const WHOLE = `${rows}error: the keel is broken\n${rows}`;
const COMMAND = `${ROWS}; echo 'error: the keel is broken'; ${ROWS}`;

const outputOf = async (agent: AgentName, cut: "saved" | "lost") => {
	const steps: readonly ScriptStep[] = [
		{ name: "prompt", do: "prompt", text: "Print it." },
		{ name: "long output", do: "call", call: { tool: "shell", command: COMMAND, cut } },
		{ name: "answer", do: "answer", text: "Printed." },
		{ name: "end", do: "end" },
	];
	const of = await run(agent, "woven", { steps });
	return { text: of.output("long output"), blobs: blobsOf(of) };
};

function blobsOf({ events }: AgentRun): unknown[] {
	return [...new Set(events.flatMap(({ payload }) => payload["blob"] ?? []))];
}

for (const agent of ["claude-code", "opencode"] as const) {
	suite(`${agent} has cut an output and saved the whole`, () => {
		test("the model gets its head, its end and the error between them, and can fetch all of it", async () => {
			const { text, blobs } = await outputOf(agent, "saved");
			assert.match(text, /^row 1 of a very long output\n/);
			assert.match(text, /\nerror: the keel is broken\n/);
			assert.match(text, /\nrow 5000 of a very long output\n/);
			assert.match(text, new RegExp(`lcm_expand\\("b-${sha256(WHOLE).slice(0, 12)}"\\) returns the whole text`));
			assert.deepEqual(blobs, [sha256(WHOLE)]);
			assert.equal(text.endsWith("User aborted the command\n</shell_metadata>"), agent === "opencode");
		});
	});
}

for (const agent of ["claude-code", "opencode", "codex"] as const) {
	suite(`${agent} has cut an output, and the rest is lost`, () => {
		test("the model learns that the handle returns only what the agent kept", async () => {
			const { text, blobs } = await outputOf(agent, "lost");
			assert.match(
				text,
				/ left out; the agent had already shortened this output, and lcm_expand\("b-[0-9a-f]{12}"\) returns what it kept\]/,
			);
			assert.doesNotMatch(text, /whole text/);
			assert.equal(blobs.length, 1);
			assert.notDeepEqual(blobs, [sha256(WHOLE)]);
		});
	});
}
