import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { writeJson } from "./write.ts";

const LEVELS = 100_000;
const deep = (inside: string): string => "[".repeat(LEVELS) + inside + "]".repeat(LEVELS);

test("a hundred thousand levels are written as they were read", () => {
	const text = `{"a":${deep('{"b":[1,"\\n",null,{}]}')},"c":[]}`;
	assert.throws(() => JSON.stringify(JSON.parse(text)), RangeError);
	assert.equal(writeJson(JSON.parse(text), 2), text);
});

test("what is deep is written as what is not", () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			assert.equal(writeJson(value), JSON.stringify(value));
			const text = deep(JSON.stringify(value));
			assert.equal(writeJson(JSON.parse(text)), text);
		}),
		{ numRuns: 3 },
	);
});
