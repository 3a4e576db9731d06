import assert from "node:assert/strict";
import { test } from "node:test";
import { NameSet } from "./name-set.ts";

test("knows every name that was added, and no other, however many there are", () => {
	const names = new NameSet();
	const many = Array.from({ length: 20_000 }, (_, at) => `line ${at}`);
	for (const name of many) assert.equal(names.add(name), true, name);
	for (const name of many) assert.equal(names.add(name), false, name);
	assert.ok(many.every((name) => names.has(name)));
	assert.ok(!many.some((name) => names.has(`${name} of another file`)));
});
