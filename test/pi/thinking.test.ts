/** Thinking on the wire, against a provider that checks it: long tasks with seals in Pi, in both generations. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { JUMP_EXTENSION, runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { startPiRpc } from "../rig/pi-rpc.ts";
import { ThinkingProvider, thoughts } from "../rig/thinking-provider.ts";
import { makePiWorkspace, sessionFiles } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { LONG_FILES, LONG_PROMPT, WORK_REQUESTS, workAnswer } from "./long-task.ts";
import { messagesOf } from "./wire.ts";

const NEWER = { id: "claude-opus-5-5", isAdaptive: true };
const OLDER = { id: "claude-sonnet-4-5" };
const EXTENSIONS = [WEFT_EXTENSION];
const LONG = {
	contextWindow: 9_000,
	extensions: EXTENSIONS,
	env: { WEFT_PROFILE: "thrifty" },
	args: ["--thinking", "medium"],
	timeLimitMs: 120_000,
};

/** How many requests do not extend the one before. In a small window Pi changes the budget for thinking beside the messages. */
function breaksIn(requests: readonly ModelRequest[]): number {
	const lists = requests.map((request) => messagesOf(request).map((message) => JSON.stringify(message)));
	return lists.filter((list, at) => at > 0 && !lists[at - 1]!.every((message, n) => message === list[n])).length;
}

suite("a long task with seals", () => {
	for (const [name, model, onMismatch] of [
		["a model that binds and refuses", NEWER, "error"],
		["a model that binds and drops", NEWER, "drop"],
		["an unknown model that binds", { id: "local", isAdaptive: true }, "error"],
	] as const) {
		test(`${name}: nothing is refused or dropped, and no thinking stays away that may come`, async () => {
			using workspace = makePiWorkspace({ files: LONG_FILES });
			const provider = new ThinkingProvider({ generation: "newer", onMismatch });
			const script = provider.script((_, index) => workAnswer(index));
			const run = await runPi({ ...LONG, workspace, script, models: [model], prompts: [LONG_PROMPT] });
			const seals = readLog(workspace, { types: ["Seal"] });
			assert.deepEqual([run.stdout.trim(), run.stderr], ["All parts are mended.", ""]);
			assert.equal(run.requests.length, WORK_REQUESTS);
			assert.ok(seals.length > 10, `${seals.length} seals`);
			assert.deepEqual([provider.refused, provider.dropped, provider.lost], [[], 0, []]);
			assert.equal(breaksIn(run.requests), seals.length);
			assert.ok(provider.leftOut > 0, "a seal kept turns whose thinking is not valid any more");
			assert.ok(Math.max(...provider.kept) >= 2, `${provider.kept}`);
		});
	}

	for (const [name, model] of [
		["an older model", OLDER],
		["an unknown older model", { id: "local" }],
	] as const) {
		test(`${name}: the newest turn of the loop begins with its thinking, in every request`, async () => {
			using workspace = makePiWorkspace({ files: LONG_FILES });
			const provider = new ThinkingProvider({ generation: "older" });
			const script = provider.script((_, index) => workAnswer(index));
			const run = await runPi({ ...LONG, workspace, script, models: [model], prompts: [LONG_PROMPT] });
			assert.deepEqual([run.stdout.trim(), run.stderr], ["All parts are mended.", ""]);
			const seals = readLog(workspace, { types: ["Seal"] });
			assert.ok(seals.length > 10, `${seals.length} seals`);
			assert.equal(breaksIn(run.requests), seals.length);
			assert.deepEqual(provider.refused, []);
			assert.ok(Math.max(...provider.kept) >= 2, `${provider.kept}`);
		});
	}
});

const NAMES = [..."abcdefghijklmn"];
const FILES = Object.fromEntries(
	NAMES.map((name) => [`${name}.txt`, `${name}: ${"some words of it ".repeat(60)}\n`.repeat(3)]),
);

/** Thinks before every answer. Reads the next file, and answers in words after each second one. */
function reader(): (request: ModelRequest) => ModelAnswer {
	let step = 0;
	return () => {
		const n = step++;
		const thinking = thoughts(n);
		if (n % 3 === 2) return { thinking, text: `Answer ${n}.` };
		const path = `${NAMES[n % NAMES.length]}.txt`;
		return { thinking, text: `Step ${n}.`, toolCalls: [{ id: `read_${n}`, name: "read", args: { path } }] };
	};
}

function assertAllTaken(provider: ThinkingProvider): void {
	assert.deepEqual([provider.refused, provider.dropped, provider.lost], [[], 0, []]);
}

const RPC = { extensions: [...EXTENSIONS, JUMP_EXTENSION], args: ["--thinking", "medium"], models: [NEWER] };
const KEEPS_LITTLE = { compaction: { keepRecentTokens: 30 } };

test("seals on request, a branch before a seal, and a new process: what is valid comes, and nothing else", async () => {
	using workspace = makePiWorkspace({ files: FILES, piSettings: KEEPS_LITTLE });
	const provider = new ThinkingProvider({ generation: "newer" });
	const script = provider.script(reader());
	{
		await using rpc = await startPiRpc({ ...RPC, workspace, script });
		await rpc.prompt("One.");
		await rpc.prompt("Two.");
		await rpc.command("compact");
		await rpc.prompt("Three.");
		await rpc.command("compact");
		await rpc.prompt("Four.");
		const first = readLog(workspace, { types: ["Message"] }).find(({ payload }) => payload["role"] === "assistant");
		await rpc.command("prompt", { message: `/jump ${first!.entry}` });
		await rpc.prompt("Another way.");
		assert.equal((await rpc.end()).stderr, "");
	}
	assert.equal(readLog(workspace, { types: ["Seal"] }).length, 2);
	assert.ok(provider.leftOut > 0);
	const { length } = provider.kept;
	const resumed = await runPi({
		...RPC,
		workspace,
		script,
		prompts: ["Go on."],
		args: [...RPC.args, "--session", sessionFiles(workspace)[0]!],
	});
	assert.equal(resumed.stderr, "");
	assert.ok(provider.kept.length > length && provider.kept[length]! > 0, `${provider.kept}`);
	assertAllTaken(provider);
});

test("a switch of the mode changes what is before the thinking, there and back", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const provider = new ThinkingProvider({ generation: "newer" });
	await using rpc = await startPiRpc({ ...RPC, workspace, script: provider.script(reader()) });
	for (const mode of ["warp", "off", "woven", "lossless", "off", "warp", "woven"]) {
		await rpc.prompt(`In the mode before ${mode}.`);
		await rpc.command("prompt", { message: `/weft mode ${mode}` });
	}
	await rpc.prompt("And now?");
	assert.equal((await rpc.end()).stderr, "");
	assertAllTaken(provider);
	assert.ok(provider.leftOut > 0);
	assert.deepEqual(readLog(workspace, { types: ["Fault"] }), []);
});

test("a switch of the model, between generations and back, with seals between", async () => {
	using workspace = makePiWorkspace({ files: FILES, piSettings: KEEPS_LITTLE });
	const generation = (model: string) => (model === OLDER.id ? "older" : "newer");
	const provider = new ThinkingProvider({ generation });
	const other = { id: "claude-sonnet-5-5", isAdaptive: true };
	const models = [NEWER, other, OLDER];
	await using rpc = await startPiRpc({ ...RPC, models, workspace, script: provider.script(reader()) });
	for (const [n, { id }] of [NEWER, other, NEWER, OLDER, NEWER, OLDER, other].entries()) {
		await rpc.command("set_model", { provider: "scripted", modelId: id });
		await rpc.prompt(`Number ${n}.`);
		if (n % 2 === 1) await rpc.command("compact");
		await rpc.prompt(`And ${n} again.`);
	}
	assert.equal((await rpc.end()).stderr, "");
	assertAllTaken(provider);
	assert.ok(readLog(workspace, { types: ["Seal"] }).length >= 2);
});

test("thinking that is switched off and on again is refused by no older model", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const provider = new ThinkingProvider({ generation: "older" });
	await using rpc = await startPiRpc({ ...RPC, models: [OLDER], workspace, script: provider.script(reader()) });
	for (const level of ["off", "medium", "off", "medium"]) {
		await rpc.prompt(`Before ${level}.`);
		await rpc.command("set_thinking_level", { level });
	}
	await rpc.prompt("And now?");
	assert.equal((await rpc.end()).stderr, "");
	assert.deepEqual(provider.refused, []);
	assert.ok(provider.kept.at(-1)! > 0);
});

const PRUNER = `
let asked = 0;
export default function (weft) {
	weft.on("context", ({ reason, state }) => {
		const { cached } = state.envelope.messages;
		if (reason === "ephemeral" && ++asked % 4 === 0)
			return { patch: [{ op: "tail_set", scope: "uncached", messages: [{ role: "user", content: "Mind the time." }] }] };
		if (reason !== "before_request" || asked % 5 !== 4) return;
		const result = cached.findLast(({ role, content }, at) => role === "toolResult" && at < cached.length - 3 && content[0].text !== "(pruned)");
		if (!result) return;
		const message = { ...result, content: [{ type: "text", text: "(pruned)" }] };
		return { patch: [{ op: "item_replace", scope: "cached", id: result.id, message, invalidateCacheReason: "pruned" }] };
	});
}
`;

test("handlers that prune, and that say something for one request alone", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const folder = join(workspace.userHome, ".config", "weft");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "pruner.mjs"), PRUNER);
	writeFileSync(join(folder, "config.json"), JSON.stringify({ handlers: ["./pruner.mjs"] }));
	const provider = new ThinkingProvider({ generation: "newer" });
	await using rpc = await startPiRpc({ ...RPC, workspace, script: provider.script(reader()) });
	for (let n = 0; n < 7; n++) await rpc.prompt(`Prompt ${n}.`);
	assert.equal((await rpc.end()).stderr, "");
	assertAllTaken(provider);
	assert.ok(provider.leftOut > 0);
	const log = readLog(workspace);
	assert.deepEqual(
		log.filter(({ type }) => type === "Fault"),
		[],
	);
	const broken = log.filter(({ type, payload }) => type === "Request" && payload["difference"] !== null);
	assert.ok(broken.length > 0);
	for (const { payload } of broken) assert.match(String(payload["reasons"]), /^pruned/);
});
