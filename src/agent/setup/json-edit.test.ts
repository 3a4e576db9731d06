import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { type JsonEdit, setInJson, takeFromJson, valueInJson } from "./json-edit.ts";

const EDITS: readonly JsonEdit[] = [
	{ path: ["plugins", "weft"], value: { on: true, list: [1] } },
	{ path: ["window"], value: 5 },
	{ path: ["hooks", "Before"], value: { run: "weft" }, isItem: true },
];

/** A file as people write them: comments, trailing commas, spread or in one line. */
const FILE = fc
	.record({
		body: fc.dictionary(fc.constantFrom("a", "plugins", "hooks", "z"), fc.constantFrom("empty", "full", "list"), {
			maxKeys: 4,
		}),
		indent: fc.constantFrom("", "  ", "\t"),
		eol: fc.constantFrom("\n", "\r\n"),
		hasComments: fc.boolean(),
		mark: fc.constantFrom("", "\uFEFF"),
	})
	.map(({ body, indent, eol, hasComments, mark }) => {
		const values = Object.entries(body).map(([key, kind]) => {
			if (key === "hooks") return [key, { Before: [{ run: "mine" }, { run: "also" }] }];
			return [
				key,
				kind === "list" && key !== "plugins" ? [1, { b: 2 }] : kind === "full" ? { b: 1, c: "x" } : { b: 2 },
			];
		});
		const text = JSON.stringify(Object.fromEntries(values), null, indent);
		const lines = text
			.split("\n")
			.map((line, at) => (hasComments && indent !== "" ? `${line} // line ${at}, mine` : line));
		return mark + lines.join(eol) + eol;
	});

test("setting and taking out leaves every byte of the user's", () => {
	fc.assert(
		fc.property(FILE, (before) => {
			const after = setInJson("f", before, EDITS);
			assert.equal(setInJson("f", after, EDITS), after, "once");
			for (const { path, value, isItem } of EDITS) {
				const held = valueInJson(after, path);
				assert.deepEqual(isItem ? (held as unknown[]).at(-1) : held, value);
			}
			const taken = takeFromJson(after, EDITS, before)!;
			assert.deepEqual(taken, { text: before, kept: [] });
			// And where the file was not kept: the same values.
			const other = takeFromJson(after, EDITS, undefined)!.text;
			const read = (text: string) => parse(text.replace("\uFEFF", "")) as object;
			assert.deepEqual(read(other), read(before));
		}),
	);
});

test("no line of the user's is written anew, and comments stay where they stand", () => {
	const before = '{\n  // mine\n  "model": "opus",\n  "permissions": { "allow": ["Read"] }, // tail\n}\n';
	const after = setInJson("f", before, EDITS.slice(0, 2));
	for (const line of before.split("\n")) assert.ok(after.split("\n").includes(line), line);
});

test("what has no place says which key is in the way", () => {
	const at = (text: string) => () => setInJson("/x/settings.json", text, EDITS);
	assert.throws(at("{ broken"), /\/x\/settings\.json is not a JSON object/);
	assert.throws(at("[1]"), /is not a JSON object/);
	const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
	assert.throws(at(deep), /nested too deeply to be read\. Correct it first; nothing was written/);
	assert.equal(valueInJson(deep, ["window"]), undefined);
	assert.equal(takeFromJson(deep, EDITS, undefined), undefined);
	assert.throws(at('{ "plugins": null }'), /'plugins' in \/x\/settings\.json is not an object/);
	assert.throws(at('{ "hooks": { "Before": {} } }'), /'hooks\.Before' in \/x\/settings\.json is not a list/);
	assert.equal(takeFromJson("{ broken", EDITS, undefined), undefined);
});
