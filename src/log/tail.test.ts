import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { tail } from "./tail.ts";

const folder = temporaryFolder();

test("while nothing happens it sleeps: it looks again when the folder changes, and otherwise about once a second", async () => {
	let looks = 0;
	const look = () => {
		looks++;
		return 0;
	};
	const stop = new AbortController();
	const done = (async () => {
		for await (const _ of tail(folder, () => [], look, { after: 0, signal: stop.signal })) assert.fail("nothing came");
	})();
	await sleep(1_500);
	assert.ok(looks >= 1 && looks <= 5, `looked ${looks} times`);
	const before = looks;
	for (let n = 0; n < 10; n++) {
		writeFileSync(join(folder, "log.db-wal"), "x".repeat(n));
		await sleep(200);
	}
	assert.ok(looks - before >= 5, `ten changes in two seconds woke it ${looks - before} times`);
	stop.abort();
	await done;
});
