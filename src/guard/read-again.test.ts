import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord } from "../event/types.ts";
import { sha256 } from "../hash/sha256.ts";
import { handleOf } from "../log/handle.ts";
import { pointerTo, type ReadAgainState, readAgainFold } from "./read-again.ts";

const TEXT = "export const x = 1;\n".repeat(50);
const OF = { session: "s", host: "pi" };
const shown = { path: "src/a.ts", from: 1, to: 50, text: TEXT };

function after(...events: readonly ("read" | "seal" | "other")[]): ReadAgainState {
	const state = readAgainFold.initial();
	for (const [at, what] of events.entries()) {
		const hash = sha256(what === "other" ? `${TEXT}more` : TEXT);
		const payload = what === "seal" ? {} : { path: "src/a.ts", from: 1, to: 50, sliceHash: hash };
		const type = what === "seal" ? "Seal" : "FileRead";
		const message = { ...OF, seq: at * 2 + 1, cause: null, type: "Message", entry: `read ${at}`, payload: {} };
		const derived = { ...OF, seq: at * 2 + 2, cause: at * 2 + 1, type, entry: `read ${at}/call`, payload };
		for (const each of [message, derived]) readAgainFold.step(state, each as unknown as EventRecord);
	}
	return state;
}

test("before any seal every reading is served", () => {
	assert.equal(pointerTo(after(), OF, shown), undefined);
	assert.equal(pointerTo(after("read", "read", "read"), OF, shown), undefined);
});

test("after a seal the first reading is served, the next one pointed at", () => {
	assert.equal(pointerTo(after("read", "read", "seal"), OF, shown), undefined);
	const handle = handleOf({ ...OF, type: "Message", entry: "read 2" });
	assert.ok(
		pointerTo(after("read", "seal", "read"), OF, shown)?.startsWith(
			`[weft] unchanged: src/a.ts is as you read it in ${handle}, `,
		),
	);
});

test("changed text, other lines, another session and short texts are always served", () => {
	const state = after("seal", "read");
	assert.equal(pointerTo(state, OF, { ...shown, text: `${TEXT}!` }), undefined);
	assert.equal(pointerTo(state, OF, { ...shown, from: 2 }), undefined);
	assert.equal(pointerTo(state, { session: "t", host: "pi" }, shown), undefined);
	assert.equal(pointerTo(after("seal", "other"), OF, shown), undefined);
	assert.equal(pointerTo(state, OF, { ...shown, text: "short" }), undefined);
});
