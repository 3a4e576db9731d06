/** `woven` on the wire: a long task with seals, and everything that left fetched back by the model itself. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { ceilingTokens } from "../../src/context/seal/rule.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import { handleOf } from "../../src/log/handle.ts";
import { checkRequest } from "../../src/message/validity.ts";
import { weighWire } from "../../src/message/weight.ts";
import { HISTORY_PREAMBLE } from "../../src/tool/catalogue.ts";
import { type PiRun, runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { makePiWorkspace, type PiWorkspace } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { LONG_FILES, LONG_PROMPT, Recovery, WORK_REQUESTS, workAnswer } from "./long-task.ts";
import { allText, extendsRequest, marksOf, messagesOf, systemText } from "./wire.ts";

const WINDOW = 48_000;

suite("a long task in woven", () => {
	let workspace: PiWorkspace;
	let run: PiRun;
	let log: EventRecord[];
	const recovery = new Recovery();

	before(async () => {
		workspace = makePiWorkspace({ files: LONG_FILES });
		run = await runPi({
			workspace,
			contextWindow: WINDOW,
			extensions: [WEFT_EXTENSION],
			env: { WEFT_PROFILE: "thrifty" },
			args: ["--thinking", "medium"],
			// It keeps all thinking; thinking.test.ts has the models that bind it.
			models: [{ id: "claude-sonnet-4-5" }],
			prompts: [LONG_PROMPT, "Fetch back all that has left."],
			script: (request, index) => (index < WORK_REQUESTS ? workAnswer(index) : recovery.answer(request)),
			timeLimitMs: 120_000,
		});
		log = readLog(workspace);
	});
	after(() => workspace?.[Symbol.dispose]());

	test("ends well, without a word of ours and without a fault", () => {
		assert.deepEqual([run.stderr, run.stdout.trim()], ["", "Everything is there."]);
		assert.deepEqual(
			log.filter(({ type }) => type === "Fault").map(({ payload }) => payload),
			[],
		);
		assert.ok(run.requests.length >= 60, `${run.requests.length} requests`);
	});

	test("every request extends the one before it byte for byte, but where a seal was made", () => {
		const breaks = run.requests.flatMap((request, at) =>
			at > 0 && !extendsRequest(run.requests[at - 1]!, request) ? [at] : [],
		);
		const seals = log.filter(({ type }) => type === "Seal");
		assert.ok(seals.length >= 2, `${seals.length} seals`);
		assert.equal(breaks.length, seals.length);
		for (const [n, at] of breaks.entries()) {
			const [first] = messagesOf(run.requests[at]!);
			assert.ok(first!.content.at(-1)!.text!.includes(seedOf(seals[n]!, log)), `seed of request ${at}`);
		}
	});

	test("no request is larger than the ceiling, and each is one that a provider takes", () => {
		for (const request of run.requests) {
			const messages = messagesOf(request);
			const tokens = messages.reduce((sum, message) => sum + weighWire(message, "anthropic"), 0);
			assert.ok(tokens <= ceilingTokens(WINDOW), `request ${request.index}: ${tokens} tokens`);
			assert.deepEqual(checkRequest(messages, "anthropic"), [], `request ${request.index}`);
		}
	});

	test("the first request says what the tools of the history are, and no later one says it otherwise", () => {
		assert.ok(systemText(run.requests[0]!).includes(HISTORY_PREAMBLE.trim()));
		assert.deepEqual(new Set(run.requests.map(systemText)).size, 1);
	});

	test("the end of the seed is marked for the cache, beside Pi's own three marks", () => {
		assert.deepEqual(marksOf(run.requests[0]!), ["system", "tools", "messages.0"]);
		const last = run.requests[WORK_REQUESTS - 1]!;
		const end = messagesOf(last).length - 1;
		assert.deepEqual(marksOf(last), ["system", "tools", "messages.0", `messages.${end}`]);
	});

	test("thinking keeps its signature, and calls made at once stay together with their results, across every seal", () => {
		for (const request of run.requests.slice(0, WORK_REQUESTS)) {
			for (const [at, { role, content }] of messagesOf(request).entries()) {
				if (role !== "assistant") continue;
				const calls = content.flatMap(({ type, id }) => (type === "tool_use" ? [id!] : []));
				const step = Number(/^work_(\d+)/.exec(calls[0] ?? "")?.[1]);
				const signatures = content.flatMap(({ signature }) => (signature === undefined ? [] : [signature]));
				const { thinking = [], toolCalls = [] } = workAnswer(step);
				const said = thinking as readonly { signature: string }[];
				assert.deepEqual([calls, signatures], [toolCalls.map(({ id }) => id), said.map((each) => each.signature)]);
				const results = messagesOf(request)[at + 1]!.content.map((block) => block.tool_use_id);
				assert.deepEqual(results, calls);
			}
		}
	});

	test("the model fetches back every message of the work, byte for byte", () => {
		const entries = readFileSync(run.sessionFile!, "utf8").trimEnd().split("\n");
		const entryOf = new Map(
			log.filter(({ type }) => type === "Message").map((record) => [handleOf(record), record.entry]),
		);
		const inFile = new Map(entries.map((line) => [(JSON.parse(line) as { id: string }).id, line]));
		const asked = allText(run.requests[WORK_REQUESTS]!);
		const phase = [...entryOf].filter(([, entry]) => isOfWork(inFile.get(entry!)!));
		const fetched = phase.filter(([handle]) => recovery.pages.has(handle));
		for (const [handle, entry] of fetched) {
			assert.equal(recovery.pages.get(handle)!.join(""), inFile.get(entry!), handle);
		}
		assert.ok(fetched.length > 80, `${fetched.length} were fetched`);
		// What was not fetched had not left: it stood on the wire.
		for (const [handle, entry] of phase) {
			if (recovery.pages.has(handle)) continue;
			const { message } = JSON.parse(inFile.get(entry!)!) as { message: { role: string; content: unknown } };
			if (message.role === "system") continue;
			for (const text of textsOf(message.content)) assert.ok(asked.includes(text), `${handle} is nowhere`);
		}
	});

	test("the nodes that stand for what left are named in the session file", () => {
		const named = readFileSync(run.sessionFile!, "utf8")
			.split("\n")
			.filter((line) => line.includes('"weft.nodes"'));
		assert.equal(named.length, log.filter(({ type }) => type === "Seal").length);
		const nodes = new Set(log.filter(({ type }) => type === "Summary").map(({ payload }) => payload["node"]));
		for (const line of named) {
			const { data } = JSON.parse(line) as { data: { nodes: string[] } };
			assert.ok(data.nodes.length > 0);
			for (const id of data.nodes) assert.ok(nodes.has(id), id);
		}
	});

	test("each request has its manifest, and where bytes changed it says why", () => {
		const requests = log.filter(({ type }) => type === "Request");
		assert.equal(requests.length, run.requests.length);
		const changed = requests.filter(({ payload }) => payload["difference"] !== null);
		assert.equal(changed.length, log.filter(({ type }) => type === "Seal").length);
		for (const { payload } of changed) assert.match((payload["reasons"] as string[]).join(), /^sealed: /);
	});
});

/** The seal itself is a Transform: the Seal event names it. */
function seedOf({ payload }: EventRecord, log: readonly EventRecord[]): string {
	const held = log.find(({ type, entry }) => type === "Transform" && entry === payload["transform"]);
	return (held!.payload["patch"] as { seedText: string }[])[0]!.seedText;
}

function isOfWork(line: string): boolean {
	const { type, message } = JSON.parse(line) as { type: string; message?: { content: unknown } };
	if (type !== "message") return false;
	const text = JSON.stringify(message);
	return !text.includes("recover_") && !text.includes("Fetch back all") && !text.includes("Everything is there");
}

function textsOf(content: unknown): string[] {
	if (typeof content === "string") return [content];
	return (content as { type: string; text?: string }[]).flatMap(({ text }) => (text === undefined ? [] : [text]));
}
