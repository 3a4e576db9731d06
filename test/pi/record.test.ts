/**
 * The thread to a real agent: Pi, headless, works on a repository with weft loaded. What it did is in the log, and on the
 * wire nothing tells that weft was there: in the mode `off` it is a witness and no more.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { openEngine } from "../../src/engine.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import type { ReadQuery } from "../../src/log/types.ts";
import { type ModelRequest, overflow } from "../rig/answer.ts";
import { JUMP_EXTENSION, type PiOptions, type PiRun, runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { startPiRpc } from "../rig/pi-rpc.ts";
import { makePiWorkspace, type PiWorkspace, resetProject, sessionFiles } from "../rig/workspace.ts";
import { ANSWERS, FILES, PROMPTS } from "./scenario.ts";

const THINKING = ["--thinking", "medium"];

/** What weft adds in the other modes has tests of its own: here it is a witness. */
const WITNESS = { WEFT_MODE: "off" };

/** The task from a fresh repository, at the same path every time. */
function work(workspace: PiWorkspace, options: Partial<PiOptions>): Promise<PiRun> {
	resetProject(workspace, FILES);
	const env = { ...WITNESS, ...options.env };
	return runPi({ workspace, script: ANSWERS, prompts: PROMPTS, args: THINKING, ...options, env });
}

function readLog({ project, home }: PiWorkspace, query: ReadQuery = {}): EventRecord[] {
	const engine = openEngine({ cwd: project, host: "test", home, env: {}, readOnly: true });
	try {
		// What a request held only a live session knows: neither Pi's file nor an import tells of it.
		return [...engine.log.read(query)].filter(({ type }) => type !== "Request");
	} finally {
		engine.close();
	}
}

const wireOf = (requests: readonly ModelRequest[]) =>
	requests.map(({ api, path, headers, body }) => ({ api, path, headers, body }));

/** A record without what differs between two logs of the same events: its number, its id, who wrote it. */
function told(records: readonly EventRecord[]) {
	const entries = new Map(records.map(({ seq, entry }) => [seq, entry]));
	return records.map(({ seq: _seq, id: _id, origin: _origin, cause, payload, ...rest }) => ({
		...rest,
		// Which tools were active only a live session knows.
		payload: rest.type === "SessionStarted" ? { ...payload, tools: undefined } : payload,
		cause: cause === null ? null : entries.get(cause),
	}));
}

const entriesOf = (sessionFile: string | undefined) =>
	readFileSync(sessionFile!, "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as { id: string; type: string });

suite("a task in Pi with weft", () => {
	let workspace: PiWorkspace;
	let run: PiRun;
	/** What the log held each time Pi asked the model: [role, tool call ids] of its messages. */
	const heldAtRequest: string[][] = [];

	before(async () => {
		workspace = makePiWorkspace({ files: FILES });
		run = await work(workspace, {
			extensions: [WEFT_EXTENSION],
			script: (_request, index) => {
				heldAtRequest.push(readLog(workspace, { types: ["Message"] }).map(({ payload }) => String(payload["role"])));
				return ANSWERS[index]!;
			},
		});
		assert.equal(run.stderr, "");
		assert.equal(run.requests.length, ANSWERS.length);
	});
	after(() => workspace?.[Symbol.dispose]());

	test("every entry of the session file is in the log, byte for byte and in order", () => {
		const raws = readLog(workspace, { types: ["SessionStarted", "Message", "Entry"] }).map(
			({ payload }) => payload["raw"],
		);
		assert.deepEqual(raws, entriesOf(run.sessionFile));
		assert.equal(`${raws.map((raw) => JSON.stringify(raw)).join("\n")}\n`, readFileSync(run.sessionFile!, "utf8"));
	});

	test("a message is in the log before the next request goes out", () => {
		const round = ["assistant", "toolResult"];
		const begin = ["system", "user"];
		const rounds = [[...round, "toolResult", "toolResult"], round, round, [...round, "toolResult"]];
		const secondRun = [...begin, ...rounds.flat(), "assistant", "user"];
		assert.deepEqual(heldAtRequest, [
			begin,
			...rounds.map((_, index) => [...begin, ...rounds.slice(0, index + 1).flat()]),
			secondRun,
			[...secondRun, ...round],
		]);
	});

	test("calls, results, reads, changes and commands stand beside the messages that caused them", () => {
		const messages = new Map(readLog(workspace, { types: ["Message"] }).map((record) => [record.seq, record]));
		const derived = readLog(workspace).filter(({ cause }) => cause !== null);
		assert.deepEqual(
			derived.map(({ type, entry, payload }) => {
				const { exit, path, status } = payload;
				return [type, entry?.split("/")[1] ?? "", exit ?? path ?? status ?? ""];
			}),
			[
				["UserIntent", "", ""],
				["ToolCalled", "call_read_total", ""],
				["ToolCalled", "call_read_check", ""],
				["ToolCalled", "call_check_1", ""],
				["ToolResult", "call_read_total", "ok"],
				["FileRead", "call_read_total", "src/total.sh"],
				["ToolResult", "call_read_check", "ok"],
				["FileRead", "call_read_check", "check.sh"],
				["ToolResult", "call_check_1", "error"],
				["CommandRun", "call_check_1", 3],
				["ToolCalled", "call_edit_wrong", ""],
				["ToolResult", "call_edit_wrong", "error"],
				["ToolCalled", "call_edit_right", ""],
				["ToolResult", "call_edit_right", "ok"],
				["FileChanged", "call_edit_right", "src/total.sh"],
				["ToolCalled", "call_check_2", ""],
				["ToolCalled", "call_write", ""],
				["ToolResult", "call_check_2", "ok"],
				["CommandRun", "call_check_2", 0],
				["ToolResult", "call_write", "ok"],
				["FileChanged", "call_write", "docs/note.md"],
				["UserIntent", "", ""],
				["ToolCalled", "call_read_name", ""],
				["ToolResult", "call_read_name", "ok"],
				["FileRead", "call_read_name", "docs/名前.md"],
			],
		);
		for (const { cause, entry } of derived) assert.equal(messages.get(cause!)?.entry, entry?.split("/")[0]);
	});

	test("the live log equals the one that importing the session file makes", async () => {
		const home = join(workspace.userHome, "imported");
		const imported = openEngine({ cwd: workspace.project, host: "test", home, env: {} });
		after(() => imported.close());
		const report = await importFile(run.sessionFile!, { readers: READERS, logFor: () => imported.log });
		assert.equal(report.malformedCount, 0);
		assert.deepEqual(told(readLog(workspace)), told([...imported.log.read()]));

		const live = openEngine({ cwd: workspace.project, host: "test", home: workspace.home, env: {} });
		after(() => live.close());
		const again = await importFile(run.sessionFile!, { readers: READERS, logFor: () => live.log });
		assert.deepEqual(
			again.sessions.map(({ events }) => events),
			[0],
		);
	});

	let without: Awaited<ReturnType<typeof work>>;

	test("on the wire are the messages that Pi sends without weft, byte for byte", async () => {
		without = await work(workspace, {});
		const messages = (requests: readonly ModelRequest[]) =>
			requests.map(({ body }) => JSON.stringify((JSON.parse(body) as { messages: unknown }).messages));
		assert.deepEqual(messages(run.requests), messages(without.requests));
		assert.equal(run.stdout, without.stdout);
	});

	test("with a data folder that cannot be, Pi finishes its work, sends the same, and says so once", async () => {
		const home = join(workspace.userHome, "a-file");
		writeFileSync(home, "");
		const broken = await work(workspace, { extensions: [WEFT_EXTENSION], env: { WEFT_HOME: home } });
		assert.deepEqual(wireOf(broken.requests), wireOf(without.requests));
		assert.equal(broken.stdout, run.stdout);
		assert.match(broken.stderr, /^weft: .*a-file.* Pi carries on without weft's record \(session_start\)\.\n$/);
	});

	test("turned off, weft makes no folder and changes nothing", async () => {
		const home = join(workspace.userHome, "never");
		const env = { WEFT_HOME: home, WEFT_ENABLED: "false" };
		const off = await work(workspace, { extensions: [WEFT_EXTENSION], env });
		assert.deepEqual(wireOf(off.requests), wireOf(without.requests));
		assert.equal(off.stderr, "");
		assert.equal(existsSync(home), false);
	});

	test("a session resumed in a new process adds only what is new", async () => {
		const earlier = readLog(workspace);
		const resumed = await runPi({
			workspace,
			script: [
				{ toolCalls: [{ id: "call_again", name: "read", args: { path: "check.sh" } }] },
				{ text: "Still there." },
			],
			prompts: ["And the check?"],
			extensions: [WEFT_EXTENSION],
			env: WITNESS,
			args: [...THINKING, "--session", run.sessionFile!],
		});
		assert.equal(resumed.stderr, "");
		const records = readLog(workspace);
		assert.deepEqual(records.slice(0, earlier.length), earlier);
		assert.deepEqual(
			records.slice(earlier.length).map(({ type }) => type),
			["Message", "UserIntent", "Message", "ToolCalled", "Message", "ToolResult", "FileRead", "Message"],
		);
		const raws = records.flatMap(({ payload }) => ("raw" in payload ? [payload["raw"]] : []));
		assert.deepEqual(raws, entriesOf(run.sessionFile));
	});
});

test("over rpc, sessions that share entries by fork and clone are told apart, and bash, names and levels are kept", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	await using rpc = await startPiRpc({
		workspace,
		extensions: [WEFT_EXTENSION],
		env: WITNESS,
		script: (_request, index) => ({ text: `answer ${index}` }),
	});
	await rpc.prompt("one");
	await rpc.command("bash", { command: "echo by hand; exit 4" });
	await rpc.command("set_session_name", { name: "A name" });
	await rpc.command("set_thinking_level", { level: "high" });
	await rpc.command("clone");
	await rpc.prompt("two");
	const { messages } = (await rpc.command("get_fork_messages")) as { messages: { entryId: string; text: string }[] };
	await rpc.command("fork", { entryId: messages.find(({ text }) => text === "two")!.entryId });
	await rpc.prompt("three");
	await rpc.command("new_session");
	const { code, stderr } = await rpc.end();
	assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
	assert.deepEqual(
		rpc.records.filter((record) => record.type === "extension_error" || record["method"] === "notify"),
		[],
	);

	const records = readLog(workspace);
	const files = sessionFiles(workspace);
	const sessions = Map.groupBy(records, ({ session }) => session);
	assert.equal(sessions.size, 3);
	assert.deepEqual(
		[...sessions.values()].map((events) => events.flatMap(({ payload }) => ("raw" in payload ? [payload["raw"]] : []))),
		files.map(entriesOf),
	);
	const users = [...sessions.values()].map((events) =>
		events.filter(({ type }) => type === "UserIntent").map(({ payload }) => payload["text"]),
	);
	assert.deepEqual(users, [["one"], ["one", "two"], ["one", "three"]]);
	const [command] = records.filter(({ type }) => type === "CommandRun");
	assert.deepEqual([command?.payload["by"], command?.payload["exit"]], ["user", 4]);
	const shared = [...sessions.values()].map((events) => events.find(({ type }) => type === "Message")?.entry);
	assert.equal(new Set(shared).size, 1);
});

test("tree jumps, compaction by hand and an overflow that Pi recovers from are in the log as they are in the file", async () => {
	using workspace = makePiWorkspace({ files: FILES, piSettings: { compaction: { keepRecentTokens: 30 } } });
	let overflows = 0;
	const long = "A long answer, so that there is something to leave out. ".repeat(20);
	await using rpc = await startPiRpc({
		workspace,
		extensions: [WEFT_EXTENSION, JUMP_EXTENSION],
		env: WITNESS,
		script: ({ api, body }, index) => {
			const tooLong = overflows === 0 && body.includes('"three"');
			if (tooLong) overflows++;
			return tooLong ? overflow(api, 200_000) : { text: `${index}: ${long}` };
		},
	});
	await rpc.prompt("one");
	await rpc.prompt("two");
	const { entries } = (await rpc.command("get_entries")) as { entries: { id: string; message?: { role: string } }[] };
	const firstAnswer = entries.find(({ message }) => message?.role === "assistant")!;
	await rpc.command("prompt", { message: `/jump ${firstAnswer.id}` });
	await rpc.prompt("two, another way");
	await rpc.command("compact");
	await rpc.prompt("three");
	assert.deepEqual(await rpc.end(), { code: 0, stderr: "" });

	const records = readLog(workspace);
	const raws = records.flatMap(({ payload }) => ("raw" in payload ? [payload["raw"]] : []));
	assert.deepEqual(raws, entriesOf(sessionFiles(workspace)[0]));
	const kinds = new Set(records.filter(({ type }) => type === "Entry").map(({ payload }) => payload["kind"]));
	assert.deepEqual(kinds, new Set(["model_change", "thinking_level_change", "compaction", "context_edit"]));
	const children = records.filter(({ type, payload }) => type === "Message" && payload["parent"] === firstAnswer.id);
	assert.equal(children.length, 2);
});

test("a session that Pi does not save is recorded too, also with a model that speaks OpenAI's format", async () => {
	using workspace = makePiWorkspace({ files: FILES });
	const run = await work(workspace, {
		api: "openai-completions",
		extensions: [WEFT_EXTENSION],
		args: [...THINKING, "--no-session"],
	});
	assert.equal(run.requests.length, ANSWERS.length);
	assert.deepEqual(sessionFiles(workspace), []);
	const types = readLog(workspace).map(({ type }) => type);
	assert.equal(types.filter((type) => type === "ToolResult").length, 8);
	assert.equal(types.filter((type) => type === "Message").length, 2 + 7 + 8 + 1);
});
