import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineError } from "../../error/engine-error.ts";
import type { PiMessage } from "./projection.ts";
import { refuseInvalid } from "./show-context.ts";

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }], timestamp: 0 }) as PiMessage;
const calls = (id: string) =>
	({
		role: "assistant",
		content: [{ type: "toolCall", id, name: "bash", arguments: {} }],
		timestamp: 0,
	}) as unknown as PiMessage;
const result = (id: string, text = "ok") =>
	({
		role: "toolResult",
		toolCallId: id,
		toolName: "bash",
		content: [{ type: "text", text }],
		isError: false,
	}) as PiMessage;

const own = [user("task"), calls("a"), result("a"), calls("b"), result("b")];

const refused = (rule: string) => (error: unknown) =>
	error instanceof EngineError && error.message.includes(`'${rule}'`);

test("a list with a context before the newest turn, and words behind it, may leave", () => {
	refuseInvalid([user("computed"), ...own.slice(3)], own, 0);
	refuseInvalid([...own, user("said last")], own, 1);
});

test("a list that no provider would take may not", () => {
	assert.throws(
		() => refuseInvalid([user("computed"), result("z"), ...own.slice(3)], own, 0),
		refused("result-without-call"),
	);
	assert.throws(() => refuseInvalid([user("computed"), calls("b")], own, 0), EngineError);
	assert.throws(() => refuseInvalid(own.slice(3), own, 0), refused("first-not-user"));
	assert.throws(() => refuseInvalid([], own, 0), refused("no-messages"));
});

test("the turn that is going on stays as Pi has it", () => {
	assert.throws(() => refuseInvalid([...own.slice(0, 4), result("b", "other")], own, 0), refused("open-turn-changed"));
	assert.throws(() => refuseInvalid(own.slice(0, 3), own, 0), refused("open-turn-changed"));
});
