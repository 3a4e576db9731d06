import assert from "node:assert/strict";
import { test } from "node:test";
import { asObject, type JsonObject } from "../../json/read.ts";
import { CodexTranslator } from "./translate.ts";

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
