import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldText } from "./letters.ts";

test("folds case and Latin accents", () => {
	assert.equal(foldText("Größe CAFÉ Ünïcode"), "große cafe unicode");
	assert.equal(foldText("ΟΔΟΣ"), foldText("οδος"));
	assert.equal(foldText("\u212a\u017f"), "ks");
});

test("keeps the length of every character there is", () => {
	for (let code = 0; code <= 0x10ffff; code++) {
		const character = String.fromCodePoint(code);
		if (foldText(character).length !== character.length) assert.fail(`U+${code.toString(16)} changes its length`);
	}
});

test("a part of a text folds to the same part of its folding", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), fc.nat(20), (text, from, length) => {
			assert.equal(foldText(text.slice(from, from + length)), foldText(text).slice(from, from + length));
		}),
	);
	assert.equal(foldText("ΑΣ Β").slice(0, 2), foldText("ΑΣ"));
	assert.equal(foldText("\u{118a0}X").slice(1), foldText("\u{118a0}X".slice(1)));
});
