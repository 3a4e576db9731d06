import assert from "node:assert/strict";
import test from "node:test";
import { HostMode } from "./host-mode.ts";
import type { Compaction, SentMessage } from "./path.ts";
import type { PlannedRequest } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";

const CALL = {} as RecordedCall;
const FIXED = 1_000;

test("the host sends its whole history as long as it fits", () => {
	const messages = [user("u1", 30_000), answer("a1", 30_000), user("u2", 10)];
	const request = plan(new HostMode(200_000, FIXED), messages);
	assert.deepEqual([ids(request), request.summarised, request.reason], [["u1", "a1", "u2"], 0, undefined]);
});

test("near the window's end it keeps about 20,000 tokens, never from a result on, and the summariser is paid", () => {
	const host = new HostMode(60_000, FIXED);
	const messages = [user("u1", 20_000), answer("a1", 5_000), result("r1", 12_000), answer("a2", 9_000), user("u2", 10)];
	const request = plan(host, messages);
	assert.deepEqual(ids(request), ["summary", "a2", "u2"]);
	assert.equal(request.summarised, 37_000);
	assert.equal(request.reason, "the host compacted");
	assert.ok(request.messages[0]!.tokens <= 2_004);
	const next = plan(host, [...messages, answer("a3", 10), user("u3", 10)]);
	assert.deepEqual([ids(next), next.summarised], [["summary", "a2", "u2", "a3", "u3"], 0]);
	assert.equal(next.messages[0]!.key, request.messages[0]!.key);
	assert.equal(next.reason, undefined);
	assert.equal(host.seals, 1);
});

test("a recorded compaction stands where it was, with what it kept, and is paid once", () => {
	const host = new HostMode(200_000, FIXED);
	const messages = [user("u1", 100), answer("a1", 200), user("u2", 300), answer("a2", 50), user("u3", 10)];
	const compactions = [{ id: "e-9", at: 4, summary: "they talked", firstKept: "u2" }];
	const first = plan(host, messages, compactions);
	assert.deepEqual([ids(first), first.summarised], [["summary", "u2", "a2", "u3"], 300]);
	const next = plan(host, [...messages, answer("a3", 10), user("u4", 10)], compactions);
	assert.deepEqual(
		[ids(next), next.summarised, next.reason],
		[["summary", "u2", "a2", "u3", "a3", "u4"], 0, undefined],
	);
});

test("what grows too long after a recorded compaction is compacted again", () => {
	const host = new HostMode(60_000, FIXED);
	const compactions = [{ id: "e-9", at: 1, summary: "they talked", firstKept: undefined }];
	const messages = [user("u1", 100), answer("a1", 30_000), user("u2", 15_000), answer("a2", 50), user("u3", 10)];
	const request = plan(host, messages, compactions);
	assert.deepEqual(ids(request), ["summary", "u2", "a2", "u3"]);
	assert.equal(host.seals, 2);
});

function plan(
	host: HostMode,
	messages: readonly SentMessage[],
	compactions: readonly Compaction[] = [],
): PlannedRequest {
	return host.plan(CALL, { messages, compactions, jumped: false });
}

function ids(request: PlannedRequest): string[] {
	return request.messages.map((message) => ("id" in message ? String(message.id) : "summary"));
}

const user = (id: string, tokens: number) => message(id, "user", tokens);
const answer = (id: string, tokens: number) => message(id, "assistant", tokens);
const result = (id: string, tokens: number) => message(id, "toolResult", tokens);

function message(id: string, role: string, tokens: number): SentMessage {
	const text = id.repeat(10_000);
	return { id, seq: 1, ts: 0, role, asks: role === "user", wire: { role, content: text }, key: id, text, tokens };
}
