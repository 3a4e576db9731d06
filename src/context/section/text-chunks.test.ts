import assert from "node:assert/strict";
import { test } from "node:test";
import { chunksOf, isHeading, ledChunks } from "./text-chunks.ts";

test("no heading is without what it heads, and the last one without anything is left out", () => {
	const text = `${"The parser reads a line at a time. ".repeat(7)}\n7. Pending Tasks:\n- Write the test.\n\n8. Current Work:`;
	const chunks = chunksOf(text);
	assert.equal(chunks.length, 2);
	assert.equal(chunks[1], "7. Pending Tasks: - Write the test.");
	assert.deepEqual(chunksOf("## Skipped\n\n**Why**"), []);
});

test("a long line is cut between sentences or words, and nothing of it is lost", () => {
	const words = Array.from({ length: 200 }, (_, at) => `word${at}${at % 12 === 11 ? "." : ""}`);
	const chunks = chunksOf(words.join(" "));
	assert.ok(chunks.length > 2);
	assert.deepEqual(chunks.join(" ").split(" "), words);
});

test("a short block of code stays without its fences, a long one is left out", () => {
	assert.deepEqual(chunksOf("Run this:\n```bash\nnpm run check\n```\nThen push."), [
		"Run this: npm run check Then push.",
	]);
	const code = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
	assert.deepEqual(chunksOf(`It is so now.\n\`\`\`ts\n${code}\n\`\`\``), ["It is so now."]);
});

test("a heading is a short line that opens what follows", () => {
	for (const line of ["## Next", "**Errors and fixes**", "7. Pending Tasks:", "次のとおり："])
		assert.ok(isHeading(line), line);
	for (const line of ["The port is 7443.", `${"so ".repeat(50)}:`]) assert.ok(!isHeading(line), line);
});

test("a piece from the middle of a list is led by what the list is about, and a ruler is no text", () => {
	const items = Array.from({ length: 9 }, (_, at) => `- the gauge ${at} is read once an hour and its value kept`);
	const chunks = ledChunks(["The harbour has many gauges.", "---", "What each of them does:", ...items].join("\n"));
	assert.ok(chunks.length > 2 && !chunks.some(({ text }) => text.includes("---")));
	assert.equal(chunks[0]?.lead, "");
	assert.equal(chunks.at(-1)?.lead, "What each of them does:");
});

const LONG = "it is read once an hour, and its value is kept with the day, the hour and the name of who has read it";

test("an item is led by the item that holds it, not by a list that is over", () => {
	const items = Array.from({ length: 4 }, (_, at) => `- gauge ${at}: ${LONG} in the morning, at noon and at night`);
	const text = [
		"1. **Add the gauges**",
		...items,
		"   Rules:",
		"   - none by hand",
		"2. **Paint the harbour**",
		...items,
	];
	const leads = ledChunks(text.join("\n")).map(({ lead }) => lead);
	assert.ok(leads.includes("Add the gauges"));
	assert.equal(leads.at(-1), "Paint the harbour");
	const over = ["Before:", "- one", "", "It is done.", "", ...items].join("\n");
	assert.equal(ledChunks(over).at(-1)?.lead, "");
});

test("a long line that ends in a colon keeps the first line of what it leads to", () => {
	const opening = `The harbour is small, and ${LONG}. What makes it slow comes from these three places:`;
	const chunks = chunksOf(`${"It is old. ".repeat(12)}\n${opening}\n- ${LONG}, by hand\n- ${LONG}, by the sea`);
	assert.ok(chunks.every((chunk) => !chunk.endsWith(":")));
});
