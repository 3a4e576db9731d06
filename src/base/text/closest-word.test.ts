import assert from "node:assert/strict";
import { test } from "node:test";
import { closest, closestFew } from "./closest-word.ts";

const KEYS = ["pruneDays", "autoPrune", "enabled"];

test("finds the word that was meant, and none when nothing is near", () => {
	assert.equal(closest("pruneDay", KEYS), "pruneDays");
	assert.equal(closest("PRUNEDAYS", KEYS), "pruneDays");
	assert.equal(closest("enalbed", KEYS), "enabled");
	assert.equal(closest("mode", KEYS), undefined);
	assert.equal(closest("", KEYS), undefined);
});

test("names the nearest words, the nearest first, however far they are", () => {
	assert.deepEqual(closestFew("enable", KEYS, 2), ["enabled", "pruneDays"]);
	assert.deepEqual(closestFew("mode", [], 2), []);
});
