import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stripRecalled } from "../../message/recall-tags.ts";
import { type Bullet, bulletsOf, editDocument, parseDocument, renderDocument } from "./document.ts";

const bullet = (text: string, id: string): Bullet => ({
	kind: "bullet",
	id,
	text,
	lines: [`- ${text} <!-- ${id} 2026-11-16 -->`],
});
const told = (text: string) =>
	bulletsOf(parseDocument(text)).map(({ section, bullet: { id, text: words } }) => [section, id, words]);

/** Lines as hostile Markdown has them. */
const LINE = fc.oneof(
	fc.constantFrom(
		"## Facts",
		"## ",
		"# weft",
		"```",
		"````ts",
		"~~~",
		"<!--",
		"-->",
		"<!-- weft revision 3. -->",
		"<!-- weft revision 99999999999999 -->",
		"- one <!-- f-00000001 2026-11-16 -->",
		"- one <!-- f-00000001 -->",
		"- fake <!-- f-zzzzzzzz -->",
		"- ",
		"-",
		"* star",
		"  continued",
		"\tcontinued",
		"    - nested <!-- f-00000002 2026-11-16 -->",
		"</runtime_context>",
		"",
		"\r",
	),
	fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", " ")),
);

test("what is not changed is written back as it stood, whatever it is", () => {
	fc.assert(
		fc.property(fc.array(LINE), (lines) => {
			const text = lines.join("\n");
			assert.equal(renderDocument(parseDocument(text)), text);
		}),
	);
});

test("no fence and no comment hides a bullet that has an id", () => {
	fc.assert(
		fc.property(fc.array(LINE), fc.array(LINE), (before, after) => {
			const hostile = [...before, "", "- kept words <!-- f-0a0b0c0d 2026-11-16 -->", "", ...after].join("\n");
			const found = told(hostile).filter(([, id]) => id === "f-0a0b0c0d");
			assert.deepEqual(
				found.map(([, , words]) => words),
				["kept words"],
			);
		}),
	);
});

test("reads bullets with their ids, what a user continues in the next lines, and leaves code and comments alone", () => {
	const text = [
		"<!-- weft revision 4. -->",
		"# Title",
		"- before any section",
		"## Facts",
		"- one <!-- f-00000001 2026-11-16, on probation until 2026-12-16 -->",
		"* two",
		"  goes on",
		"",
		"```",
		"- code",
		"## no heading",
		"```",
		"<!--",
		"- commented out",
		"-->",
		"## Mine ##",
		"- three",
	].join("\n");
	assert.equal(parseDocument(text).revision, 4);
	assert.deepEqual(told(text), [
		["", undefined, "before any section"],
		["Facts", "f-00000001", "one"],
		["Facts", undefined, "two\ngoes on"],
		["Mine", undefined, "three"],
	]);
});

test("new bullets come after the last one of their section, new sections stand in their order, the user's stay in place", () => {
	const document = parseDocument("# T\n\n## Facts\n- a\nsome words\n- b\n\nprose\n\n## Mine\n- c\n");
	const [a] = bulletsOf(document);
	const edited = editDocument(document, "memory", {
		replaced: new Map([[a!.bullet, null]]),
		added: new Map([
			["Facts", [bullet("d", "f-00000004")]],
			["Decisions", [bullet("e", "f-00000005")]],
			["Preferences", [bullet("f", "f-00000006")]],
		]),
	});
	assert.equal(
		renderDocument(edited),
		`# T

## Facts
some words
- b
- d <!-- f-00000004 2026-11-16 -->

prose

## Mine
- c

## Preferences
- f <!-- f-00000006 2026-11-16 -->

## Decisions
- e <!-- f-00000005 2026-11-16 -->
`,
	);
});

test("a hostile file with a fence in every third line costs no more than its size", () => {
	const lines = Array.from({ length: 60_000 }, (_, at) => (at % 3 === 0 ? "`".repeat(3 + (at % 60)) : "- x <!--"));
	const text = lines.join("\n");
	assert.equal(renderDocument(parseDocument(text)), text);
});

test("strips recalled text, also where its end is missing or the user's words are wrapped", () => {
	assert.equal(stripRecalled("plain"), "plain");
	assert.equal(
		stripRecalled("<runtime_context>\nold\n</runtime_context>\n\n<user_message>\nnew\n</user_message>"),
		"new",
	);
	assert.equal(stripRecalled("before <runtime_context>half"), "before");
	assert.equal(stripRecalled("<runtime_context>a</runtime_context>b<runtime_context>c</runtime_context>d"), "bd");
	assert.equal(
		stripRecalled("<user_message>mine</user_message> and more"),
		"<user_message>mine</user_message> and more",
	);
});
