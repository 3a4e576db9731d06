import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { showSignOfLife } from "./busy-indicator.ts";

const ERASED = "\r\u001b[2K";

/** A file in place of the terminal. */
function terminal(t: { after(done: () => void): void }) {
	const folder = mkdtempSync(join(tmpdir(), "weft-sign-"));
	const path = join(folder, "terminal");
	const fd = openSync(path, "w");
	t.after(() => {
		closeSync(fd);
		rmSync(folder, { recursive: true, force: true });
	});
	return { fd, text: () => readFileSync(path, "utf8") };
}

test("while a command computes without a word, the terminal says so, and is clean afterwards", (t) => {
	const { fd, text } = terminal(t);
	const sign = showSignOfLife({ fd, quietMs: 40 });
	for (const end = performance.now() + 20_000; text() === "" && performance.now() < end; );
	assert.ok(text().startsWith(`${ERASED}Working: `), text());
	sign.end();
	sign.end();
	assert.ok(text().endsWith(ERASED));
});

test("a command that waits, and does not compute, shows nothing", async (t) => {
	const { fd, text } = terminal(t);
	const sign = showSignOfLife({ fd, quietMs: 1_000 });
	await new Promise((resolve) => setTimeout(resolve, 30));
	sign.end();
	assert.equal(text(), "");
});
