import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Log } from "./log.ts";

const root = mkdtempSync(join(tmpdir(), "weft-checkpoint-"));
after(() => rmSync(root, { recursive: true, force: true }));

test("a WAL that has grown is started over by a thread, while the writer goes on and is not asked", async () => {
	using log = new Log({ folder: join(root, "log"), origin: "here" });
	const wal = () => statSync(`${log.path}-wal`).size;
	for (let n = 0; n < 80; n++) {
		const payload = { name: "big", data: `${n} `.repeat(25_000) };
		log.append([{ type: "Custom", session: "s", host: "h", ts: n, entry: `${n}`, payload }]);
	}
	const small = (entry: string) =>
		log.append([{ type: "Custom", session: "s", host: "h", ts: 1, entry, payload: { name: "small" } }]);
	assert.ok(wal() > 3_000_000);
	// The thread has all the time that a test has; the first commit after it cuts the file back.
	for (let n = 0; wal() > 3_000_000; n++) {
		await setTimeout(20);
		small(`after ${n}`);
	}
	assert.equal([...log.read({ types: ["Custom"] })].filter(({ payload }) => payload["name"] === "big").length, 80);
});

test("once a log is closed nothing has its files open: its folder can be removed at once", () => {
	for (let round = 0; round < 4; round++) {
		const folder = join(root, `removed ${round}`);
		const log = new Log({ folder, origin: "here" });
		for (let n = 0; n < 40; n++) {
			const payload = { name: "big", data: `${n} `.repeat(25_000) };
			log.append([{ type: "Custom", session: "s", host: "h", ts: n, entry: `${n}`, payload }]);
		}
		log.close();
		// The last one to close the database takes its WAL away; a thread that still had it open would not let it.
		assert.deepEqual(
			readdirSync(folder).filter((name) => /-(wal|shm)$/.test(name)),
			[],
		);
		rmSync(folder, { recursive: true });
	}
});
