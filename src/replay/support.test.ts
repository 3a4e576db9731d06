import assert from "node:assert/strict";
import test from "node:test";
import { countSupport, demandOf, emptyCount, shareOf, termsOf } from "./support.ts";

test("a term is a run of word characters, joined by one of . / -, with something in it that prose has not", () => {
	assert.deepEqual(termsOf("open src/index.ts and getUser, then v1.2.3 or some_name"), [
		"src/index.ts",
		"getUser",
		"v1.2.3",
		"some_name",
	]);
	assert.deepEqual(termsOf("plain words stay out, so do ab1, a.b and left-over"), []);
	assert.deepEqual(termsOf("$scope1 foo..bar2 --flag-9a (call_it)"), ["$scope1", "flag-9a", "call_it"]);
	assert.deepEqual(termsOf("getUser getUser getUser"), ["getUser"]);
});

test("an action asks for the old texts of its edits, in the form of every host, its paths and its terms", () => {
	const said = "I change parseLine";
	const calls = [
		{ path: "src/a.ts", oldText: "const a = 1;" },
		{ file_path: "/p/b.go", old_string: "x := 2", new_string: "x := 3" },
		{ path: "src/a.ts", edits: [{ oldText: "one" }, { old_string: "two" }, { newText: "three" }] },
		{ path: "src/c.ts", oldText: " \n" },
	].map((input, at) => ({ kind: "call" as const, id: `t${at}`, tool: "edit", input }));
	assert.deepEqual(demandOf({ said, calls }), {
		edits: ["const a = 1;", "x := 2", "one", "two"],
		paths: ["src/a.ts", "/p/b.go", "src/c.ts"],
		terms: ["parseLine"],
	});
});

test("support counts what was held of what was asked for, each kind by itself", () => {
	const count = emptyCount();
	const demand = { edits: ["old text"], paths: ["src/a.ts", "src/b.ts"], terms: [] };
	countSupport(count, demand, (wanted) => "src/a.ts holds old text".includes(wanted));
	assert.deepEqual(count, { edits: [1, 1], paths: [1, 2], terms: [0, 0] });
	assert.deepEqual([shareOf(count.edits), shareOf(count.paths), shareOf(count.terms)], [1, 0.5, 1]);
});
