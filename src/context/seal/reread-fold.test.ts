import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord } from "../../log/event/types.ts";
import { hiddenPrice, type RereadState, rereadFold } from "./reread-fold.ts";

function fold(events: readonly (readonly [type: string, payload?: object])[]): RereadState {
	const state = rereadFold.initial();
	for (const [at, [type, payload = {}]] of events.entries()) {
		rereadFold.step(state, { seq: at + 1, type, payload } as unknown as EventRecord);
	}
	return state;
}

const read = (path: string) => ["FileRead", { path, from: 1, to: 100 }] as const;
const messages = Array.from({ length: 30 }, () => ["Message"] as const);

test("a read counts against a seal when the file had been read before it and did not change since", () => {
	const state = fold([
		read("a"),
		read("b"),
		["FileChanged", { path: "b" }],
		["Seal"],
		read("a"),
		read("b"),
		read("c"),
		...messages,
	]);
	assert.equal(state.seals[0]!.tokens, 1_200);
});

test("only the first reading again counts, and only soon after the seal", () => {
	assert.equal(fold([read("a"), ["Seal"], read("a"), read("a"), ...messages]).seals[0]!.tokens, 1_200);
	assert.equal(fold([read("a"), ["Seal"], ...messages, read("a")]).seals[0]!.tokens, 0);
});

test("the profile's guess gives way to what was measured", () => {
	assert.equal(hiddenPrice(fold([]), 1.25), 20_000);
	const cheap = fold([["Seal"], ...messages, ["Seal"], ...messages, ["Seal"], ...messages]);
	assert.equal(hiddenPrice(cheap, 1.25), 10_000);
	// A seal whose aftermath is still open says nothing yet.
	assert.equal(hiddenPrice(fold([["Seal"], ["Message"]]), 1.25), 20_000);
});
