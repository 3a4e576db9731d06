import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { knownFiles } from "../../src/work/known-files.ts";
import { recordedFiles } from "../../src/work/recorded-files.ts";
import { type DemoLog, demoLog } from "./demo-log.ts";

let demo: DemoLog;
before(async () => {
	demo = await demoLog();
});
after(() => demo.remove());

test("a file put together by itself is what walking the whole log gives, after every message", () => {
	const newest = demo.log.newestSeq();
	for (let seq = 1; seq <= newest; seq++) {
		// Between a message and the events that it caused the two look at different things.
		if (seq < newest && demo.log.get(seq + 1)!.type !== "Message") continue;
		const all = recordedFiles(demo.log, seq);
		const some = knownFiles(demo.log, seq);
		for (const path of all.paths()) assert.deepEqual(some.read(path), all.read(path), `${path} at ${seq}`);
	}
	assert.ok(recordedFiles(demo.log, newest).paths().length >= 5);
});

test("a file that the log does not show is said to be so", () => {
	assert.deepEqual(knownFiles(demo.log, demo.log.newestSeq()).read("no/such.ts"), {
		kind: "unreadable",
		reason: "the log does not show its text",
	});
});
