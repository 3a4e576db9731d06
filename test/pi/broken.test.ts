/** A failure of ours: each hook is broken in turn, and Pi does its work without us. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { type ModelAnswer, type ModelRequest, overflow } from "../rig/answer.ts";
import { BROKEN_EXTENSION, runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { makePiWorkspace } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { allText } from "./wire.ts";

const FILES = { "a.txt": "one\ntwo\nthree\n" };
const SUMMARY = "A summary by the model.";
const HOOKS = [
	"before_agent_start",
	"context",
	"before_provider_request",
	"message_end",
	"tool_call",
	"tool_result",
	"turn_end",
	"session_before_compact",
] as const;

/** Reads, edits, runs a command, meets a window that is too small, and answers. */
function makeScript(): (request: ModelRequest) => ModelAnswer {
	let step = 0;
	let overflowed = false;
	const call = (name: string, args: Readonly<Record<string, unknown>>): ModelAnswer => ({
		toolCalls: [{ id: `${name}_${step}`, name, args }],
	});
	return (request) => {
		// Pi's own summariser asks without tools.
		if (!("tools" in request.json)) return { text: SUMMARY };
		if (step === 3 && !overflowed) {
			overflowed = true;
			return overflow(request.api, 200_000);
		}
		const answers = [
			call("read", { path: "a.txt" }),
			call("edit", { path: "a.txt", edits: [{ oldText: "three", newText: "four" }] }),
			call("bash", { command: "cat a.txt" }),
			{ text: "The work is done." },
		];
		return answers[step++]!;
	};
}

async function work(extension: string, env: Readonly<Record<string, string>>) {
	using workspace = makePiWorkspace({ files: FILES, piSettings: { compaction: { keepRecentTokens: 30 } } });
	const prompts = ["Make three four."];
	const run = await runPi({ workspace, script: makeScript(), prompts, extensions: [extension], env });
	const log = readLog(workspace);
	return { run, log, text: readFileSync(join(workspace.project, "a.txt"), "utf8") };
}

suite("a broken hook", { concurrency: 3 }, () => {
	test("none broken: the work is done, sealed after the overflow, without a fault", async () => {
		const { run, log, text } = await work(WEFT_EXTENSION, {});
		assert.deepEqual([run.stdout.trim(), run.stderr, text], ["The work is done.", "", "one\ntwo\nfour\n"]);
		assert.deepEqual(
			log.filter(({ type }) => type === "Fault"),
			[],
		);
		assert.equal(log.filter(({ type }) => type === "Seal").length, 1);
		assert.equal(
			run.requests.some((request) => !("tools" in request.json)),
			false,
		);
	});

	for (const hook of HOOKS) {
		test(`${hook}: the agent finishes its work, the fault is in the log, and it is told once`, async () => {
			const { run, log, text } = await work(BROKEN_EXTENSION, { BROKEN_HOOK: hook });
			assert.equal(run.stdout.trim(), "The work is done.");
			assert.equal(text, "one\ntwo\nfour\n");
			assert.equal(run.stderr, `weft: broken on purpose. Pi carries on without weft's record (${hook}).\n`);
			const faults = log.filter(({ type }) => type === "Fault").map(({ payload }) => payload);
			assert.ok(faults.length > 0);
			for (const { where, message } of faults) assert.deepEqual([where, message], [hook, "broken on purpose."]);
			if (hook === "session_before_compact") assert.ok(allText(run.requests.at(-1)!).includes(SUMMARY));
		});
	}
});
