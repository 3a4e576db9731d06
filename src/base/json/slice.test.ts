import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sliceList } from "./slice.ts";

test("cuts a list into the texts of its elements, whatever quotes and backslashes stand in them", () => {
	const tricky = fc.string({ unit: fc.constantFrom("\\", '"', "a", "[", "]", ",", "{", "}") });
	const value = fc.record({ before: tricky, list: fc.array(fc.oneof(tricky, fc.jsonValue())), after: tricky });
	fc.assert(
		fc.property(value, fc.constantFrom(undefined, 2), (made, indent) => {
			const cut = sliceList(JSON.stringify(made, null, indent), "list");
			assert.deepEqual(
				cut?.elements.map((text) => JSON.stringify(JSON.parse(text))),
				made.list.map((each) => JSON.stringify(each)),
			);
			assert.deepEqual(JSON.parse(cut!.rest), { ...made, list: [] });
		}),
		{ numRuns: 300 },
	);
	assert.equal(sliceList('{"other": []}', "list"), undefined);
});
