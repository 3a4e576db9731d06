import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import stringWidth from "string-width";
import { cutStart, cutToWidth, cutWithEllipsis, textWidth } from "./cut.ts";
import { oneLine, printable } from "./printable.ts";

test("case 30: cutting by units never splits a surrogate pair", () => {
	assert.equal(cutStart("a😀b", 2), "a");
	assert.equal(cutStart("a😀b", 3), "a😀");
	assert.equal(cutWithEllipsis("a😀b", 3), "a…");
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, max) => {
			assert.ok(cutStart(text, max).isWellFormed());
			assert.ok(text.startsWith(cutStart(text, max)));
			assert.ok(cutWithEllipsis(text, Math.max(1, max)).length <= Math.max(1, max));
		}),
	);
});

test("cuts by the columns that a terminal shows", () => {
	assert.equal(cutToWidth("plain words", 6), "plain…");
	assert.equal(cutToWidth("日本語のテスト", 7), "日本語…");
	assert.equal(cutToWidth("日本語のテスト", 8), "日本語…");
	assert.equal(cutToWidth("👨‍👩‍👧‍👦 family", 4), "👨‍👩‍👧‍👦 …");
	assert.equal(cutToWidth("fits", 4), "fits");
	assert.equal(cutToWidth("日本", 4), "日本");
	assert.equal(cutToWidth("anything", 0), "");
	fc.assert(
		fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat(30), (text, columns) => {
			assert.ok(stringWidth(cutToWidth(text, columns)) <= columns);
		}),
	);
});

test("every character of one column is measured as the library for it does, alone and beside others", () => {
	const characters = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code));
	const differing = characters.filter((each) => textWidth(`a${each}b`) !== stringWidth(`a${each}b`));
	assert.deepEqual(differing, []);
	fc.assert(
		fc.property(fc.string({ unit: fc.constantFrom(..."aé–…→─█✓✗ǁ·日\u0301\ufe0f"), maxLength: 12 }), (text) => {
			assert.equal(textWidth(text), stringWidth(text));
		}),
	);
});

test("a line of a million characters is cut without being measured whole", () => {
	assert.equal(textWidth(cutToWidth("語".repeat(1_000_000), 80)), 79);
});

test("what a terminal shows holds no escape sequences, controls or half characters", () => {
	assert.equal(printable("\u001b[31mred\u001b[0m\u001b]0;title\u0007 \u0000x\r\ny\ud800"), "red \ufffdx\ny\ufffd");
	assert.equal(printable("a\u202eb"), "a\ufffdb");
	assert.equal(oneLine("  two\n\twords \u001b[2J"), "two words");
});
