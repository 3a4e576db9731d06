import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { databaseOf } from "../database.ts";
import type { NewEvent } from "../event/types.ts";
import { Log } from "../log.ts";
import { verify } from "../repair/verify.ts";

const root = temporaryFolder();

function open(name: string): Log {
	return new Log({ folder: join(root, name), origin: "here", now: () => 1_000 });
}

function event(n: number): NewEvent {
	const data = `${n} `.repeat(100 + (n % 150));
	return { type: "Custom", session: "s", host: "test", ts: n, entry: `e${n}`, payload: { name: "x", data } };
}

/** Pages of a table as the disk has them. */
function pagesOf(log: Log, table: string): number {
	return (databaseOf(log).prepare("SELECT count(*) AS n FROM dbstat WHERE name = ?").get(table) as { n: number }).n;
}

test("a session that was written event by event takes about the room of one that was imported", () => {
	const events = Array.from({ length: 3_000 }, (_, n) => event(n));
	using live = open("live");
	using imported = open("imported");
	for (const each of events) live.append([each]);
	live.settle({ all: true });
	imported.append(events, { packed: true });
	assert.ok(
		pagesOf(live, "event") <= 1.1 * pagesOf(imported, "event"),
		`${pagesOf(live, "event")} pages beside ${pagesOf(imported, "event")}`,
	);
	assert.deepEqual(
		[...live.read()].map(({ payload }) => payload),
		[...imported.read()].map(({ payload }) => payload),
	);
	assert.deepEqual(verify(live).problems, []);
});

test("what an event keeps besides its row is not let go when rows are packed", () => {
	using log = open("blobs");
	const blobs = Array.from({ length: 200 }, (_, n) => log.putBlob(Buffer.from(`output ${n}`.repeat(50))));
	for (const [n, blob] of blobs.entries()) {
		log.append([{ ...event(n), payload: { name: "output", data: "x".repeat(3_000), blob } } as NewEvent]);
	}
	log.settle({ all: true });
	const { n } = databaseOf(log).prepare("SELECT count(*) AS n FROM blob_use").get() as { n: number };
	assert.equal(n, blobs.length);
	assert.deepEqual(verify(log).problems, []);
});

test("pages that the search index has left go back to the disk", () => {
	using log = new Log({
		folder: join(root, "searched"),
		origin: "here",
		now: () => 1_000,
		searchable: ({ payload }) => ({ text: String(payload["data"]), role: "user", thinking: "", tool: undefined }),
	});
	const free = () =>
		(databaseOf(log).prepare("PRAGMA freelist_count").get() as { freelist_count: number }).freelist_count;
	let most = 0;
	for (let n = 0; n < 400; n++) {
		const data = Array.from({ length: 120 }, (_, word) => `w${(n * 7_919 + word * 104_729) % 50_021}`).join(" ");
		log.append([{ ...event(n), payload: { name: "x", data } }]);
		log.search.catchUp();
		most = Math.max(most, free());
	}
	assert.ok(most > 16, `only ${most} pages were ever free`);
	log.settle({ all: true });
	assert.ok(free() < 16, `${free()} pages are free`);
	assert.equal(verify(log).problems.length, 0);
});
