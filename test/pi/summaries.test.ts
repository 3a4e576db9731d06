/** Who writes what stands for the messages that left: a seal at once, models afterwards, the user's words with one call. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { WEFT_EXTENSION } from "../rig/pi.ts";
import { startPiRpc } from "../rig/pi-rpc.ts";
import { makePiWorkspace, type PiWorkspace } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { LONG_FILES, LONG_PROMPT, workAnswer } from "./long-task.ts";
import { messagesOf, textIn } from "./wire.ts";

const WRITER = "openai-completions";
const SUMMARY = "## Summary\n\n**Overview:**\n- The parts were mended in their order, each after its check had failed.";
const FOCUS = "# Kept\n\nEvery check is `sh check.sh N NN`, and it fails until the state is mended.";

function configure(workspace: PiWorkspace, settings: object): void {
	const folder = join(workspace.userHome, ".config", "weft");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "config.json"), JSON.stringify(settings));
}

test("woven: models write in the background, and words of the user shape the next request with one call", async () => {
	using workspace = makePiWorkspace({ files: LONG_FILES, piSettings: { compaction: { keepRecentTokens: 30 } } });
	configure(workspace, { compactionModels: [{ provider: "scripted", id: WRITER }], profile: "thrifty" });
	let next = 0;
	let until = 0;
	const script = (request: ModelRequest): ModelAnswer => {
		if ("tools" in request.json) return next < until ? workAnswer(next++) : { text: `Done up to step ${next}.` };
		return { text: request.body.includes("the user asks that this is kept") ? FOCUS : SUMMARY };
	};
	await using rpc = await startPiRpc({ workspace, script, extensions: [WEFT_EXTENSION], contextWindow: 28_000 });
	const ask = async (message: string, steps: number) => {
		until = next + steps;
		await rpc.prompt(message);
	};
	const written = () =>
		readLog(workspace, { types: ["Summary"] }).filter(({ payload }) => payload["model"] !== "deterministic");
	const calls = () => rpc.requests.filter(({ json }) => !("tools" in json));

	await ask(LONG_PROMPT, 40);
	const [seal] = readLog(workspace, { types: ["Seal"] });
	assert.ok(seal, "the work was sealed");
	// The seal had no model: its nodes were written before it, by the deterministic summariser.
	const before = readLog(workspace, { types: ["Summary"] }).filter(({ seq }) => seq < seal.seq);
	assert.deepEqual(new Set(before.map(({ payload }) => payload["model"])), new Set(["deterministic"]));
	for (let waited = 0; written().length === 0 && waited < 2_000; waited++) await sleep(50);
	assert.ok(written().length > 0, "a model wrote summaries of what left");
	assert.ok(calls().every(({ api }) => api === WRITER));
	assert.deepEqual(
		new Set(written().map(({ payload }) => payload["topic"])),
		new Set(["The parts were mended in their order, each after its check had failed."]),
	);

	await ask("Go on.", 4);
	for (let last = -1; last !== calls().length; await sleep(300)) last = calls().length;
	const counted = calls().length;
	await rpc.command("compact", { customInstructions: "Keep the word that I told you to keep in mind: periwinkle." });
	const focused = calls()
		.slice(counted)
		.filter(({ body }) => body.includes("periwinkle."));
	assert.equal(focused.length, 1);
	await ask("And now?", 0);
	const asked = rpc.requests.findLast(({ json }) => "tools" in json)!;
	const seed = textIn(messagesOf(asked)[0]!.content);
	assert.match(
		seed,
		/"Keep the word that I told you to keep in mind: periwinkle\."(?: \(up to [^\n]*\))?\n# Kept\n\nEvery check is `sh check\.sh N NN`/,
	);
	assert.match(seed, /- \(m-[0-9a-f]{12}\) Mend every part, one after the other\. Keep the word periwinkle in mind\./);
	assert.match(seed, /- s-[0-9a-f]{10} \(depth \d, \d+ messages\): The parts were mended in their order/);
	assert.doesNotMatch(seed, /messages\): (?:##|Summary|\*\*|Overview)/);

	const seals = readLog(workspace, { types: ["Seal"] }).map(({ payload }) => payload["why"]);
	assert.equal(seals.at(-1), "asked");
	const told = rpc.records.flatMap((record) =>
		record["widgetKey"] === "weft-seal" ? String(record["widgetLines"]) : [],
	);
	assert.equal(told.filter((line) => line.startsWith("weft sealed (as you asked): ")).length, 1, told.join("\n"));
	const [sent] = readLog(workspace, { types: ["Request"], order: "newest", limit: 1 });
	const reasons = sent!.payload["reasons"] as string[];
	assert.ok(reasons.includes("sealed: asked"), reasons.join());
	// An older Pi compacts at a lower threshold of its own, so a seal may come before the one that was asked for.
	const known = ["sealed: asked", "sealed: host-threshold", "thinking left out: what is before it changed"];
	assert.deepEqual(
		reasons.filter((reason) => !known.includes(reason)),
		[],
	);
	assert.deepEqual(readLog(workspace, { types: ["Fault"] }), []);
});

test("fewer than ten messages: a compaction by hand is Pi's own, and nothing is sealed", async () => {
	using workspace = makePiWorkspace({ files: LONG_FILES, piSettings: { compaction: { keepRecentTokens: 30 } } });
	const script = ({ json }: ModelRequest): ModelAnswer => ({
		text: "tools" in json ? "words ".repeat(80) : "Pi's own summary.",
	});
	await using rpc = await startPiRpc({ workspace, script, extensions: [WEFT_EXTENSION] });
	await rpc.prompt("Good morning.");
	await rpc.prompt("Good day.");
	await rpc.command("compact");
	await rpc.prompt("Good evening.");
	assert.match(textIn(messagesOf(rpc.requests.at(-1)!)[0]!.content), /Pi's own summary\./);
	assert.deepEqual(readLog(workspace, { types: ["Seal", "Summary", "Fault"] }), []);
});
