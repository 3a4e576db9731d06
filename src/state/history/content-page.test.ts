import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MIN_PAGE_BYTES, pageOf } from "./content-page.ts";

test("68: pages that follow each other by next are the exact bytes, whatever they are, and cut no character", () => {
	const text = fc
		.string({ unit: "grapheme", maxLength: 300 })
		.map((value) => Buffer.from(value.toWellFormed(), "utf8"));
	const bytes = fc.uint8Array({ maxLength: 300 }).map((value) => Buffer.from(value));
	fc.assert(
		fc.property(fc.oneof(text, bytes), fc.integer({ min: 0, max: 60 }), (content, size) => {
			const parts: Buffer[] = [];
			for (let offset: number | undefined = 0; offset !== undefined; ) {
				const page = pageOf(content, offset, size);
				assert.equal(page.offset, offset);
				assert.equal(page.total, content.length);
				assert.ok(page.text.isWellFormed());
				assert.ok(page.bytes <= Math.max(MIN_PAGE_BYTES, size));
				parts.push(Buffer.from(page.text, page.encoding));
				assert.equal(parts.at(-1)!.length, page.bytes);
				assert.ok(page.next === undefined || page.next > offset);
				offset = page.next;
			}
			assert.deepEqual(Buffer.concat(parts), content);
		}),
	);
});

test("69: a negative offset is the beginning; one past the end is the end; one inside a character is its first byte", () => {
	const content = Buffer.from("añb🔥c");
	assert.deepEqual(pageOf(content, -5, 100), pageOf(content, 0, 100));
	assert.deepEqual(pageOf(content, Number.NaN, 100).offset, 0);
	assert.deepEqual(pageOf(content, 99, 100), {
		offset: 9,
		bytes: 0,
		total: 9,
		next: undefined,
		encoding: "utf8",
		text: "",
	});
	assert.deepEqual([pageOf(content, 2, 100).offset, pageOf(content, 2, 100).text], [1, "ñb🔥c"]);
	assert.equal(pageOf(content, 6, 4).text, "🔥");
});
