import assert from "node:assert/strict";
import { test } from "node:test";
import type { TreeMessage } from "../session/tree.ts";
import { groupTurns } from "./turns.ts";

let seq = 0;
function message(role: string, more: Partial<TreeMessage> = {}): TreeMessage {
	seq++;
	const rest = { asks: role === "user", tokens: 10, calls: [], results: [] };
	return { seq, entry: `e${seq}`, parent: seq - 1, role, ...rest, ...more };
}
const user = () => message("user");
const call = (...calls: string[]) => message("assistant", { calls });
const result = (...results: string[]) => message("toolResult", { results });

function shape(...messages: TreeMessage[]): string[] {
	return groupTurns(messages).map(
		(turn) => turn.messages.map(({ role }) => role[0]).join("") + (turn.closed ? "" : "?"),
	);
}

test("an assistant message and its results are one turn; a user's message stands alone", () => {
	assert.deepEqual(shape(user(), call("a", "b"), result("a"), result("b"), call(), user()), ["u", "att", "a", "u"]);
});

test("the newest turn is open until every call has its result", () => {
	assert.deepEqual(shape(user(), call("a", "b"), result("a")), ["u", "at?"]);
	assert.deepEqual(shape(user(), call("a"), result("a")), ["u", "at"]);
});

test("a call that nobody waited for is closed by whoever spoke next", () => {
	assert.deepEqual(shape(call("a"), user(), call()), ["a", "u", "a"]);
});

test("a result that comes late binds everything since its call", () => {
	assert.deepEqual(shape(call("a"), user(), call("b"), result("b"), result("a"), user()), ["auatt", "u"]);
});

test("several lines of one answer of the model are one turn", () => {
	assert.deepEqual(shape(user(), call(), call("a"), call("b"), result("a"), result("b")), ["u", "aaatt"]);
});

test("a call id that is used again names the newer call", () => {
	assert.deepEqual(shape(call("a"), result("a"), user(), call("a"), result("a")), ["at", "u", "at"]);
});

test("what a program says while a call is open stays with the call", () => {
	assert.deepEqual(shape(call("a"), message("custom"), result("a"), message("custom")), ["act", "c"]);
});

test("a result without a call does not begin a turn, unless it is the first", () => {
	assert.deepEqual(shape(result("x"), user(), result("y")), ["t", "ut"]);
});
