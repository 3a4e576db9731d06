import assert from "node:assert/strict";
import { test } from "node:test";
import { markCache } from "./cache-marks.ts";

const MARK = { type: "ephemeral" };
const marked = (text: string) => ({ type: "text", text, cache_control: MARK });
const plain = (text: string) => ({ type: "text", text });
const user = (...content: readonly object[]) => ({ role: "user", content });
/** As Pi sends it: the prompt, the last tool and the last message are marked. */
const request = (...messages: readonly object[]) => ({
	system: [marked("prompt")],
	tools: [{ name: "read" }, { name: "bash", cache_control: MARK }],
	messages,
});

test("leaves a request alone that has no seed and says nothing last", () => {
	const payload = request(user(plain("one")), user(marked("two")));
	assert.equal(markCache(payload, { isSealed: false }), payload);
});

test("marks the end of the seed, which is the fourth mark", () => {
	const payload = request(user(plain("head"), plain("seed")), user(marked("two")));
	const expected = request(user(plain("head"), marked("seed")), user(marked("two")));
	assert.deepEqual(markCache(payload, { isSealed: true }), expected);
});

test("a seed given as bare text becomes a block; one that is marked already stays", () => {
	const payload = request({ role: "user", content: "seed" }, user(marked("two")));
	assert.deepEqual(markCache(payload, { isSealed: true }), request(user(marked("seed")), user(marked("two"))));
	const alone = request(user(marked("seed")));
	assert.equal(markCache(alone, { isSealed: true }), alone);
});

test("moves Pi's mark from what is said last to the block before it", () => {
	const payload = request(user(plain("one")), user(plain("two")), user(marked("last")));
	const expected = request(user(plain("one")), user(marked("two")), user(plain("last")));
	assert.deepEqual(markCache(payload, { isSealed: false, last: "last" }), expected);
});

test("several messages for this request alone stay behind the mark", () => {
	const payload = request(user(plain("one")), user(plain("first")), user(marked("last")));
	const expected = request(user(marked("one")), user(plain("first")), user(plain("last")));
	assert.deepEqual(markCache(payload, { isSealed: false, last: "last", trailing: 2 }), expected);
});

test("does not touch another text, a request without marks, or one that has all four", () => {
	const other = request(user(plain("one")), user(marked("two")));
	assert.equal(markCache(other, { isSealed: false, last: "last" }), other);
	const uncached = { system: [plain("prompt")], tools: [], messages: [user(plain("seed")), user(plain("two"))] };
	assert.equal(markCache(uncached, { isSealed: true }), uncached);
	const full = request(user(plain("seed")), user(marked("one")), user(marked("two")));
	assert.equal(markCache(full, { isSealed: true }), full);
	for (const odd of [undefined, null, "text", {}, { messages: "none" }])
		assert.equal(markCache(odd, { isSealed: true }), odd);
});
