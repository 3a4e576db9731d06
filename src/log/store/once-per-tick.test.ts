import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { noteCommit, OncePerTick } from "./once-per-tick.ts";

test("looks once until the event loop turns, and again after a commit of this process", async () => {
	let looks = 0;
	const glance = new OncePerTick(() => ++looks);
	assert.equal(glance.get(), 1);
	await Promise.resolve();
	assert.equal(glance.get(), 1, "the same hook goes on");
	noteCommit();
	assert.equal(glance.get(), 2, "something was written here");
	await nextTick();
	assert.equal(glance.get(), 3, "another process may have written");
});
