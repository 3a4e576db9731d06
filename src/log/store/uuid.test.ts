import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatUuid, parseUuid, UuidSource } from "./uuid.ts";

test("ids are UUIDv7 that hold their time, rise, and differ, whatever the clock does", () => {
	const source = new UuidSource();
	const clock = fc.array(fc.integer({ min: 0, max: 2 ** 48 - 2 ** 33 }), { maxLength: 50 });
	fc.assert(
		fc.property(clock, (times) => {
			let last: { bytes: Uint8Array; text: string } | undefined;
			for (const ms of times) {
				const id = source.next(ms, last?.bytes);
				assert.match(id.text, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
				assert.equal(formatUuid(id.bytes), id.text);
				assert.deepEqual(parseUuid(id.text), id.bytes);
				const told = Number.parseInt(id.text.replaceAll("-", "").slice(0, 12), 16);
				assert.ok(told >= ms);
				if (last) assert.ok(id.text > last.text, `${id.text} after ${last.text}`);
				last = id;
			}
		}),
	);
});

test("more ids than a millisecond's counter holds still rise", () => {
	const source = new UuidSource();
	const ids: string[] = [];
	for (let n = 0, head: Uint8Array | undefined; n < 10_000; n++) {
		const id = source.next(1_700_000_000_000, head);
		ids.push(id.text);
		head = id.bytes;
	}
	assert.deepEqual(ids.toSorted(), ids);
	assert.equal(new Set(ids).size, ids.length);
});
