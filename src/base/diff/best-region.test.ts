import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findBestRegions } from "./best-region.ts";

const findBestRegion = (...given: Parameters<typeof findBestRegions>) => findBestRegions(...given)[0];

const functions = Array.from(
	{ length: 60 },
	(_, n) => `function step${n}(input) {\n\tconst total${n} = input.rows * ${n};\n\treturn total${n} + offset;\n}\n`,
);
const TEXT = functions.join("\n");
const lineOf = (n: number) => n * 5 + 1;

test("finds the place of a text of which many words are gone, and 40 lines around it", () => {
	let found = 0;
	for (let n = 0; n < 60; n++) {
		// Three words of five are others.
		let word = 0;
		const wanted = functions[n]!.replace(/\w+/g, (known) =>
			word++ % 5 < 3 && !known.endsWith(`${n}`) ? "gone" : known,
		);
		const region = findBestRegion(TEXT, wanted);
		if (region && region.from <= lineOf(n) && region.to >= lineOf(n) + 3) found++;
	}
	assert.ok(found >= 58, `${found} of 60`);
	const region = findBestRegion(TEXT, functions[30]!)!;
	assert.deepEqual([region.to - region.from + 1, region.share], [40, 1]);
});

test("a place at either end stays inside the text; a short text is shown whole", () => {
	assert.deepEqual(findBestRegion(TEXT, functions[0]!), { from: 1, to: 40, share: 1 });
	assert.equal(findBestRegion(TEXT, functions[59]!)?.to, 299);
	assert.deepEqual(findBestRegion("one two\nthree\n", "one two\nthrees"), { from: 1, to: 2, share: 1 });
});

test("nothing in common, or nothing to look for, is no place", () => {
	assert.equal(findBestRegion(TEXT, "quite another thing altogether"), undefined);
	assert.equal(findBestRegion(TEXT, "  {} ;"), undefined);
	assert.equal(findBestRegion("", "x"), undefined);
});

test("is always inside the text, holds the wanted height, and is the same each time", () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 400, unit: "grapheme" }), fc.string({ maxLength: 80 }), (text, wanted) => {
			const region = findBestRegion(text, wanted, 5);
			assert.deepEqual(region, findBestRegion(text, wanted, 5));
			if (!region) return;
			const lines = text.replaceAll("\r\n", "\n").split("\n").length;
			assert.ok(region.from >= 1 && region.from <= region.to && region.to <= lines);
			assert.ok(region.share > 0 && region.share <= 1);
		}),
		{ numRuns: 200 },
	);
});

test("a few words that fit several places show each of them", () => {
	const lines = Array.from({ length: 300 }, (_, n) => (n % 100 === 50 ? `call(total, ${n})` : `line ${n} of the rest`));
	const regions = findBestRegions(lines.join("\n"), "total");
	assert.deepEqual(
		regions.map(({ from, to }) => [from, to]),
		[
			[32, 71],
			[145, 158],
			[245, 258],
		],
	);
	assert.equal(findBestRegions(lines.join("\n"), "call(total, 150)").length, 1);
});
