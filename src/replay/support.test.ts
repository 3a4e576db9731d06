import assert from "node:assert/strict";
import test from "node:test";
import { countSupport, demandOf, emptyCount, holdsLines, SearchableText, shareOf, termsOf } from "./support.ts";

test("terms are words that prose does not have: joined names, camelCase, snake_case, PascalCase, a digit in a word", () => {
	const said = "open src/index.ts and getUser, then v1.2.3 or some_name of MyClass, x9a at pkg:name";
	const terms = ["src/index.ts", "getUser", "v1.2.3", "some_name", "MyClass", "x9a", "pkg:name"];
	assert.deepEqual([...termsOf(said)], terms);
	assert.deepEqual([...termsOf("plain Words stay out, so do 123 and ABC")], []);
	assert.deepEqual([...termsOf("getUser getUser getUser")], ["getUser"]);
});

test("an action relies on the old texts of its edits in the form of every host, its paths and its terms", () => {
	const said = "I change parseLine";
	const calls = [
		{ path: "src/a.ts", oldText: "const a = 1;" },
		{ file_path: "/p/b.go", old_string: "x := 2", new_string: "x := 3" },
		{ path: "src/a.ts", edits: [{ oldText: "one" }, { old_string: "two" }, { newText: "three" }] },
		{ path: "src/c.ts", oldText: " \n" },
		{ filePath: "/p/d.ts", oldString: "four", newString: "five" },
		{ path: "/p/e.ts", old_str: "six", new_str: "seven" },
		{ filepath: "f.md", content: "all new" },
		{ files: [{ path: "g.js" }] },
		{ input: "*** Begin Patch\n*** Update File: h.js\n@@\n a\n-b\n+c\n d\n*** Add File: i.js\n+new\n*** End Patch\n" },
	].map((input, at) => ({ kind: "call" as const, id: `t${at}`, tool: "edit", input }));
	assert.deepEqual(demandOf({ said, calls }), {
		edits: [
			{ text: "const a = 1;", path: "src/a.ts" },
			{ text: "x := 2", path: "/p/b.go" },
			{ text: "one", path: "src/a.ts" },
			{ text: "two", path: "src/a.ts" },
			{ text: "four", path: "/p/d.ts" },
			{ text: "six", path: "/p/e.ts" },
			{ text: "a\nb\nd", path: "h.js" },
		],
		paths: ["src/a.ts", "/p/b.go", "src/c.ts", "/p/d.ts", "/p/e.ts", "f.md", "g.js", "h.js", "i.js"],
		terms: ["parseLine"],
	});
});

test("support counts each kind by itself; with nothing to look for it is null", () => {
	const count = emptyCount();
	const edits = [
		{ text: "old text", path: "a" },
		{ text: "gone", path: "a" },
	];
	const demand = { edits, paths: ["src/a.ts", "src/b.ts"], terms: [] };
	const missed = countSupport(count, demand, [new SearchableText("src/a.ts holds"), new SearchableText("an old text")]);
	assert.deepEqual(missed, [edits[1]]);
	assert.deepEqual(count, { edits: [1, 2], paths: [1, 2], terms: [0, 0] });
	assert.deepEqual([shareOf(count.edits), shareOf(count.paths), shareOf(count.terms)], [0.5, 0.5, null]);
});

test("an edit is looked for without the host's line numbers, a term as a whole term", () => {
	const shown = new SearchableText("   12→if (a) {\n   13→\treturn getUserById;\n14\t}");
	assert.equal(shown.holdsEdit("if (a) {\n\treturn getUserById;\n}"), true);
	assert.equal(shown.holdsEdit("13→\treturn"), true);
	assert.equal(shown.holdsEdit("if (b) {"), false);
	for (const [colon, bar] of [
		["1: ", "2: "],
		["1 | ", "2 | "],
		["00001| ", "00002| "],
	])
		assert.equal(new SearchableText(`${colon}one\n${bar}  two`).holdsEdit("one\n  two"), true, colon);
	assert.deepEqual([shown.terms.has("getUserById"), shown.terms.has("getUser")], [true, false]);
});

test("an edit is held whatever the white space, and by lines if they are all there", () => {
	const texts = ["if (a) {\r\n\treturn b;\r\n}", "one\ntwo\nthree"].map((text) => new SearchableText(text));
	const edit = (text: string) => ({ text, path: "a.ts" });
	const missed = (...edits: string[]) =>
		countSupport(emptyCount(), { edits: edits.map(edit), paths: [], terms: [] }, texts).map(({ text }) => text);
	assert.deepEqual(missed("if (a) {\n    return b;\n}", "two\nthree", "one\nthree"), ["one\nthree"]);
	assert.equal(holdsLines("  one\n\n\tthree", texts), true);
	assert.equal(holdsLines("one\nfour", texts), false);
});
