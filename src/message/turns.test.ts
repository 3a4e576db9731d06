import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TreeMessage } from "../state/session/tree.ts";
import { type CutMessage, cutMessage, groupTurns, keepNewest } from "./turns.ts";
import { readWire } from "./view.ts";

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

test("where ids are not known, a result belongs to the answer before it, whatever stands between them", () => {
	const roles = (...names: string[]): CutMessage[] => names.map((role) => ({ role, tokens: 10 }));
	const shapes = (messages: CutMessage[]) => groupTurns(messages).map((turn) => turn.messages.length);
	assert.deepEqual(shapes(roles("user", "assistant", "toolResult", "toolResult", "user")), [1, 3, 1]);
	assert.deepEqual(shapes(roles("user", "assistant", "custom", "toolResult", "custom")), [1, 3, 1]);
});

test("a call that the provider answers itself does not wait for a result", () => {
	const content = [{ type: "server_tool_use", id: "s", name: "web_search", input: {} }];
	assert.deepEqual(cutMessage(readWire({ role: "assistant", content }, "anthropic")).calls, []);
});

test("the newest turns that fit are kept, the newest one always, and nothing before the least", () => {
	const messages = [user(), call("a"), result("a"), call("b"), result("b"), user()];
	const keep = (limit: number, least?: number) => keepNewest(messages, { limit, least });
	assert.deepEqual([keep(0), keep(10), keep(29), keep(30), keep(50), keep(59), keep(60)], [5, 5, 5, 3, 1, 1, 0]);
	assert.deepEqual([keep(1_000, 3), keep(1_000, 5), keep(0, 1), keep(0, 6)], [3, 5, 5, 6]);
	assert.equal(keepNewest([], { limit: 10 }), 0);
	const large = [user(), message("assistant", { tokens: 10_000 }), message("toolResult", { tokens: 20_000 })];
	assert.equal(keepNewest(large, { limit: 6_000 }), 1, "an answer stays with its results");
});

/** Any order of messages: results before their calls, after others, twice, of nothing; ids used again. */
const conversation = fc.array(
	fc.oneof(
		fc.constant(() => user()),
		fc.constant(() => message("custom")),
		fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }).map((ids) => () => call(...ids)),
		fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 2 }).map((ids) => () => result(...ids)),
	),
	{ maxLength: 30 },
);
const sizes = fc.array(fc.nat(50), { minLength: 30, maxLength: 30 });

test("a cut never separates a call from its result, keeps within the limit, and grows with it", () => {
	fc.assert(
		fc.property(conversation, sizes, fc.nat(800), fc.nat(800), (makers, tokens, one, other) => {
			const messages = makers.map((make, at) => ({ ...make(), tokens: tokens[at]! }));
			const [low, high] = [Math.min(one, other), Math.max(one, other)];
			const first = keepNewest(messages, { limit: low });
			assert.ok(keepNewest(messages, { limit: high }) <= first, "a larger limit keeps at least as much");
			const callAt = new Map<string, number>();
			for (const [at, { calls, results }] of messages.entries()) {
				for (const id of results) {
					const called = callAt.get(id);
					if (called !== undefined)
						assert.equal(called < first, at < first, `${id} of ${called} at ${at}, cut ${first}`);
				}
				for (const id of calls) callAt.set(id, at);
			}
			const kept = messages.slice(first).reduce((sum, each) => sum + each.tokens, 0);
			const newest = groupTurns(messages).at(-1)?.messages.length ?? 0;
			assert.ok(kept <= low || first === messages.length - newest, `${kept} of ${low}`);
			for (let least = 0; least <= messages.length; least++)
				assert.ok(keepNewest(messages, { limit: low, least }) >= least);
		}),
		{ numRuns: 500 },
	);
});
