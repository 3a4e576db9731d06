import assert from "node:assert/strict";
import { test } from "node:test";
import { asObject, type JsonObject } from "../../base/json/read.ts";
import { codexReader } from "./reader.ts";
import { CodexTranslator, codexSession } from "./translate.ts";

/** Each message and compaction with the one that it follows, in the order in which they were made. */
function followed(lines: readonly JsonObject[]): (readonly [string, string | undefined])[] {
	const translator = new CodexTranslator("thread");
	return lines.flatMap((line) =>
		translator.translate(line, JSON.stringify(line)).flatMap(({ type, entry, payload }) => {
			const { kind, parent } = asObject(payload) as { readonly kind?: string; readonly parent?: string };
			const isShown = type === "Message" || kind === "compaction";
			return isShown ? [[entry!.replace(/ .*/, ""), parent?.replace(/ .*/, "")] as const] : [];
		}),
	);
}

let time = 0;
const line = (type: string, payload: JsonObject): JsonObject => ({
	timestamp: new Date(Date.UTC(2026, 0, 1) + ++time * 1_000).toISOString(),
	type,
	payload,
});
const said = (id: string, role: string, text = id) =>
	line("response_item", { type: "message", id, role, content: [{ type: "input_text", text }] });
const event = (type: string, more: JsonObject = {}) => line("event_msg", { type, ...more });
const turn = (n: number) => [
	event("task_started"),
	said(`notice${n}`, "user", "<environment_context>today</environment_context>"),
	said(`ask${n}`, "user"),
	said(`answer${n}`, "assistant"),
	event("task_complete"),
];
const goBack = (turns: number) => event("thread_rolled_back", { num_turns: turns });
const meta = line("session_meta", { id: "thread", cwd: "/w", base_instructions: { text: "Be kind." } });

test("what follows a rollback hangs on the message before the turns that were taken back", () => {
	const lines = [meta, ...turn(1), ...turn(2), ...turn(3), goBack(2), ...turn(4)];
	const parents = new Map(followed(lines));
	assert.equal(parents.get("notice3"), "answer2");
	assert.equal(parents.get("notice4"), "answer1");
	assert.equal(parents.get("ask4"), "notice4");
});

test("a rollback counts each message of the user's, also two in one turn, and an answer that was not whole", () => {
	const steered = [event("task_started"), said("ask2", "user"), said("answer2", "assistant"), said("ask2b", "user")];
	const parents = new Map(followed([meta, ...turn(1), ...steered, said("half", "assistant"), goBack(1), ...turn(3)]));
	assert.equal(parents.get("half"), "ask2b");
	assert.equal(parents.get("notice3"), "answer2");
	const twice = new Map(followed([meta, ...turn(1), ...turn(2), goBack(1), goBack(1), ...turn(3)]));
	assert.equal(twice.get("notice3"), "system");
});

test("a rollback ends at the beginning, or at the summary that stands for it", () => {
	assert.equal(new Map(followed([meta, ...turn(1), goBack(9), ...turn(2)])).get("notice2"), "system");
	const compacted = line("compacted", { message: "Short.", replacement_history: [] });
	const parents = new Map(followed([meta, ...turn(1), compacted, ...turn(2), goBack(9), ...turn(3)]));
	assert.equal(parents.get("notice3"), "compaction");
	assert.equal(new Map(followed([meta, ...turn(1), goBack(0), ...turn(2)])).get("notice2"), "answer1");
});

test("a sub-agent of an older version names its parent in its source", () => {
	const source = { subagent: { thread_spawn: { parent_thread_id: "root", depth: 1 } } };
	assert.equal(codexSession({ id: "child", session_id: "root", source }), "root/child");
	assert.equal(codexSession({ id: "child", source }), "root/child");
	assert.equal(codexSession({ id: "alone", source: "cli" }), "alone");
});

test("the oldest rollouts hold bare items: they are read in the order in which they stand, in their folder", () => {
	const id = "11111111-2222-3333-4444-555555555555";
	const message = (role: string, text: string) => ({ type: "message", role, content: [{ type: "input_text", text }] });
	const lines: JsonObject[] = [
		{ id, timestamp: "2025-07-01T10:00:00.000Z", instructions: null },
		{ record_type: "state" },
		message("user", "<environment_context>\nCurrent working directory: /w/app\nApproval policy: never"),
		message("user", "Run the tests."),
		{ type: "function_call", name: "shell", call_id: "c1", arguments: '{"command":["npm","test"]}' },
		{ type: "function_call_output", call_id: "c1", output: "ok" },
		message("assistant", "They pass."),
		message("user", "Thanks."),
	];
	const file = { path: "/x/rollout.jsonl", name: "rollout.jsonl" };
	const found = codexReader.ofLines!(lines, file, true)!;
	assert.deepEqual([found.session, found.cwd], [id, "/w/app"]);
	const translate = found.open({ read: () => [] }, () => {});
	const made = lines.flatMap((each, at) => translate(each, JSON.stringify(each), at + 1));
	const roles = made.flatMap(({ type, payload }) => (type === "Message" ? [asObject(payload)?.["role"]] : []));
	assert.deepEqual(roles, ["user", "user", "assistant", "toolResult", "assistant", "user"]);
	const last = { ...message("assistant", "Bye."), id: "bye" };
	const end = translate(last, JSON.stringify(last), lines.length + 1);
	assert.deepEqual(
		end.map(({ type, entry }) => [type, entry?.replace(/:.*/, "")]),
		[
			["Entry", "sha256"],
			["Message", "bye"],
		],
		"nothing comes after the last answer that would end it",
	);
	assert.equal(asObject(made[0]?.payload)?.["cwd"], "/w/app");
	assert.ok(made.every(({ ts }) => ts === Date.UTC(2025, 6, 1, 10)));
});

const ROOT = "019e7044-8800-7001-8000-000000000001";
const FORK = "019e707b-7680-7004-8000-000000000004";
const count = (total: number) =>
	event("token_count", {
		info: { total_token_usage: { total_tokens: total }, last_token_usage: { input_tokens: 90, output_tokens: 10 } },
	});
const ranTurn = (turn_id: string, n: number) => [
	event("task_started", { turn_id }),
	said(`ask${n}`, "user"),
	said(`answer${n}`, "assistant"),
	count(n * 100),
	event("task_complete"),
];
/** Written at once, with the time of the copy. */
const copied = (lines: readonly JsonObject[]) =>
	lines.map((each) => ({ ...each, timestamp: "2026-01-01T00:00:00.003Z" }));

function made(session: string, lines: readonly JsonObject[]) {
	const translator = new CodexTranslator(session);
	const events = lines.flatMap((each) => translator.translate(each, JSON.stringify(each)));
	const counted = events.flatMap(({ type, raw, entry }) =>
		type === "Message" && raw?.includes('"usage":{') ? [entry] : [],
	);
	const intents = events.flatMap(({ type, cause }) => (type === "UserIntent" ? [asObject(cause)?.["message"]] : []));
	const starts = events.filter(({ type }) => type === "SessionStarted").map(({ payload }) => asObject(payload));
	return { events, counted, intents, starts };
}

test("what an older fork holds of its parent's lines is a copy: without usage, and nothing is derived from it again", () => {
	const head = (id: string, more: JsonObject = {}) => line("session_meta", { id, cwd: "/w", ...more });
	const parent = [head(ROOT), ...ranTurn("019e7044-8be8-7002-8000-000000000002", 1)];
	const own = ranTurn("019e707b-8a08-7005-8000-000000000005", 2);
	const fork = made(FORK, [head(FORK, { forked_from_id: ROOT }), ...copied(parent), ...own]);
	assert.deepEqual(fork.counted, ["answer2"]);
	assert.deepEqual(fork.intents, ["ask2"]);
	assert.deepEqual(fork.starts, [{ cwd: "/w", parentSession: ROOT, format: undefined }]);
	const copies = fork.events.flatMap(({ raw, entry }) => (raw?.includes('"isCopy":true') ? [entry] : []));
	assert.deepEqual(copies, ["ask1", "answer1"]);
	const alone = made(ROOT, parent);
	assert.deepEqual([alone.counted, alone.intents], [["answer1"], ["ask1"]]);
	// Without the ids of turns the pause after the copy tells.
	const unnamed = (lines: readonly JsonObject[]) =>
		lines.map((each) => ({ ...each, payload: { ...asObject(each["payload"]), turn_id: "1" } }));
	assert.deepEqual(made(FORK, [head(FORK), ...copied(unnamed(parent)), ...unnamed(own)]).counted, ["answer2"]);
});

test("a sub-agent that was given its parent's history stays a sub-agent", () => {
	const source = { subagent: { thread_spawn: { parent_thread_id: ROOT } } };
	const parent = [line("session_meta", { id: ROOT, cwd: "/w" }), ...ranTurn("019e7044-8be8-7002-8000-000000000002", 1)];
	const own = ranTurn("019e707b-7680-7005-8000-000000000005", 2);
	const child = made(`${ROOT}/${FORK}`, [
		line("session_meta", { id: FORK, cwd: "/w", source }),
		...copied(parent),
		...own,
	]);
	assert.deepEqual([child.counted, child.intents], [["answer2"], []]);
	// The parent's user said the words of the copy; the parent says what the sub-agent is to do.
	const byAgent = child.events.flatMap(({ type, raw, entry }) =>
		type === "Message" && raw?.includes('"role":"user"') ? [[entry, raw.includes('"attribution":"agent"')]] : [],
	);
	assert.deepEqual(byAgent, [
		["ask1", false],
		["ask2", true],
	]);
});

test("the usage of an older version's summary counts, though no item of it is in the file", () => {
	const compacted = line("compacted", { message: "Short.", replacement_history: [] });
	const { counted } = made("thread", [meta, ...ranTurn("1", 1), count(200), count(200), compacted, ...ranTurn("2", 3)]);
	assert.deepEqual(
		counted.map((entry) => entry?.replace(/ .*/, "")),
		["answer1", "usage", "answer3"],
	);
});

/** What a session did, besides its messages. */
function deeds(lines: readonly JsonObject[]): string[] {
	const translator = new CodexTranslator("thread");
	return lines.flatMap((each) =>
		translator.translate(each, JSON.stringify(each)).flatMap(({ type, payload }) => {
			const of = asObject(payload) ?? {};
			if (type === "FileRead") return [`read ${of["path"]} ${of["from"]}-${of["to"]}`];
			if (type === "CommandRun") return [`run ${of["command"]} = ${of["exit"]}`];
			if (type === "FileChanged") return [`${of["kind"]} ${of["path"]}`];
			return type === "Subagent" ? [`child ${of["child"]}`] : [];
		}),
	);
}

const ran = (id: string, input: JsonObject, output: string) => [
	line("response_item", {
		type: "function_call",
		name: "exec_command",
		call_id: id,
		arguments: JSON.stringify(input),
	}),
	line("response_item", { type: "function_call_output", call_id: id, output }),
];
const scripted = (id: string, input: string, output: JsonObject[] | string, ...between: readonly JsonObject[]) => [
	line("response_item", { type: "custom_tool_call", name: "exec", call_id: id, input }),
	...between,
	line("response_item", { type: "custom_tool_call_output", call_id: id, output }),
];
const HEAD = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 9\nOutput:\n";
const shown = (...texts: readonly string[]) =>
	["Script completed\nWall time 0.1 seconds\nOutput:\n", ...texts].map((text) => ({ type: "input_text", text }));

test("a command that prints a file reads it, in its folder, without a word of Codex about it", () => {
	const lines = [
		meta,
		...ran("c1", { cmd: "sed -n '5,6p' a.go", workdir: "/w/pkg" }, `${HEAD}one\ntwo\n`),
		...ran("c2", { cmd: ["bash", "-lc", "nl -ba b.go | sed -n 7,9p"] }, `Command: x\n${HEAD}     7\tx\n     8\ty\n`),
		...ran("c3", { cmd: "cat c.go" }, HEAD.replace("code 0", "code 1")),
		event("task_complete"),
	];
	assert.deepEqual(deeds(lines), [
		"run sed -n '5,6p' a.go = 0",
		"read pkg/a.go 5-6",
		"run nl -ba b.go | sed -n 7,9p = 0",
		"read b.go 7-8",
		"run cat c.go = 1",
	]);
});

const PATCH = "*** Begin Patch\n*** Update File: a.go\n@@\n-one\n+uno\n*** End Patch";

test("a script's commands, reads and patches are seen in its text", () => {
	const lines = [
		meta,
		...scripted("s1", 'const r = await tools.exec_command({cmd: "cat a.go"}); text(r.output);', shown("one\ntwo\n")),
		...scripted("s2", `text(await tools.apply_patch(${JSON.stringify(PATCH)}));`, shown("{}")),
		...scripted(
			"s3",
			'text(await tools.exec_command({cmd: "head -1 a.go"}))',
			shown(JSON.stringify({ chunk_id: "1", exit_code: 0, output: "uno\n" })),
		),
		...scripted("s4", `await tools.apply_patch(${JSON.stringify(PATCH)})`, "Script failed\nWall time 0\nOutput:\nno"),
		...scripted("s5", 'text(await tools.spawn_agent({message: "Look."}))', shown('{"agent_id":"kid"}')),
		event("task_complete"),
	];
	assert.deepEqual(deeds(lines), [
		"run cat a.go = null",
		"read a.go 1-2",
		"edit a.go",
		"run head -1 a.go = 0",
		"read a.go 1-1",
		"child thread/kid",
	]);
});

test("Codex's own notes on the calls of a script win over its text", () => {
	const item = (of: JsonObject) => event("item_completed", { item: of });
	const lines = [
		meta,
		...scripted(
			"s1",
			"for (const cmd of all) await tools.exec_command({cmd})",
			shown("x"),
			item({ type: "CommandExecution", id: "n1", command: ["bash", "-lc", "make"], exit_code: 2 }),
			item({ type: "FileChange", id: "n2", changes: { "/w/b.go": { type: "add", content: "x\n" } } }),
		),
		...scripted("s2", 'await tools.exec_command({cmd: "make"})', "Script running with cell ID 7\nOutput:\n"),
		line("response_item", { type: "function_call", name: "wait", call_id: "w1", arguments: '{"cell_id":"7"}' }),
		item({ type: "CommandExecution", id: "n3", command: ["bash", "-lc", "make"], exit_code: 0 }),
		line("response_item", { type: "function_call_output", call_id: "w1", output: "Script completed\nOutput:\n" }),
		event("task_complete"),
	];
	assert.deepEqual(deeds(lines), ["run make = 2", "write b.go", "run make = 0"]);
});
