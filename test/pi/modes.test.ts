/** The modes beside `woven`: `warp` computes what the model sees, `lossless` compacts by our history. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { handleOf } from "../../src/log/handle.ts";
import { HISTORY_PREAMBLE } from "../../src/tool/catalogue.ts";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { startPiRpc } from "../rig/pi-rpc.ts";
import { makePiWorkspace, sessionFiles } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { allText, extendsRequest, messagesOf, resultsIn, systemText, textIn } from "./wire.ts";

const FILES = {
	"a.txt": "alpha\nbeta\n",
	"check.sh": 'echo "FAIL check: beta is there" >&2\nexit 1\n',
};
const EXTENSIONS = [WEFT_EXTENSION];
const call = (id: string, name: string, args: Readonly<Record<string, unknown>>): ModelAnswer => ({
	toolCalls: [{ id, name, args }],
});
const firstText = (request: ModelRequest) => textIn(messagesOf(request)[0]!.content);
const isSummariser = ({ json }: ModelRequest) => !("tools" in json);
const HISTORY = /## Conversation History \(Lossless Context Management\)/;

test("warp: the model sees the computed context and the current run, and nothing of the runs before", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const script = [
		call("read", "read", { path: "a.txt" }),
		call("check", "bash", { command: "sh check.sh" }),
		{ text: "It fails, says the first run." },
		call("again", "bash", { command: "cat a.txt" }),
		{ text: "Seen." },
	];
	const env = { WEFT_MODE: "warp" };
	const prompts = ["Look at the check.", "And now?"];
	const run = await runPi({ workspace, script, prompts, extensions: EXTENSIONS, env });
	assert.deepEqual([run.stdout.trim(), run.stderr, run.requests.length], ["Seen.", "", script.length]);
	for (const request of run.requests) assert.match(firstText(request), /^\[WARP ENGINE CONTEXT\]/);
	const inFirstRun = messagesOf(run.requests[2]!);
	assert.deepEqual(
		inFirstRun.map(({ role }) => role),
		["user", "user", "assistant", "user", "assistant", "user"],
	);
	assert.equal(textIn(inFirstRun[1]!.content), "Look at the check.");
	const [context, asked, ...rest] = messagesOf(run.requests[4]!);
	assert.equal(textIn(asked!.content), "And now?");
	assert.equal(rest.length, 2);
	assert.equal(allText(run.requests[4]!).includes("says the first run"), false);
	const text = textIn(context!.content);
	assert.match(text, /Intent: "And now\?"/);
	assert.match(text, /sh check\.sh/);
	assert.match(text, /FAIL check: beta is there/);
	assert.match(text, /a\.txt/);
	assert.deepEqual(readLog(workspace, { types: ["Fault", "Seal"] }), []);
	assert.deepEqual(
		run.requests.map((request) => systemText(request).includes(HISTORY_PREAMBLE.trim())),
		[true, true, true, true, true],
		"from the first request on",
	);
});

test("warp: a run that outgrows the window loses its oldest turns, each with a handle", async () => {
	const long = Array.from({ length: 400 }, (_, line) => `line ${line} ${"of text ".repeat(6)}`).join("\n");
	using workspace = makePiWorkspace({ files: { "long.txt": long } });
	const script: ModelAnswer[] = Array.from({ length: 13 }, (_, n) =>
		call(`read_${n}`, "read", { path: "long.txt", offset: n * 10 + 1, limit: 300 }),
	);
	const env = { WEFT_MODE: "warp" };
	const options = { workspace, prompts: ["Read it."], extensions: EXTENSIONS, env, contextWindow: 66_000 };
	const run = await runPi({ ...options, script: [...script, { text: "Read." }] });
	assert.equal(run.stdout.trim(), "Read.");
	const last = messagesOf(run.requests.at(-1)!);
	const said = textIn(last[0]!.content);
	assert.match(said, /The request of this run \(m-[0-9a-f]{12}\), word for word:\nRead it\.\n/);
	const list = /Earlier turns of this run .*: (m-.*)$/.exec(said.trimEnd())![1]!;
	const handles = list.split(", ");
	const answers = readLog(workspace, { types: ["Message"] }).filter(({ payload }) => payload["role"] === "assistant");
	assert.deepEqual(handles, answers.slice(0, handles.length).map(handleOf));
	assert.equal(resultsIn(run.requests.at(-1)!).size, script.length - handles.length);
});

test("lossless: Pi's history stands until it compacts by its threshold; then our nodes stand for what left", async () => {
	const long = { "a.txt": "alpha and beta, again and again\n".repeat(60), "check.sh": FILES["check.sh"] };
	using workspace = makePiWorkspace({ files: long, piSettings: { compaction: { keepRecentTokens: 30 } } });
	const script = (request: ModelRequest, index: number): ModelAnswer => {
		if (isSummariser(request)) return { text: "The model read a.txt, which holds alpha and beta." };
		const steps = [
			call("read", "read", { path: "a.txt" }),
			...["one", "two", "three"].map((id) => call(id, "bash", { command: "ls" })),
			{ ...call("check", "bash", { command: "sh check.sh" }), usage: { input: 30_000, output: 10 } },
		];
		return steps[index] ?? { text: `Answer ${index}.` };
	};
	const env = { WEFT_MODE: "lossless" };
	const options = { workspace, script, extensions: EXTENSIONS, env, contextWindow: 32_000 };
	const run = await runPi({ ...options, prompts: ["Look at a.txt.", "And then?"] });
	assert.equal(run.stderr, "");
	const asked = run.requests.filter((request) => !isSummariser(request));
	assert.ok(extendsRequest(asked[0]!, asked[1]!));
	assert.match(firstText(asked[5]!), HISTORY);
	assert.match(firstText(asked[5]!), /The model read a\.txt/);
	assert.ok(systemText(asked[0]!).includes(HISTORY_PREAMBLE.trim()));
	assert.equal(new Set(asked.map(systemText)).size, 1, "a compaction does not change the system prompt");
	const nodes = readLog(workspace, { types: ["Summary"] });
	assert.ok(nodes.length > 0);
	for (const { payload } of nodes) assert.ok(firstText(asked[5]!).includes(String(payload["node"])));
	assert.match(readFileSync(run.sessionFile!, "utf8"), /"customType":"weft\.nodes"/);
});

test("lossless: what the user asks of a compaction reaches the summariser; when every model fails the session goes on", async () => {
	using workspace = makePiWorkspace({ files: FILES, piSettings: { compaction: { keepRecentTokens: 30 } } });
	let failing = false;
	const error = { status: 400, body: { error: { message: "no such model" } } };
	const script = (request: ModelRequest, index: number): ModelAnswer => {
		if (!isSummariser(request)) return { text: `Answer ${index}: ${"words ".repeat(80)}` };
		return failing ? { error } : { text: "Two greetings were exchanged, and nothing was decided." };
	};
	await using rpc = await startPiRpc({ workspace, script, extensions: EXTENSIONS, env: { WEFT_MODE: "lossless" } });
	await rpc.prompt("Good morning.");
	for (let n = 0; n < 4; n++) await rpc.prompt("Good day.");
	await rpc.command("compact", { customInstructions: "Keep every greeting." });
	await rpc.prompt("Good evening.");
	failing = true;
	await rpc.command("compact");
	await rpc.prompt("Good night.");
	assert.deepEqual(await rpc.end(), { code: 0, stderr: "" });
	const summaries = rpc.requests.filter(isSummariser);
	assert.match(summaries[0]!.body, /The user asks of this summary: Keep every greeting\./);
	const models = readLog(workspace, { types: ["Summary"] }).map(({ payload }) => payload["model"]);
	assert.deepEqual(models, ["scripted/anthropic-messages", "deterministic"]);
	const asked = rpc.requests.filter((request) => !isSummariser(request));
	assert.match(firstText(asked.at(-1)!), HISTORY);
	assert.match(firstText(asked.at(-2)!), /## What the user asked to keep of what has left\n"Keep every greeting\."/);
	assert.equal(sessionFiles(workspace).length, 1);
	const kinds = rpc.records.filter(({ type }) => type === "extension_error");
	assert.deepEqual(kinds, []);
});

test("the mode can be changed while the session runs, and each answers from then on", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const script = (_request: ModelRequest, index: number): ModelAnswer => ({ text: `Answer ${index}.` });
	await using rpc = await startPiRpc({ workspace, script, extensions: EXTENSIONS });
	await rpc.prompt("One.");
	await rpc.command("prompt", { message: "/weft mode warp" });
	await rpc.prompt("Two.");
	await rpc.command("prompt", { message: "/weft mode off" });
	await rpc.prompt("Three.");
	await rpc.command("prompt", { message: "/weft mode woven" });
	await rpc.prompt("Four.");
	assert.equal((await rpc.end()).stderr, "");
	const heads = rpc.requests.map(({ json }) => JSON.stringify([json["tools"], json["system"]]));
	assert.match(heads[0]!, /lcm_expand/);
	assert.equal(new Set(heads).size, 1, "no mode changes the head");
	assert.deepEqual(
		rpc.requests.map((request) => firstText(request).split("\n")[0]),
		["One.", "[WARP ENGINE CONTEXT]", "One.", "One."],
	);
	const modes = readLog(workspace, { types: ["Request"] }).map(({ payload }) => payload["mode"]);
	assert.deepEqual(modes, ["woven", "warp", "off", "woven"]);
});
