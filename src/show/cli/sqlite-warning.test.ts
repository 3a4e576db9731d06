import assert from "node:assert/strict";
import { test } from "node:test";
import { silenceSqliteWarning } from "./node-process.ts";

test("the warning that SQLite is experimental is not shown; every other one is", () => {
	const shown: unknown[][] = [];
	const target = { emitWarning: (...args: unknown[]) => void shown.push(args) };
	silenceSqliteWarning(target);
	target.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
	target.emitWarning("Something else is an experimental feature", "ExperimentalWarning");
	target.emitWarning("SQLite is old", "DeprecationWarning");
	assert.deepEqual(shown, [
		["Something else is an experimental feature", "ExperimentalWarning"],
		["SQLite is old", "DeprecationWarning"],
	]);
});
