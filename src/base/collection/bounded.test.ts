import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap, BoundedSet } from "./bounded.ts";

test("a full map drops the entry that was added first, and says which", () => {
	const dropped: [string, number][] = [];
	const map = new BoundedMap<string, number>(2, (...entry) => dropped.push(entry));
	map.set("a", 1).set("b", 2).set("a", 3);
	assert.deepEqual(
		[...map],
		[
			["a", 3],
			["b", 2],
		],
	);
	map.set("c", 4);
	assert.deepEqual(
		[...map],
		[
			["b", 2],
			["c", 4],
		],
	);
	map.delete("b");
	assert.deepEqual(dropped, [["a", 3]]);
});

test("a full set drops the value that was added first", () => {
	const set = new BoundedSet<number>(2).add(1).add(2).add(1).add(3);
	assert.deepEqual([...set], [2, 3]);
});
