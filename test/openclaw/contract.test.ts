import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { AgentMessage, ContextEngine } from "../../src/agent/openclaw/contract.ts";
import type { Summariser } from "../../src/state/history/summariser.ts";
import { calls, place, result, says, textOf, user, worked } from "./rig.ts";

const S = { sessionId: "s1", sessionKey: "agent:main:s1" };
const BUDGET = 40_000;

test("the engine says who it is, and declares what today's hosts ask for", (t) => {
	const { info, ...methods } = place(t).engine();
	const { version, hostRequirements, ...rest } = info;
	assert.deepEqual(hostRequirements?.["agent-run"]?.requiredCapabilities, ["assemble-before-prompt"]);
	assert.match(version ?? "", /^\d+\.\d+\.\d+/);
	assert.deepEqual(rest, {
		id: "weft",
		name: "weft",
		ownsCompaction: true,
		turnMaintenanceMode: "background",
		transcriptSemantics: {
			currentTurnFence: "before-current-turn-entry-v1",
			turnAdvancementIdempotency: "atomic-idempotent-v1",
		},
	});
	const expected = "bootstrap ingest ingestBatch afterTurn commitTurn assemble compact maintain".split(" ");
	for (const name of expected) assert.equal(typeof methods[name as keyof typeof methods], "function", name);
});

test("a turn in the order of an older host: bootstrap, maintain, ingest, assemble, afterTurn, maintain, dispose", async (t) => {
	const { engine, events, cwd } = place(t);
	const weft = engine();
	const file = { ...S, sessionFile: join(cwd, "none.jsonl") };
	assert.deepEqual(await weft.bootstrap(file), { bootstrapped: true, importedMessages: 0 });
	const untouched = await weft.maintain(file);
	assert.deepEqual([untouched.changed, untouched.bytesFreed, untouched.rewrittenEntries], [false, 0, 0]);
	assert.match(untouched.reason ?? "", /leaves the transcript/);
	await weft.ingest({ ...S, message: user("Run it.", 1) });
	const asked = [user("Run it.", 1)];
	await weft.assemble({ ...S, messages: asked, tokenBudget: BUDGET });
	const done = [...asked, calls("c1", "date", 2), result("c1", "today", 3), says("Done.", 4)];
	await weft.afterTurn({ ...file, messages: done, prePromptMessageCount: 1, autoCompactionSummary: "short" });
	await weft.maintain(file);
	await weft.dispose();
	await weft.dispose();
	assert.deepEqual(
		events("Message").map(({ payload, entry }) => [payload["role"], payload["parent"] !== undefined, typeof entry]),
		[
			["user", false, "string"],
			["assistant", true, "string"],
			["toolResult", true, "string"],
			["assistant", true, "string"],
		],
	);
	assert.deepEqual(
		events("Entry").map(({ payload }) => [payload["kind"], payload["raw"]]),
		[["auto_compaction", { summary: "short" }]],
	);
	assert.deepEqual(events("Fault"), []);
});

test("a turn of today's host: an engine for each, assembled twice, committed once, delivered again", async (t) => {
	const { engine, events } = place(t);
	const turn = async (weft: ContextEngine, key: string, history: readonly AgentMessage[], messages: AgentMessage[]) => {
		await weft.bootstrap({ ...S, sessionFile: "agent:main:s1" });
		const first = await weft.assemble({ ...S, messages: history, prompt: textOf(messages[0]), tokenBudget: BUDGET });
		const second = await weft.assemble({ ...S, messages: [...first.messages, messages[0]!], tokenBudget: 64_000 });
		const { status } = await weft.commitTurn({ ...S, advancementKey: key, messages });
		await weft.maintain(S);
		await weft.dispose();
		return { status, sent: second.messages };
	};
	const one = [user("Hello one.", 1), says("Hello.", 2)];
	const two = [user("Hello two.", 3), calls("c1", "date", 4), result("c1", "today", 5), says("Bye.", 6)];
	assert.deepEqual(await turn(engine(), "t1", [], one), { status: "committed", sent: [one[0]] });
	assert.deepEqual(await turn(engine(), "t2", one, two), { status: "committed", sent: [...one, two[0]] });
	const messages = structuredClone(two);
	assert.deepEqual(await engine().commitTurn({ ...S, advancementKey: "t2", messages }), { status: "duplicate" });
	assert.equal(events("Message").length, 6);
	assert.deepEqual(events("Fault"), []);
});

test("a turn that was committed with other messages is refused, and nothing is written", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	await weft.commitTurn({ ...S, advancementKey: "t1", messages: [user("One.", 1)] });
	await assert.rejects(weft.commitTurn({ ...S, advancementKey: "t1", messages: [user("Two.", 2)] }), {
		code: "refused",
	});
	assert.equal(events("Message").length, 1);
	assert.equal(events("Fault").length, 1);
});

test("empty turns and large ones are committed whole; a heartbeat is no message", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const large = [user("Read it.", 1), calls("c1", "cat big", 2), result("c1", "x".repeat(8_000_000), 3)];
	const statuses = [
		await weft.commitTurn({ ...S, advancementKey: "t1", messages: [] }),
		await weft.commitTurn({ ...S, advancementKey: "t2", messages: large }),
		await weft.commitTurn({ ...S, advancementKey: "t3", messages: [user("poll", 4)], isHeartbeat: true }),
	];
	assert.deepEqual(new Set(statuses.map(({ status }) => status)), new Set(["committed"]));
	assert.deepEqual([events("Message").length, events("Entry").length], [3, 1]);
});

test("the same turn from two processes at once, one of them killed, is there once", async (t) => {
	const { cwd, home, events } = place(t);
	const url = new URL("../../src/agent/openclaw/live.ts", import.meta.url).href;
	const script = `
		import { writeSync } from "node:fs";
		import { createContextEngine } from ${JSON.stringify(url)};
		const weft = createContextEngine({ cwd: ${JSON.stringify(cwd)}, home: ${JSON.stringify(home)}, env: {} });
		const messages = [{ role: "user", content: "Once.", timestamp: 1 }, { role: "assistant", content: [{ type: "text", text: "Yes." }], timestamp: 2 }];
		const { status } = await weft.commitTurn({ sessionId: "s1", advancementKey: "t1", messages });
		writeSync(1, status);
		if (process.argv[1] === "die") process.kill(process.pid, "SIGKILL");
		await weft.dispose();
	`;
	const run = async (how: string): Promise<string> => {
		const child = spawn(process.execPath, ["--input-type=module", "-e", script, how], { stdio: ["ignore", "pipe", 2] });
		let out = "";
		child.stdout!.on("data", (chunk) => {
			out += chunk;
		});
		await once(child, "close");
		return out.trim();
	};
	const statuses = await Promise.all([run("die"), run("live"), run("live")]);
	assert.deepEqual(statuses.sort(), ["committed", "duplicate", "duplicate"]);
	assert.equal(events("Message").length, 2);
});

test("bootstrap takes over the active branch of an older host's session file, once", async (t) => {
	const { engine, events, cwd } = place(t);
	const lines = [
		{ type: "session", id: "s1", version: 3 },
		{ type: "message", id: "a", parentId: null, message: user("One.", 1) },
		{ type: "message", id: "x", parentId: "a", message: says("On another branch.", 2) },
		{ type: "message", id: "b", parentId: "a", message: says("Two.", 3) },
		{ type: "label", id: "l", parentId: "b", label: "here" },
		{ type: "message", id: "c", parentId: "l", message: user("Three.", 4) },
	];
	const sessionFile = join(cwd, "s1.jsonl");
	writeFileSync(sessionFile, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"torn`);
	const imported = [];
	for (const weft of [engine(), engine()])
		imported.push((await weft.bootstrap({ ...S, sessionFile })).importedMessages);
	assert.deepEqual(imported, [3, 0]);
	const messages = [user("One.", 1), says("Two.", 3), user("Three.", 4)];
	assert.deepEqual((await engine().assemble({ ...S, messages, tokenBudget: BUDGET })).messages, messages);
	assert.equal(events("Message").length, 3);
});

test("rows that were never committed are recorded when the model sees them", async (t) => {
	const { engine, events } = place(t);
	const aborted = { ...says("I was cut", 2), stopReason: "aborted" };
	const messages = [user("One.", 1), aborted, user("Again.", 3)];
	await engine().assemble({ ...S, messages, tokenBudget: BUDGET });
	await engine().commitTurn({ ...S, advancementKey: "t2", messages: [user("Again.", 3), says("Yes.", 4)] });
	assert.deepEqual(
		events("Message").map(({ payload }) => (payload["raw"] as AgentMessage).timestamp),
		[...messages, says("Yes.", 4)].map((message) => (message as AgentMessage)["timestamp"]),
	);
});

test("compact seals what can leave, says how much, and the next request opens with it", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const messages = [...worked(15, 1_000), user("And now?", 500)];
	const before = await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
	assert.deepEqual(before.messages, messages);
	const answer = await weft.compact({ ...S, tokenBudget: BUDGET, force: true, compactionTarget: "budget" });
	assert.deepEqual([answer.ok, answer.compacted], [true, true]);
	const { summary, tokensBefore, tokensAfter } = answer.result!;
	assert.ok(tokensAfter! < tokensBefore, `${tokensAfter} ${tokensBefore}`);
	for (const each of [weft, engine()]) {
		const after = await each.assemble({ ...S, messages, tokenBudget: BUDGET });
		assert.equal(textOf(after.messages[0]), summary);
		assert.ok(after.estimatedTokens < before.estimatedTokens);
	}
	assert.deepEqual(
		events("Seal").map(({ payload }) => payload["why"]),
		["asked"],
	);
});

test("compact says so when nothing changed", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const empty = await weft.compact({ ...S, force: true });
	assert.deepEqual([empty.ok, empty.compacted], [true, false]);
	await weft.ingestBatch({ ...S, messages: [user("Hello.", 1), says("Hello.", 2)] });
	const short = await weft.compact({ ...S, force: true, tokenBudget: BUDGET });
	assert.deepEqual([short.ok, short.compacted], [true, false]);
	await weft.ingestBatch({ ...S, messages: worked(8, 1_000, 10) });
	const within = await weft.compact({ ...S, tokenBudget: BUDGET });
	assert.deepEqual([within.ok, within.compacted], [true, false]);
	assert.match(within.reason ?? "", /within 40000/);
	assert.equal(events("Seal").length, 0);
	const told = await weft.compact({ ...S, tokenBudget: BUDGET, currentTokenCount: 50_000 });
	assert.equal(told.compacted, true);
	let last = told;
	for (let again = 0; last.compacted && again < 5; again++) {
		assert.ok(last.result!.tokensAfter! < last.result!.tokensBefore);
		last = await weft.compact({ ...S, tokenBudget: BUDGET, force: true });
	}
	assert.deepEqual([last.ok, last.compacted], [true, false], "only the newest turn is left, and nothing can leave");
});

test("compact asks the configured models, then the host's, with the user's wishes; a failure leaves the deterministic one", async (t) => {
	const { engine } = place(t);
	const asked: string[] = [];
	const broken: Summariser = {
		name: "test/broken",
		summarise: async () => {
			asked.push("broken");
			throw new Error("401 Unauthorized");
		},
	};
	const weft = engine({ summarisers: [broken] });
	await weft.ingestBatch({ ...S, messages: worked(20, 1_000) });
	const complete = async ({ messages }: { messages: readonly { content: string }[] }) => {
		asked.push(messages[0]!.content.includes("Name every value.") ? "host, with wishes" : "host");
		return { text: "The agent looked into several parts and found their values, value_7 among them." };
	};
	const runtimeContext = { llm: { complete } };
	const answer = await weft.compact({ ...S, force: true, runtimeContext, customInstructions: "Name every value." });
	assert.equal(answer.compacted, true);
	assert.ok(asked.includes("broken") && asked.includes("host, with wishes"), asked.join());
	assert.ok(!asked.includes("host"), asked.join());
	assert.match(answer.result?.summary ?? "", /value_7 among them/, "what the model wrote to the user's words");
});

test("an aborted compaction ends soon and leaves the context as it was", async (t) => {
	const { engine, events } = place(t);
	const abort = new AbortController();
	const slow: Summariser = {
		name: "test/slow",
		summarise: () => {
			abort.abort();
			return new Promise(() => {});
		},
	};
	const weft = engine({ summarisers: [slow] });
	const messages = [...worked(20, 1_000), user("And now?", 500)];
	await weft.ingestBatch({ ...S, messages });
	const answer = await weft.compact({ ...S, force: true, abortSignal: abort.signal });
	assert.deepEqual([answer.ok, answer.compacted], [false, false]);
	assert.equal(events("Seal").length, 0);
	assert.deepEqual(events("Fault"), []);
});

test("a sub-agent is recorded; a spawn that failed is followed by its end; an end told twice is one", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	await weft.ingest({ ...S, message: user("Begin.", 1) });
	const spawn = { parentSessionKey: "agent:main:s1", childSessionKey: "agent:main:child" };
	const prepared = await weft.prepareSubagentSpawn(spawn);
	await prepared?.rollback();
	await prepared?.rollback();
	await weft.prepareSubagentSpawn({ ...spawn, contextMode: "fork", parentSessionId: "s1" });
	await weft.onSubagentEnded({ childSessionKey: "agent:main:child", reason: "completed" });
	await weft.onSubagentEnded({ childSessionKey: "agent:main:child", reason: "completed" });
	await weft.onSubagentEnded({ childSessionKey: "nobody", reason: "swept" });
	assert.deepEqual(
		events("Subagent").map(({ session, payload }) => [session, payload["child"]]),
		[
			["s1", "agent:main:child"],
			["s1", "agent:main:child"],
		],
	);
	assert.deepEqual(
		events("Custom").map(({ session, payload }) => [session, (payload["data"] as { state: string }).state]),
		[
			["s1", "prepared"],
			["s1", "rolled-back"],
			["s1", "prepared"],
			["s1", "completed"],
			["nobody", "swept"],
		],
	);
});

test("a sub-agent of a session's first turn belongs to that session, though none of it was delivered yet", async (t) => {
	const { engine, events } = place(t);
	await engine().assemble({ ...S, messages: [], prompt: "Ask somebody else." });
	await engine().assemble({ ...S, messages: [], prompt: "Ask somebody else." });
	// Another engine, and the host names the parent by its key alone.
	const spawn = {
		parentSessionKey: S.sessionKey,
		childSessionKey: "agent:main:child",
		contextMode: "isolated",
	} as const;
	await engine().prepareSubagentSpawn(spawn);
	const turn = { ...S, advancementKey: "t1", messages: [user("Ask somebody else.", 1), says("Done.", 2)] };
	await engine().commitTurn(turn);
	assert.deepEqual(
		events("Subagent").map(({ session }) => session),
		["s1"],
	);
	assert.equal(events("SessionStarted").length, 1);
});

test("a fork opens with its parent's seed, byte for byte; an isolated child and one that was rolled back do not", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const messages = [...worked(30, 1_000), user("And now?", 500)];
	const parent = await weft.assemble({ ...S, messages, tokenBudget: BUDGET });
	const seed = parent.messages[0];
	const child = async (id: string, contextMode: "fork" | "isolated", rollback = false) => {
		const spawn = { parentSessionKey: S.sessionKey, childSessionKey: `agent:main:${id}`, contextMode };
		const prepared = await weft.prepareSubagentSpawn({ ...spawn, parentSessionId: "s1" });
		if (rollback) await prepared?.rollback();
		const inherited = messages.slice(-6);
		const given = contextMode === "fork" ? [...messages, user("Your task.", 600)] : [...inherited, user("Task.", 600)];
		const session = { sessionId: id, sessionKey: `agent:main:${id}` };
		return engine().assemble({ ...session, messages: given, tokenBudget: 1_000_000 });
	};
	const fork = await child("fork", "fork");
	assert.deepEqual(fork.messages.slice(0, parent.messages.length), parent.messages);
	assert.deepEqual(fork.messages[0], seed);
	assert.equal(events("SessionStarted", "fork")[0]?.payload["parentSession"], "s1");
	assert.notDeepEqual((await child("alone", "isolated")).messages[0], seed);
	assert.notDeepEqual((await child("failed", "fork", true)).messages[0], seed);
	assert.deepEqual([events("Seal", "alone").length, events("Seal", "failed").length], [0, 0]);
});

test("maintain lets the configured models summarise ahead of time, and always answers with an object", async (t) => {
	const { engine, events } = place(t);
	const model: Summariser = {
		name: "test/model",
		summarise: async () => ({ text: "The agent looked into several parts and found their values." }),
	};
	const weft = engine({ summarisers: [model] });
	await weft.ingestBatch({ ...S, messages: worked(60, 1_000) });
	const rewriteTranscriptEntries = async () => assert.fail("the transcript is the host's");
	const answer = await weft.maintain({ ...S, runtimeContext: { rewriteTranscriptEntries } });
	assert.deepEqual([answer.changed, answer.rewrittenEntries], [false, 0]);
	assert.ok(events("Summary").length > 0);
	assert.ok(events("Summary").every(({ payload }) => payload["model"] === "test/model"));
});
