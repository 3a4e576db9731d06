import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, NOON, place, result, says, user } from "./rig.ts";

const S = { sessionId: "s1", sessionKey: "agent:main:s1" };

test("case 31: the same message twice is one", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const message = user("Begin.", 1);
	assert.deepEqual(
		[await weft.ingest({ ...S, message }), await weft.ingest({ ...S, message: structuredClone(message) })],
		[{ ingested: true }, { ingested: false }],
	);
	assert.equal(events("Message").length, 1);
});

test("what the host adds to a message when it saves it makes no other message of it", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	await weft.ingest({ ...S, message: user("Begin.", 1) });
	const saved = { ...user("Begin.", 1), content: [{ type: "text", text: "Begin." }], __openclaw: { runId: "r" } };
	assert.deepEqual(await weft.ingest({ ...S, message: { ...saved, idempotencyKey: "t1:user" } }), { ingested: false });
	assert.equal(events("Message").length, 1);
});

test("case 32: one time and the same long beginning, but another end, are two", async (t) => {
	const { engine } = place(t);
	const weft = engine();
	const start = "x".repeat(400);
	const messages = [user(`${start} one`, 1), user(`${start} two`, 1)];
	assert.deepEqual(await weft.ingestBatch({ ...S, messages }), { ingestedCount: 2 });
});

test("case 33: the same words at another time, or under another id, are said twice", async (t) => {
	const { engine } = place(t);
	const weft = engine();
	const messages = [user("Go on.", 1), says("Done.", 2), user("Go on.", 3)];
	assert.deepEqual(await weft.ingestBatch({ ...S, messages }), { ingestedCount: 3 });
	const named = [
		{ ...user("Same."), id: "a" },
		{ ...user("Same."), id: "b" },
		{ ...user("Same."), id: "a" },
	];
	const counts = [];
	for (const message of named) counts.push((await weft.ingest({ ...S, message })).ingested);
	assert.deepEqual(counts, [true, true, false]);
});

test("words without a time, said again in the same place, are the same; later, others", async (t) => {
	const { engine } = place(t);
	const weft = engine();
	const ingested = [];
	for (const message of [user("yes"), user("yes"), says("Done."), user("yes")]) {
		ingested.push((await weft.ingest({ ...S, message })).ingested);
	}
	assert.deepEqual(ingested, [true, false, true, true]);
	const path = [user("yes"), says("Done."), user("yes"), says("Again.")];
	await weft.afterTurn({ ...S, messages: path, prePromptMessageCount: 2 });
	await weft.afterTurn({ ...S, messages: path, prePromptMessageCount: 2 });
	assert.equal((await weft.ingest({ ...S, message: says("Again.") })).ingested, false);
});

test("case 34: a call without the session's file or key takes nothing away", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	await weft.ingest({ ...S, message: user("Begin.", 1) });
	await weft.ingest({ sessionId: "s1", message: says("Yes.", 2) });
	assert.deepEqual(
		events("SessionStarted").map(({ payload }) => payload["raw"]),
		[{ sessionId: "s1", sessionKey: "agent:main:s1" }],
	);
});

test("case 35: of a batch only what is not there yet is added; without proof, everything", async (t) => {
	const { engine } = place(t);
	const weft = engine();
	const stored = [user("One."), says("Two."), user("Three.")];
	assert.deepEqual(await weft.ingestBatch({ ...S, messages: stored }), { ingestedCount: 3 });
	const overlapping = [says("Two."), user("Three."), says("Four.")];
	assert.deepEqual(await weft.ingestBatch({ ...S, messages: overlapping }), { ingestedCount: 1 });
	assert.deepEqual(await weft.ingestBatch({ ...S, messages: overlapping }), { ingestedCount: 0 });
	const unproven = [user("One."), says("Five.")];
	assert.deepEqual(await weft.ingestBatch({ ...S, messages: unproven }), { ingestedCount: 2 });
});

test("case 36: a call id that is used again keeps both results", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const messages = [
		user("Twice."),
		calls("c1", "date"),
		result("c1", "same"),
		user("Again."),
		calls("c1", "date"),
		result("c1", "same"),
	];
	assert.deepEqual(await weft.ingestBatch({ ...S, messages }), { ingestedCount: 6 });
	assert.equal(events("ToolResult").length, 2);
});

test("case 62: a result that comes before its call is kept", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const messages = [user("Run it.", 1), result("c1", "early", 2), calls("c1", "late", 3)];
	assert.deepEqual(await weft.ingestBatch({ ...S, messages }), { ingestedCount: 3 });
	assert.deepEqual(
		events("Message").map(({ payload }) => payload["role"]),
		["user", "toolResult", "assistant"],
	);
});

test("messages come back byte for byte, with fields that nobody knows", async (t) => {
	const { engine, look, events } = place(t);
	const weft = engine();
	const message = {
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "…", thinkingSignature: "sig" },
			{ type: "image", data: "aGk=", mimeType: "image/png" },
		],
		providerReplay: { opaque: [1, null, "\u2028"] },
		timestamp: NOON,
	};
	await weft.ingest({ ...S, message });
	const [stored] = events("Message");
	assert.equal(
		look(({ log }) => log.rawText(stored!.seq)),
		JSON.stringify(message),
	);
});

test("what a message means is recorded with it: the intent, and commands by their call", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	await weft.ingest({ ...S, message: user("Run the tests.", 1) });
	await weft.ingest({ ...S, message: calls("c1", "npm test", 2) });
	// From another instance, which has not seen the call.
	await engine().ingest({ ...S, message: { ...result("c1", "ok", 3), details: { exitCode: 0 } } });
	assert.deepEqual(
		events("UserIntent").map(({ payload }) => payload["text"]),
		["Run the tests."],
	);
	const [run] = events("CommandRun");
	assert.equal(run?.payload["command"], "npm test");
	assert.equal(run?.session, "s1");
	assert.equal(run?.host, "openclaw");
});

test("a heartbeat is kept, and is no part of the conversation", async (t) => {
	const { engine, events, look } = place(t);
	const weft = engine();
	await weft.ingest({ ...S, message: user("Begin.", 1) });
	const messages = [user("[OpenClaw heartbeat poll]", 2), says("HEARTBEAT_OK", 3)];
	assert.deepEqual(await weft.ingestBatch({ ...S, messages, isHeartbeat: true }), { ingestedCount: 2 });
	assert.deepEqual([events("Message").length, events("UserIntent").length, events("Entry").length], [1, 1, 2]);
	const path = look(({ history }) => history.path({ session: "s1", host: "openclaw" }).runs.flat());
	assert.equal(path.length, 1);
});

test("two sessions do not mix, at once and with the same words", async (t) => {
	const { engine, events } = place(t);
	const [one, two] = [engine(), engine()];
	const other = { sessionId: "s2", sessionKey: "agent:main:s2" };
	await Promise.all(
		Array.from({ length: 20 }, (_, at) => [
			one.ingest({ ...S, message: user(`Message ${at}`, at) }),
			two.ingest({ ...other, message: user(`Message ${at}`, at) }),
			two.ingest({ ...S, message: user(`Message ${at}`, at) }),
		]).flat(),
	);
	assert.deepEqual([events("Message", "s1").length, events("Message", "s2").length], [20, 20]);
});
