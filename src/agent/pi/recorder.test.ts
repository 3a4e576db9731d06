import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { type Engine, openEngine } from "../../engine.ts";
import { READERS } from "../agents.ts";
import { importFile } from "../recorded/import.ts";
import { PiRecorder } from "./recorder.ts";

let folder: string;
let engine: Engine;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "weft-recorder-"));
	engine = openEngine({ cwd: folder, host: "pi", home: join(folder, "home"), env: {} });
});
afterEach(() => {
	engine.close();
	rmSync(folder, { recursive: true });
});

const user = (text: string) => ({ role: "user" as const, content: text, timestamp: 0 });

const usage = {
	input: 1,
	output: 1,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 2,
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const calls = (id: string, path: string) => ({
	role: "assistant" as const,
	content: [{ type: "toolCall" as const, id, name: "read", arguments: { path } }],
	api: "anthropic-messages" as const,
	provider: "p",
	model: "m",
	usage,
	stopReason: "toolUse" as const,
	timestamp: 0,
});
/** JSON by its type; a cycle in it is what no type can forbid. */
interface Details {
	[key: string]: Details;
}
const result = (toolCallId: string, text: string, more: { details?: Details } = {}) => ({
	role: "toolResult" as const,
	toolCallId,
	toolName: "read",
	content: [{ type: "text" as const, text }],
	isError: false,
	timestamp: 0,
	...more,
});

const recorded = () =>
	[...engine.log.read()].map(({ type, payload }) => [type, payload["role"] ?? payload["where"] ?? ""]);

test("the start of a session names the tools that the model has", () => {
	const session = SessionManager.inMemory(folder);
	session.appendMessage(user("hello"));
	new PiRecorder(engine, { tools: () => ["read", "lcm_grep"] }).follow(session);
	const [started] = engine.log.read({ types: ["SessionStarted"] });
	assert.deepEqual(started!.payload["tools"], ["read", "lcm_grep"]);
});

test("a session in which nothing was said is not begun", () => {
	const session = SessionManager.inMemory(folder);
	session.appendModelChange("p", "m");
	const recorder = new PiRecorder(engine);
	recorder.catchUp(session);
	recorder.follow(session);
	assert.deepEqual(recorded(), []);
	session.appendMessage(user("hello"));
	recorder.follow(session);
	assert.deepEqual(recorded(), [
		["SessionStarted", ""],
		["Entry", ""],
		["Message", "user"],
		["UserIntent", ""],
	]);
});

test("entries that a passing failure held back are recorded later, and so is the failure", async () => {
	let broken = true;
	const recorder = new PiRecorder({
		...engine,
		record: (events) => {
			if (broken) throw new Error("disk full");
			return engine.record(events);
		},
	});
	const session = SessionManager.inMemory(folder);
	session.appendMessage(user("one"));
	assert.throws(() => recorder.follow(session), /disk full/);
	recorder.fault({ where: "turn_end", code: "disk-full", message: "disk full" });
	session.appendMessage(user("two"));
	recorder.follow(session);
	assert.deepEqual(recorded(), [], "it waits a while before it tries again");
	broken = false;
	await recorder.end(session);
	engine = openEngine({ cwd: folder, host: "pi", home: join(folder, "home"), env: {} });
	assert.deepEqual(recorded(), [
		["SessionStarted", ""],
		["Message", "user"],
		["UserIntent", ""],
		["Message", "user"],
		["UserIntent", ""],
		["Fault", "turn_end"],
	]);
});

test("an entry that cannot be recorded leaves a fault and does not block the rest", () => {
	const session = SessionManager.inMemory(folder);
	const details: Details = {};
	details["self"] = details;
	session.appendMessage(user("one"));
	session.appendMessage(result("c", "text", { details }));
	session.appendMessage(user("two"));
	new PiRecorder(engine).follow(session);
	assert.deepEqual(recorded(), [
		["SessionStarted", ""],
		["Message", "user"],
		["UserIntent", ""],
		["Fault", "translate"],
		["Message", "user"],
		["UserIntent", ""],
	]);
});

test("a result that comes after a resume is understood by the call that came before it", () => {
	const session = SessionManager.inMemory(folder);
	session.appendMessage(user("read it"));
	session.appendMessage(calls("c1", "a.txt"));
	new PiRecorder(engine).catchUp(session);
	const before = recorded().length;
	session.appendMessage(result("c1", "one\n"));
	new PiRecorder(engine).catchUp(session);
	assert.deepEqual(
		[...engine.log.read()].slice(before).map(({ type, payload }) => [type, payload["path"]]),
		[
			["Message", undefined],
			["ToolResult", undefined],
			["FileRead", "a.txt"],
		],
	);
});

test("catchUp records entries left on another branch", () => {
	const session = SessionManager.inMemory(folder);
	const first = session.appendMessage(user("one"));
	const recorder = new PiRecorder(engine);
	recorder.catchUp(session);
	session.appendMessage(user("left behind"));
	session.branch(first);
	session.appendMessage(user("other way"));
	recorder.catchUp(session);
	recorder.catchUp(session);
	const intents = [...engine.log.read({ types: ["UserIntent"] })].map(({ payload }) => payload["text"]);
	assert.deepEqual(intents, ["one", "left behind", "other way"]);
});

test("a session of format 1 that was imported, then opened and migrated by Pi, adds only what is new", async () => {
	const file = join(folder, "session.jsonl");
	const lines = [
		{ type: "session", id: "old", timestamp: "2025-11-01T10:00:00.000Z", cwd: folder },
		{ type: "message", timestamp: "2025-11-01T10:00:01.000Z", message: user("long ago") },
		{ type: "message", timestamp: "2025-11-01T10:00:02.000Z", message: calls("c1", "a.txt") },
	];
	writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	await importFile(file, { readers: READERS, logFor: () => engine.log });
	const imported = recorded();

	const session = SessionManager.open(file);
	new PiRecorder(engine).catchUp(session);
	assert.deepEqual(recorded(), imported);
	session.appendMessage(result("c1", "one\n"));
	new PiRecorder(engine).catchUp(session);
	const added = [...engine.log.read()].slice(imported.length);
	assert.deepEqual(
		added.map(({ type, payload }) => [type, payload["parent"] ?? payload["path"]]),
		[
			["Message", "v1:3"],
			["ToolResult", undefined],
			["FileRead", "a.txt"],
		],
	);
});

test("when the data folder is deleted under a running session, the next entry says so, and a new log gets all of it", () => {
	const session = SessionManager.inMemory(folder);
	const recorder = new PiRecorder(engine);
	session.appendMessage(user("one"));
	recorder.follow(session);
	rmSync(join(folder, "home"), { recursive: true });
	session.appendMessage(user("two"));
	// Appends within five milliseconds look once.
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
	assert.throws(() => recorder.follow(session), /was deleted or replaced while it was in use\. .*Restart the session/);
	engine.close();
	engine = openEngine({ cwd: folder, host: "pi", home: join(folder, "home"), env: {} });
	new PiRecorder(engine).catchUp(session);
	assert.equal(recorded().filter(([type]) => type === "Message").length, 2);
});
