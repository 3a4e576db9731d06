import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTerms, rankedExpressions, wordExpression } from "./query.ts";

const expression = (text: string) => wordExpression(parseTerms(text), { thinking: true });

test("white space and NUL part terms, double quotes keep them together", () => {
	assert.deepEqual(parseTerms('say "hello there"\tfoo\0bar foo'), ["say", "hello there", "foo", "bar"]);
	assert.deepEqual(parseTerms('it"s "open and" x"y"'), ['it"s', "open and", 'x"y"']);
	assert.deepEqual(parseTerms(' \0 "" " " '), []);
});

test("quotes every term, so that nothing is an operator", () => {
	assert.equal(
		expression("a AND b* ^c d:e -f NEAR(g)"),
		'"a" AND "AND" AND "b*" AND "^c" AND "d:e" AND "-f" AND "NEAR(g)"',
	);
	assert.equal(expression('x"y'), '"x y"');
});

test("asks for the body alone unless thinking is wanted", () => {
	assert.equal(wordExpression(["a", "b"], { thinking: false }), '{body} : ("a" AND "b")');
});

test("an identifier is found whole or by its parts", () => {
	assert.equal(expression("getUser"), '("getUser" OR "get User")');
	assert.equal(expression("a.getUser"), '"a.getUser"');
});

test("where an identifier begins with the term comes before where its words stand", () => {
	const expressions = (text: string) => rankedExpressions(parseTerms(text), { thinking: true });
	const narrow = '("getUser" OR "ǁ get User")';
	assert.deepEqual(expressions("getUser"), [narrow, `(("getUser" OR "get User")) NOT (${narrow})`]);
	assert.deepEqual(expressions("user"), ['"user"']);
	assert.deepEqual(expressions("=>"), []);
});

test("a single CJK character is the beginning of any pair", () => {
	assert.equal(expression("迁"), '" 迁 " *');
	assert.equal(expression("迁移"), '" 迁移 "');
});

test("terms without a letter or digit are left to the others", () => {
	assert.equal(expression('"hello" "*"'), '"hello"');
	assert.equal(expression("=> *"), undefined);
});

test("a query has an end", () => {
	assert.equal(parseTerms(Array.from({ length: 1_000 }, (_, n) => `w${n}`).join(" ")).length, 64);
});
