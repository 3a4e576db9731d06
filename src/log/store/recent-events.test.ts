import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { databaseOf } from "../database.ts";
import type { EventRecord, NewEvent } from "../event/types.ts";
import { Log } from "../log.ts";
import type { ReadQuery } from "../types.ts";

const root = temporaryFolder();

let folders = 0;
const open = (folder = join(root, `log-${++folders}`)): Log => new Log({ folder, origin: "here" });

function custom(n: number, more: Partial<NewEvent> = {}): NewEvent {
	return { type: "Custom", session: "s", host: "test", ts: n, payload: { name: `n${n}` }, ...more } as NewEvent;
}

/** What a process that has just been started reads. */
function onDisk(log: Log, query: ReadQuery): EventRecord[] {
	using fresh = open(log.folder);
	return [...fresh.read(query)];
}

function names(records: Iterable<EventRecord>): unknown[] {
	return [...records].map(({ payload }) => payload["name"]);
}

test("what was just written is read as it lies on disk, whatever is asked", () => {
	using log = open();
	const odd = { a: -0, b: undefined, c: "\ud800", d: [undefined, Number.NaN], toJSON: undefined };
	log.append([
		custom(1),
		custom(2, { session: "other", raw: '{"id" : "x", "__proto__": {"y": 1}, "text": "\ud800 \\ud800"}' }),
		custom(3, { payload: { name: "n3", data: odd, raw: "own" }, raw: '"given"' } as unknown as Partial<NewEvent>),
		custom(4, { payload: { name: "n4", data: new Date(0) } } as unknown as Partial<NewEvent>),
		{ ...custom(5), type: "Hologram", payload: { tool: "read", path: "a.ts" } } as unknown as NewEvent,
		custom(6, { v: 9 }),
		custom(7, { entry: "e7", cause: 3 }),
	]);
	const queries: ReadQuery[] = [
		{ after: 0 },
		{ after: 0, everything: true },
		{ after: 3, upTo: 5 },
		{ after: 0, session: "other" },
		{ after: 0, host: "nobody" },
		{ after: 0, types: ["Hologram"], limit: 1 },
		{ after: 2, limit: 2 },
		{ after: 0, order: "newest" },
		{ after: 0, file: "a.ts" },
		{ after: 0, tool: "read" },
		{ after: 0, since: 3, until: 5 },
		{ after: 99 },
		{},
	];
	for (const query of queries) assert.deepEqual([...log.read(query)], onDisk(log, query), JSON.stringify(query));
	for (const { seq } of onDisk(log, { everything: true })) {
		using other = open(log.folder);
		assert.deepEqual(log.get(seq), other.get(seq));
	}
});

test("what another process appended, changed or removed is seen at once", () => {
	using log = open();
	using other = open(log.folder);
	log.append([custom(1)]);
	other.append([custom(2)]);
	assert.deepEqual(names(log.read({ after: 0 })), ["n1", "n2"]);
	log.append([custom(3)]);
	assert.deepEqual(names(log.read({ after: 0 })), ["n1", "n2", "n3"]);
	assert.deepEqual(names(log.read({ after: 2 })), ["n3"]);
	other.append([custom(4)]);
	assert.deepEqual(names(log.read({ after: 2 })), ["n3", "n4"]);
	log.append([custom(5)]);
	databaseOf(other).exec("DELETE FROM event WHERE seq = 5");
	assert.equal(log.get(5), undefined);
	assert.deepEqual(names(log.read({ after: 3 })), ["n4"]);
});

test("what was rolled back was never there, and what is not committed yet is", () => {
	using log = open();
	log.append([custom(1)]);
	assert.throws(() =>
		log.transaction(() => {
			log.append([custom(2)]);
			assert.deepEqual(names(log.read({ after: 0 })), ["n1", "n2"]);
			throw new Error("no");
		}),
	);
	assert.deepEqual(names(log.read({ after: 0 })), ["n1"]);
	log.transaction(() => {
		log.append([custom(3)]);
		assert.throws(() =>
			log.transaction(() => {
				log.append([custom(4)]);
				throw new Error("no");
			}),
		);
		log.append([custom(5)]);
	});
	assert.deepEqual(names(log.read({ after: 0 })), ["n1", "n3", "n5"]);
	assert.deepEqual(names(log.read({ after: 1 })), ["n3", "n5"]);
});

test("more than memory should hold is read from the log", () => {
	using log = open();
	log.append(Array.from({ length: 1_500 }, (_, n) => custom(n)));
	log.append([custom(1_500, { payload: { name: "long", data: "x".repeat(5_000_000) } })]);
	log.append([custom(1_501)]);
	assert.equal([...log.read({ after: 0 })].length, 1_502);
	assert.deepEqual(names(log.read({ after: 1_499 })), ["n1499", "long", "n1501"]);
});
