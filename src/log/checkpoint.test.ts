import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Log } from "./log.ts";

const root = mkdtempSync(join(tmpdir(), "weft-checkpoint-"));
after(() => rmSync(root, { recursive: true, force: true }));

test("a WAL that has grown is emptied by a thread, while the writer goes on and is not asked", async () => {
	using log = new Log({ folder: join(root, "log"), origin: "here" });
	const wal = () => statSync(`${log.path}-wal`).size;
	for (let n = 0; n < 40; n++) {
		const payload = { name: "big", data: `${n} `.repeat(25_000) };
		log.append([{ type: "Custom", session: "s", host: "h", ts: n, entry: `${n}`, payload }]);
	}
	// The thread has all the time that a test has.
	while (wal() > 2_000_000) await setTimeout(20);
	log.append([{ type: "Custom", session: "s", host: "h", ts: 1, entry: "after", payload: { name: "small" } }]);
	assert.equal(log.count(), 41);
	assert.ok(wal() < 2_000_000);
});
