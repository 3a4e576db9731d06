import assert from "node:assert/strict";
import { test } from "node:test";
import { cutMiddle, cutToBytes } from "../../base/text/cut.ts";
import { bytesOfTokens, estimateTokens } from "../../base/tokens/estimate.ts";
import { contextBudget, LineRoom, type ListEntry, renderList, type SectionStyle, tokensOf } from "./section.ts";

test("the budget is Warp's: the window without answer and schemas, three fifths of it", () => {
	assert.equal(contextBudget({ window: 200_000, maxTokens: 64_000 }), Math.floor((200_000 - 8_192 - 12_000) * 0.6));
	assert.equal(
		contextBudget({ window: 200_000, maxTokens: 4_096 }),
		Math.floor((200_000 - 4_096 * 0.8 - 12_000) * 0.6),
	);
	assert.equal(contextBudget({ window: 200_000 }), contextBudget({ window: 200_000, maxTokens: 20_000 }));
});

test("a small window gives a quarter of itself", () => {
	assert.equal(contextBudget({ window: 4_000, maxTokens: 4_000 }), 1_000);
	assert.equal(contextBudget({ window: 16_384, maxTokens: 8_192 }), 4_096);
	assert.equal(contextBudget({ window: 0 }), 0);
	const edge = 12_000 + 8_192 + Math.ceil(2_000 / 0.6);
	assert.equal(contextBudget({ window: edge }), 2_000);
	assert.equal(contextBudget({ window: edge - 2 }), Math.floor((edge - 2) / 4));
});

test("tokens are bytes by 3.2, never too few", () => {
	assert.equal(estimateTokens(""), 0);
	assert.equal(estimateTokens("a".repeat(32)), 10);
	assert.equal(estimateTokens("a".repeat(33)), 11);
	assert.equal(estimateTokens("満潮"), 2);
	for (const tokens of [0, 1, 7, 1_000]) assert.ok(estimateTokens("x".repeat(bytesOfTokens(tokens))) <= tokens);
});

test("a room takes lines while they fit, with their line breaks, and all of a group or none", () => {
	const room = new LineRoom(10);
	assert.equal(room.add("1234", "5678"), true);
	assert.equal(room.free, 0);
	assert.equal(room.add(""), false);
	assert.deepEqual(room.lines, ["1234", "5678"]);
	assert.equal(tokensOf(["1234", "5678"]), 4);
	assert.equal(new LineRoom(-5).add(""), false);
});

test("a text is cut between characters and says so", () => {
	assert.equal(cutToBytes("harbour", 7), "harbour");
	assert.equal(cutToBytes("harbour", 6), "har…");
	assert.equal(cutToBytes("満潮", 5), "…");
	assert.equal(cutToBytes("👨‍👩‍👧👍", 8), "👨…");
	assert.equal(cutToBytes("abc", 2), "");
	for (let bytes = 0; bytes < 40; bytes++)
		assert.ok(Buffer.byteLength(cutToBytes("満潮 06:41 👍 4.2メートル", bytes)) <= bytes);
});

test("a text is cut in its middle, within the bytes, between characters, with the handle to get it", () => {
	assert.equal(cutMiddle("harbour", 7, "m-1"), "harbour");
	assert.equal(
		cutMiddle("a".repeat(40) + "z".repeat(40), 50, "m-1"),
		`${"a".repeat(17)}\n[… cut; whole: m-1 …]\n${"z".repeat(6)}`,
	);
	const words = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen.";
	assert.equal(cutMiddle(words, 70, "m-1"), "One two three four five six\n[… cut; whole: m-1 …]\nfifteen.");
	const text = "満潮 06:41 👍 4.2メートル".repeat(9);
	for (let bytes = 40; bytes < 200; bytes++) {
		const cut = cutMiddle(text, bytes, "m-1");
		assert.ok(Buffer.byteLength(cut) <= bytes);
		assert.equal(cut.includes("\ufffd"), false);
	}
});

const style: SectionStyle = {
	namesTools: true,
	heading: (title) => `# ${title}`,
	notice: (words, way = "ask") => `[${words}: ${way}]`,
	reference: (handle) => ` ${handle}`,
	pieceHeading: () => [],
	quote: (line) => line,
};

function entry(id: string, ...forms: string[][]): ListEntry {
	return { id, kind: "thing", why: "it is there", handle: `e-${id}`, forms };
}

test("a list shows each entry in the longest form that fits, and ends at the first that does not", () => {
	const entries = [
		entry("a", ["aaaa", "more"]),
		entry("b", ["b".repeat(30)], ["bb"]),
		entry("c", ["c".repeat(30)]),
		entry("d", ["d"]),
	];
	const section = renderList({ name: "things", title: "Things", entries, more: 2 }, style, 40);
	assert.deepEqual(section.lines, ["# Things", "aaaa", "more", "bb", "[4 more: ask]"]);
	assert.equal(section.left, 4);
	assert.deepEqual(section.items[1], {
		id: "b",
		kind: "thing",
		why: "it is there",
		handle: "e-b",
		tokens: 1,
		included: true,
	});
	assert.deepEqual(section.items[3], {
		id: "d",
		kind: "thing",
		why: "it is there, but the section's share was used up",
		handle: "e-d",
		tokens: 1,
		included: false,
	});
});

test("a list without room for any entry says how many there are, or nothing", () => {
	const list = { name: "things", title: "Things", entries: [entry("a", ["a".repeat(99)])] };
	assert.deepEqual(renderList(list, style, 30).lines, ["# Things", "[1 more: ask]"]);
	assert.deepEqual(renderList(list, style, 10).lines, []);
	assert.equal(renderList(list, style, 10).left, 1);
	assert.deepEqual(renderList({ ...list, entries: [] }, style, 99).lines, []);
});

test("a list may stand in the order in which things happened, after its first entry", () => {
	const list = {
		name: "things",
		title: "Things",
		first: entry("task", ["task"]),
		entries: [entry("c", ["c"]), entry("b", ["b"]), entry("a", ["a".repeat(40)])],
		isReversed: true,
		way: "look",
	};
	assert.deepEqual(renderList(list, style, 50).lines, ["# Things", "task", "[1 more: look]", "b", "c"]);
	assert.deepEqual(renderList(list, style, 90).lines, ["# Things", "task", "a".repeat(40), "b", "c"]);
});
