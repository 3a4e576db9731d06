import assert from "node:assert/strict";
import { test } from "node:test";
import { ItemIndex, type RecallItem } from "./item-index.ts";
import { type RankOptions, rank } from "./rank.ts";

const item = (text: string, more: Partial<RecallItem> = {}): RecallItem => ({
	id: text.slice(0, 12),
	text,
	heading: "Notes",
	source: "memory",
	...more,
});

function best(items: readonly RecallItem[], text: string, options: Partial<RankOptions> = {}): readonly number[] {
	using index = new ItemIndex(items);
	return rank(index, text, { limit: 10, ...options }).ranked.map(({ row }) => row);
}

test("words are found by their stem, by the parts of identifiers, and in Han by pairs", () => {
	const items = [
		item("The parcels are weighed twice"),
		item("see resolveTariff in zones"),
		item("发布前必须运行迁移脚本"),
	];
	assert.deepEqual(best(items, "weighing a parcel"), [0]);
	assert.deepEqual(best(items, "which tariff?"), [1]);
	assert.deepEqual(best(items, "迁移怎么做"), [2]);
	assert.deepEqual(best(items, "what is the and of it"), []);
});

test("a rare word counts for more than a frequent one, and one of many words is enough", () => {
	const items = [...Array.from({ length: 9 }, (_, n) => item(`deploy ${n}`)), item("the canary host is gate7")];
	assert.equal(best(items, "deploy to the canary with a lot of unknown words")[0], 9);
});

test("an answer is found by the words of the question before it, but a long neighbour lends nothing", () => {
	const talk = [item("Which port does the relay use?"), item("It is 7443.")].map((one) => ({ ...one, stretch: "a" }));
	assert.deepEqual(best(talk, "relay port"), [0, 1]);
	assert.deepEqual(best(talk, "relay port", { neighbours: false }), [0]);
	const far = talk.map((one, n) => ({ ...one, stretch: String(n) }));
	assert.deepEqual(best(far, "relay port"), [0]);
	const short = item("Nothing of the kind.", { stretch: "b" });
	const near = item("relay ports are all over", { stretch: "c" });
	const page = item(`relay port ${"filler ".repeat(2_000)}`, { stretch: "b" });
	assert.deepEqual(best([page, short, near], "relay port").slice(0, 2).sort(), [0, 2]);
});

test("heading, day and paths are searched, and a heading that is named lifts its items", () => {
	const day = Date.UTC(2026, 2, 9);
	const items = [
		item("Never touch the vendored parser", { heading: "Constraints" }),
		item("The parser is slow", { date: day }),
		item("Rewritten by hand", { paths: ["src/parser/lexer.ts"] }),
	];
	assert.equal(best(items, "constraints on the parser")[0], 0);
	assert.deepEqual(best(items, "9 March"), [1]);
	assert.deepEqual(best(items, "lexer"), [2]);
});

test("the same items and text give the same order, equal scores the newer first", () => {
	const items = Array.from({ length: 30 }, (_, n) => item("same words here", { id: String(n) }));
	const once = best(items, "same words");
	assert.deepEqual(once, best(items, "same words"));
	assert.deepEqual(once.slice(0, 3), [29, 28, 27]);
});

test("nothing in a text is an operator, and nothing in it throws", () => {
	const items = [item('quotes " and * stars'), item("NEAR(a b)")];
	for (const text of [
		'"',
		'"a" OR',
		"NEAR(x",
		"body:*",
		"\0",
		"-a ^b {c}",
		"💥 '; DROP TABLE item",
		"x".repeat(100_000),
	]) {
		assert.ok(Array.isArray(best(items, text)));
	}
	assert.deepEqual(best(items, "stars*"), [0]);
});
