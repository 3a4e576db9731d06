import assert from "node:assert/strict";
import { test } from "node:test";
import TypeBox from "typebox";
import { Value } from "typebox/value";
import { KNOWN_TYPES, oddPayloads, rightPayload } from "../../../test/rig/wrong-shapes.ts";
import { isKnown, isReadable, wrongIn } from "./check.ts";
import { EVENT_SCHEMAS } from "./schema.ts";
import { Type } from "./schema-builder.ts";
import type { EventRecord } from "./types.ts";

test("our words for schemas make what TypeBox makes of them", () => {
	const make = (words: typeof Type) =>
		words.Object(
			{
				text: words.String({ description: "a text" }),
				maybe: words.Optional(words.Union([words.Integer(), words.Null()], { description: "or nothing" })),
				pairs: words.Array(words.Tuple([words.String(), words.Number()])),
				which: words.Union([words.Literal("a"), words.Literal("b")]),
				flag: words.Optional(words.Boolean()),
				any: words.Unknown({ description: "anything" }),
			},
			{ description: "all of them" },
		);
	assert.deepEqual(JSON.parse(JSON.stringify(make(Type))), JSON.parse(JSON.stringify(make(TypeBox))));
});

test("has the eleven types of the event log under their names", () => {
	const eleven = [
		...["SessionStarted", "UserIntent", "ToolCalled", "ToolResult", "FileRead", "FileChanged", "CommandRun"],
		...["TestStatus", "Decision", "RepoMap", "Custom"],
	];
	assert.deepEqual(
		eleven.filter((type) => !(type in EVENT_SCHEMAS)),
		[],
	);
});

test("says of every shape what TypeBox says of it", () => {
	let wrong = 0;
	for (const type of KNOWN_TYPES) {
		const right = rightPayload(type);
		assert.equal(wrongIn(type, 1, right), undefined);
		for (const payload of [right, { ...right, more: 1 }, ...oddPayloads(type)]) {
			const fits = wrongIn(type, 1, payload) === undefined;
			// What may be anything may be missing.
			const given = { ...(type === "ToolCalled" && { input: null }), ...("raw" in right && { raw: null }), ...payload };
			assert.equal(fits, Value.Check(EVENT_SCHEMAS[type], given), type);
			if (!fits) wrong++;
		}
	}
	assert.ok(wrong > 1_000, `${wrong} wrong shapes`);
});

test("names the field and what it must be", () => {
	assert.equal(wrongIn("CommandRun", 1, {}), "command is missing");
	assert.equal(wrongIn("ToolCalled", 1, { tool: 5 }), "tool must be a text");
	assert.equal(wrongIn("Pruned", 1, null), "payload must be an object");
	const request = { ...(Value.Create(EVENT_SCHEMAS.Request) as object), items: [{ id: "a", bytes: "1" }] };
	assert.equal(wrongIn("Request", 1, request), "items[0].bytes must be a whole number");
	assert.equal(wrongIn("Verdict", 1, { verdict: "no" }), 'verdict must be "block" or "warn" or "refresh"');
});

test("what another version wrote is not judged, and not read either", () => {
	assert.equal(wrongIn("CommandRun", 2, {}), undefined);
	assert.equal(wrongIn("Invented", 1, {}), undefined);
	const record = { type: "CommandRun", v: 2, payload: {} } as EventRecord;
	assert.deepEqual([isKnown(record), isReadable(record)], [false, false]);
	assert.deepEqual(
		[isKnown({ ...record, type: "Invented" }), isReadable({ ...record, type: "Invented" })],
		[false, true],
	);
});
