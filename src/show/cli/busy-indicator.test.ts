import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { showWhenBusy } from "./busy-indicator.ts";

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

test("shows a line while a command computes in silence, and erases it afterwards", (t) => {
	const { fd, text } = terminal(t);
	const indicator = showWhenBusy(fd);
	for (const end = performance.now() + 20_000; text() === "" && performance.now() < end; );
	assert.ok(text().startsWith(`${ERASED}Working: `), text());
	indicator.end();
	indicator.end();
	assert.ok(text().endsWith(ERASED));
});

test("shows nothing while a command only waits", async (t) => {
	const { fd, text } = terminal(t);
	const indicator = showWhenBusy(fd);
	await new Promise((resolve) => setTimeout(resolve, 30));
	indicator.end();
	assert.equal(text(), "");
});
