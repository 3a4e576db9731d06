import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { gramExpression } from "./grams.ts";
import { readDocument } from "./indexed-document.ts";

function gramText(text: string): string {
	return readDocument([text]).grams;
}

const gramsOf = (text: string) => new Set(gramText(text).split(" "));
const asked = (literal: string) =>
	[...(gramExpression(literal, { all: true }) ?? "").matchAll(/"([^"]*)"/g)].map((match) => match[1]!);

test("takes triples inside words and pairs in CJK runs, folded, once each", () => {
	assert.equal(gramText("Abcd, ABC ab 迁移脚 x1y2"), "abc bcd x1y 1y2 迁移 移脚");
	assert.equal(gramText("API의존성"), "api pi의 i의존 의존 존성");
});

test("asks for few grams first, the rarer ones, and for all on request", () => {
	assert.equal(gramExpression("connectionPool"), '("npo" AND "poo" AND "ool")');
	assert.equal(asked("connectionPool").length, 12);
	assert.equal(gramExpression("=> {}"), undefined);
	assert.equal(gramExpression("ab"), undefined);
});

test("every text that contains a literal has all its grams", () => {
	const text = fc.string({ unit: fc.constantFrom(..."aBcÄß9 ._-迁移スト한글🔥𠮷ΣςİK\ud83d\0"), maxLength: 40 });
	fc.assert(
		fc.property(text, fc.nat(40), fc.nat(12), (whole, from, length) => {
			const grams = gramsOf(whole);
			for (const gram of asked(whole.slice(from, from + length))) assert.ok(grams.has(gram), `${gram} of ${whole}`);
		}),
		{ numRuns: 1_000 },
	);
});
