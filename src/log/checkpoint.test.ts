import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { Log } from "./log.ts";

const root = temporaryFolder();

const walOf = (log: Log): number => statSync(`${log.path}-wal`).size;

function append(log: Log, name: string, n: number): void {
	const payload = { name, data: name === "big" ? `${n} `.repeat(25_000) : "" };
	log.append([{ type: "Custom", session: "s", host: "h", ts: n, entry: `${name} ${n}`, payload }]);
}

function countBig(log: Log): number {
	return [...log.read({ types: ["Custom"] })].filter(({ payload }) => payload["name"] === "big").length;
}

test("whoever writes alone keeps the WAL small by itself, without a thread", () => {
	using log = new Log({ folder: join(root, "alone"), origin: "here" });
	let most = 0;
	for (let n = 0; n < 200; n++) {
		append(log, "big", n);
		most = Math.max(most, walOf(log));
	}
	assert.ok(most > 3_000_000 && most < 4_000_000, `${most} bytes`);
	assert.ok(!existsSync(`${log.path}-checkpoint`));
	assert.equal(countBig(log), 200);
});

test("where others write too, a WAL that has grown is started over by a thread, while the writer goes on", async () => {
	using log = new Log({ folder: join(root, "log"), origin: "here" });
	using other = new Log({ folder: log.folder, origin: "here" });
	let most = 0;
	for (let n = 0; n < 80; n++) {
		append(log, "big", n);
		append(other, "other", n);
		most = Math.max(most, walOf(log));
	}
	assert.ok(most > 3_000_000);
	// The thread has all the time that a test has; the first commit after it cuts the file back.
	for (let n = 0; walOf(log) > 3_000_000; n++) {
		await setTimeout(20);
		append(log, "after", n);
	}
	assert.ok(existsSync(`${log.path}-checkpoint`));
	assert.equal(countBig(log), 80);
});

test("a reader that holds on to an old state does not let the WAL grow without end: a thread waits for it", async () => {
	using log = new Log({ folder: join(root, "reader"), origin: "here" });
	using reader = new Log({ folder: log.folder, origin: "here" });
	append(log, "big", 0);
	reader.snapshot(() => {
		for (let n = 1; n < 80; n++) append(log, "big", n);
	});
	for (let n = 0; walOf(log) > 3_000_000; n++) {
		await setTimeout(20);
		append(log, "after", n);
	}
	assert.equal(countBig(log), 80);
});

test("once a log is closed nothing has its files open: its folder can be removed at once", () => {
	for (let round = 0; round < 4; round++) {
		const folder = join(root, `removed ${round}`);
		const log = new Log({ folder, origin: "here" });
		const other = new Log({ folder, origin: "here" });
		let most = 0;
		for (let n = 0; n < 40; n++) {
			append(log, "big", n);
			append(other, "other", n);
			most = Math.max(most, walOf(log));
		}
		// The thread may have cut it back already.
		assert.ok(most > 3_000_000);
		other.close();
		log.close();
		// The last one to close the database takes its WAL away; a thread that still had it open would not let it.
		assert.deepEqual(
			readdirSync(folder).filter((name) => /-(wal|shm)$/.test(name)),
			[],
		);
		rmSync(folder, { recursive: true });
	}
});
