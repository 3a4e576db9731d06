import assert from "node:assert/strict";
import { test } from "node:test";
import { runInForeground } from "./foreground.ts";

const place = { cwd: ".", env: {} };
const run = (code: string) => runInForeground(process.execPath, ["-e", code], place);

test("gives the status of the program", async () => {
	assert.equal(await run("process.exit(7)"), 7);
});

test("whoever ends us ends the program, and what stands after it still runs", async () => {
	const listeners = process.listenerCount("SIGTERM");
	const ended = run("setInterval(() => {}, 1000)");
	process.emit("SIGTERM", "SIGTERM");
	assert.equal(await ended, 143);
	assert.equal(process.listenerCount("SIGTERM"), listeners);
});
