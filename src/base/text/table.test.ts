import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { textWidth } from "./cut.ts";
import { renderTable } from "./table.ts";

const COLUMNS = [{ title: "seq", align: "right" }, { title: "role" }, { title: "text", shrink: true }] as const;

test("aligns CJK and emoji by what the terminal shows, numbers to the right", () => {
	const rows = [
		["1", "user", "plain"],
		["120", "役割", "日本語 🚀 done"],
	];
	assert.deepEqual(renderTable(COLUMNS, rows, { style: "ruled" }), [
		"seq  role  text",
		"───  ────  ──────────────",
		"  1  user  plain",
		"120  役割  日本語 🚀 done",
	]);
});

test("bare tables have no titles", () => {
	const pairs = [
		["data", "/tmp/x"],
		["sessions", "3"],
	];
	assert.deepEqual(renderTable([{ title: "" }, { title: "" }], pairs, { style: "bare" }), [
		"data      /tmp/x",
		"sessions  3",
	]);
});

test("a least width keeps lines aligned that are laid out one by one", () => {
	const columns = [{ title: "", align: "right", min: 4 }, { title: "" }] as const;
	const lines = ["7", "12345"].flatMap((seq) => renderTable(columns, [[seq, "x"]], { style: "bare" }));
	assert.deepEqual(lines, ["   7  x", "12345  x"]);
});

test("cuts the shrinking column so that every line fits the terminal", () => {
	const rows = [["1", "user", "a long line of text that cannot fit"]];
	assert.deepEqual(renderTable(COLUMNS, rows, { style: "ruled", width: 24 }), [
		"seq  role  text",
		"───  ────  ─────────────",
		"  1  user  a long line …",
	]);
	fc.assert(
		fc.property(
			fc.array(fc.string({ unit: "grapheme", maxLength: 50 })),
			fc.integer({ min: 30, max: 100 }),
			(texts, width) => {
				const cells = texts.map((text) => ["1", "user", text.replace(/\s+/g, " ")]);
				for (const line of renderTable(COLUMNS, cells, { style: "ruled", width })) assert.ok(textWidth(line) <= width);
			},
		),
	);
});

test("the widest of several shrinking columns gives way first", () => {
	const columns = [
		{ title: "a", shrink: true },
		{ title: "b", shrink: true },
	];
	const lines = renderTable(columns, [["x".repeat(10), "y".repeat(40)]], { style: "bare", width: 32 });
	assert.deepEqual(lines, [`${"x".repeat(10)}  ${"y".repeat(19)}…`]);
});

test("colours do not disturb the alignment", () => {
	const columns = [{ title: "", paint: (cell: string) => `<${cell}>` }, { title: "" }];
	const lines = renderTable(
		columns,
		[
			["a", "1"],
			["bbb", "2"],
		],
		{ style: "bare" },
	);
	assert.deepEqual(lines, ["<a  >  1", "<bbb>  2"]);
});
