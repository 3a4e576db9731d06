import assert from "node:assert/strict";
import { test } from "node:test";
import { HISTORY_PREAMBLE, TOOLS } from "./catalogue.ts";

/**
 * One character beyond U+00FF makes the engine keep the whole request as two bytes a character, whenever it is written,
 * compared or encoded.
 */
test("what goes out with every request has no character beyond U+00FF", () => {
	assert.doesNotMatch(JSON.stringify([TOOLS, HISTORY_PREAMBLE]), /[^\0-\xff]/);
});
