/** The user's policy of seals in the real Pi: who pays what, Pi's own settings, and one line when it matters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ModelAnswer, type ModelRequest, usageOf } from "../rig/answer.ts";
import { EARLY_CLOCK_EXTENSION, runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { type PiRpc, startPiRpc } from "../rig/pi-rpc.ts";
import { makePiWorkspace, type PiWorkspace } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { LONG_FILES, LONG_PROMPT, WORK_REQUESTS, workAnswer } from "./long-task.ts";

const EXTENSIONS = [WEFT_EXTENSION];
const PAID = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const AUTO = { WEFT_SEAL: "auto" };
const work = (_request: ModelRequest, index: number): ModelAnswer =>
	index < WORK_REQUESTS ? workAnswer(index) : { text: "And that was all." };

const sealsIn = (workspace: PiWorkspace) =>
	readLog(workspace, { types: ["Seal"] }).map(({ payload }) => payload["why"]);
const notices = ({ records }: PiRpc) =>
	records.flatMap((record) => (record["method"] === "notify" ? [String(record["message"])] : []));
const widgets = ({ records }: PiRpc) =>
	records.flatMap((record) => (record["widgetKey"] === "weft-seal" ? [record["widgetLines"]] : []));

test("a model that costs nothing keeps a long task whole; one with a price is sealed", async () => {
	for (const [cost, isSealed] of [
		[undefined, false],
		[PAID, true],
	] as const) {
		using workspace = makePiWorkspace({ files: LONG_FILES });
		const more = cost === undefined ? {} : { cost };
		const prompts = [LONG_PROMPT];
		await runPi({ workspace, extensions: EXTENSIONS, script: work, prompts, env: AUTO, ...more });
		assert.equal(sealsIn(workspace).length > 0, isSealed, String(sealsIn(workspace)));
		assert.deepEqual(readLog(workspace, { types: ["Fault"] }), []);
	}
});

test("Pi's compaction.enabled: false: nothing leaves unasked, weft says so, and /compact still seals", async () => {
	using workspace = makePiWorkspace({
		files: LONG_FILES,
		piSettings: { compaction: { enabled: false, keepRecentTokens: 30 } },
	});
	const options = { workspace, extensions: EXTENSIONS, script: work, cost: PAID, env: AUTO };
	await using rpc = await startPiRpc(options);
	await rpc.prompt(LONG_PROMPT);
	assert.deepEqual(sealsIn(workspace), []);
	const [said, ...more] = notices(rpc).filter((notice) => notice.includes("compaction"));
	assert.match(
		said!,
		/^weft: the agent's own compaction is off: weft seals only when the agent would compact \(seal: host\)\. /,
	);
	assert.deepEqual(more, []);
	await rpc.command("compact");
	assert.deepEqual(sealsIn(workspace), ["asked"]);
	const [request] = readLog(workspace, { types: ["Request"], limit: 1 });
	assert.equal(request!.payload["autoSeal"], "no-compaction");
});

test("at a seal the user gets one line: why, what left, and how to get it back", async () => {
	using workspace = makePiWorkspace({ files: LONG_FILES });
	await using rpc = await startPiRpc({ workspace, extensions: EXTENSIONS, script: work, contextWindow: 28_000 });
	await rpc.prompt(LONG_PROMPT);
	const seals = sealsIn(workspace);
	assert.ok(seals.length > 0);
	const lines = widgets(rpc).map(String);
	assert.equal(lines.length, seals.length);
	for (const line of lines) {
		assert.match(
			line,
			/^weft sealed \([a-z ]+\): \d+ messages left the context, [\d,]+ → [\d,]+ tokens(?:; still in it: [a-z\d, ]+)?\. To get them back: \/lcm search, or ask the model\.$/,
		);
	}
	assert.deepEqual(
		notices(rpc).filter((notice) => notice.includes("seal")),
		[],
	);
});

const PARAGRAPH = "The harbour crane lifts forty tonnes, its twin thirty, and the third one rests. ".repeat(800);

test("a switch to another model that writes more than 50,000 tokens again is said once, with the price of a seal first", async () => {
	using workspace = makePiWorkspace({ files: LONG_FILES });
	const options = { workspace, extensions: EXTENSIONS, smallWindow: 200_000, cost: PAID, env: { WEFT_SEAL: "late" } };
	await using rpc = await startPiRpc({ ...options, script: (_request, index) => ({ text: `Read ${index}.` }) });
	for (let turn = 0; turn < 4; turn++) await rpc.prompt(`${turn}: ${PARAGRAPH}`);
	const again = () => notices(rpc).filter((notice) => notice.includes(" again"));
	assert.deepEqual(again(), []);
	await rpc.command("set_model", { provider: "scripted", modelId: "small" });
	await rpc.prompt("And now?");
	const [said, ...more] = again();
	assert.match(
		said ?? "",
		/^weft: another model has its own cache, so the next request writes [5-9]\d,\d{3} tokens again \(\$0\.\d\d\)\. With a seal first \(\/compact\) it would write about [\d,]+ tokens \(\$0\.\d\d\)\.$/,
	);
	assert.deepEqual(more, [], "once");
	const status = rpc.records.filter((record) => record["statusKey"] === "weft").map((record) => record["statusText"]);
	assert.ok(
		status.some((line) => /other model: next writes [\d.]+k \(sealed [\d.]+k\)/.test(String(line))),
		status.join("\n"),
	);
	assert.doesNotMatch(String(status.at(-1)), /next writes/, "the new model has it now");
	assert.deepEqual(sealsIn(workspace), []);
});

test("who comes back after a pause hears what the next request writes again, where the policy keeps it whole", async () => {
	using workspace = makePiWorkspace({ files: LONG_FILES });
	const options = { workspace, cost: PAID, env: { WEFT_SEAL: "late" } };
	const script = (_request: ModelRequest, index: number): ModelAnswer => ({ text: `Read ${index}.` });
	const prompts = [0, 1, 2, 3].map((turn) => `${turn}: ${PARAGRAPH}`);
	const before = [EARLY_CLOCK_EXTENSION, WEFT_EXTENSION];
	const first = await runPi({ ...options, extensions: before, script, prompts });
	assert.equal(first.stderr, "");
	const back = { ...options, extensions: EXTENSIONS, script, args: ["--session", first.sessionFile!] };
	const second = await runPi({ ...back, prompts: ["Back.", "And?"] });
	assert.match(
		second.stderr,
		/^weft: the pause emptied the provider's cache, so the next request writes [5-9]\d,\d{3} tokens again \(\$0\.\d\d\)\. With a seal first \(\/compact\) it would write about [\d,]+ tokens \(\$0\.\d\d\)\.\n$/,
	);
	assert.deepEqual(sealsIn(workspace), []);
});

test("late seals near 85 % of the window as the provider counts it, window near 60 %", async () => {
	const contextWindow = 60_000;
	const shares: Record<string, number[]> = {};
	for (const seal of ["late", "window"]) {
		using workspace = makePiWorkspace({
			files: LONG_FILES,
			// Pi's own compaction would come first.
			piSettings: { compaction: { enabled: true, reserveTokens: 1_000 } },
		});
		// This provider counts a token for four characters, fewer than weft's estimate.
		const reads = (_request: ModelRequest, index: number): ModelAnswer =>
			index < 32
				? {
						text: `Part ${index}.`,
						toolCalls: [
							{
								id: `read_${index}`,
								name: "read",
								args: { path: `src/part-${String(index % 16).padStart(2, "0")}.txt` },
							},
						],
					}
				: { text: "All of it was read." };
		const options = { workspace, extensions: EXTENSIONS, contextWindow, cost: PAID, env: { WEFT_SEAL: seal } };
		const { requests } = await runPi({ ...options, script: reads, prompts: ["Read every part."] });
		const sizes = requests.map((request) => usageOf({}, request).input);
		shares[seal] = sizes
			.filter((size, at) => size > (sizes[at + 1] ?? size))
			.map((size) => (100 * size) / contextWindow);
	}
	for (const [seal, share] of [
		["late", 85],
		["window", 60],
	] as const) {
		assert.ok(shares[seal]!.length > 0, seal);
		for (const each of shares[seal]!)
			assert.ok(each > share - 7 && each < share + 2, `${seal}: ${JSON.stringify(shares)}`);
	}
});
