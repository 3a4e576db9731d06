import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord } from "../event/types.ts";
import { sha256 } from "../hash/sha256.ts";
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
		readAgainFold.step(state, { ...OF, seq: at + 1, cause: at + 100, type, payload } as unknown as EventRecord);
	}
	return state;
}

test("before any seal every reading is served", () => {
	assert.equal(pointerTo(after(), OF, shown), undefined);
	assert.equal(pointerTo(after("read", "read", "read"), OF, shown), undefined);
});

test("after a seal the first reading is served, the next one pointed at", () => {
	assert.equal(pointerTo(after("read", "read", "seal"), OF, shown), undefined);
	assert.match(
		pointerTo(after("read", "seal", "read"), OF, shown) ?? "",
		/^\[weft\] unchanged: src\/a\.ts is as you read it in m-102/,
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
