import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { openInBrowser } from "./browser.ts";

const folder = temporaryFolder();

test("a browser that did not start is not said to be open", {
	skip: process.platform === "linux" ? false : "the program has another name here",
}, async (t) => {
	const path = process.env["PATH"];
	t.after(() => {
		process.env["PATH"] = path;
	});
	process.env["PATH"] = folder;
	const open = () => openInBrowser("http://127.0.0.1:1/");
	assert.equal(await open(), false, "there is no such program");
	for (const [exit, isOpen] of [
		[3, false],
		[0, true],
	] as const) {
		writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\nexit ${exit}\n`);
		chmodSync(join(folder, "xdg-open"), 0o700);
		assert.equal(await open(), isOpen);
	}
});
