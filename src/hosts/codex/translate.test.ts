import assert from "node:assert/strict";
import { test } from "node:test";
import { asObject, type JsonObject } from "../../json/read.ts";
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
	assert.equal(asObject(made[0]?.payload)?.["cwd"], "/w/app");
	assert.ok(made.every(({ ts }) => ts === Date.UTC(2025, 6, 1, 10)));
});
