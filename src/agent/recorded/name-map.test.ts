import assert from "node:assert/strict";
import { test } from "node:test";
import { NameLinks, NameList, NameMap } from "./name-map.ts";

test("gives every number back, the newest under each name, however many there are", () => {
	const map = new NameMap();
	const names = Array.from({ length: 20_000 }, (_, at) => `line ${at}`);
	for (const [at, name] of names.entries()) map.set(name, at);
	for (const [at, name] of names.entries()) if (at % 3 === 0) map.set(name, at * 0x1_0000_0000 + 0.5);
	for (const [at, name] of names.entries())
		assert.equal(map.get(name), at % 3 === 0 ? at * 0x1_0000_0000 + 0.5 : at, name);
	assert.equal(map.get("line 20000"), undefined);
});

test("links a name to another, to itself or to none, and tells none from one that was never named", () => {
	const shared = new NameList();
	const [links, others] = [new NameLinks(shared), new NameLinks(shared)];
	links.set("a", undefined);
	links.set("b", "b");
	others.set("words of c", "c");
	links.set("d", "c");
	links.set("e", "c");
	links.set("b", "é 漢 \ud800");
	assert.deepEqual(
		["a", "b", "d", "e", "f"].map((name) => [links.has(name), links.get(name)]),
		[
			[true, undefined],
			[true, "é 漢 \ud800"],
			[true, "c"],
			[true, "c"],
			[false, undefined],
		],
	);
	assert.deepEqual([others.get("words of c"), others.get("d")], ["c", undefined]);
	assert.equal(shared.length, 2);
});

test("lists names of any length and letters in their order, and gives one another name", () => {
	const list = new NameList();
	const names = Array.from({ length: 3_000 }, (_, at) =>
		at % 7 === 0 ? `é${"漢".repeat(at)}` : `u${at}`.repeat(at % 5),
	);
	names.push("x".repeat(600_000), "", "after");
	for (const name of names) list.push(name);
	assert.deepEqual([list.length, list.last], [names.length, "after"]);
	list.replace(7, "seven");
	names[7] = "seven";
	assert.ok(names.every((name, at) => list.at(at) === name));
	assert.deepEqual([list.at(-1), list.at(names.length)], [undefined, undefined]);
});
