import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makePrivateFolder } from "./home.ts";

test("what it makes is private; a folder that is there keeps its mode", { skip: process.platform === "win32" }, (t) => {
	const folder = mkdtempSync(join(tmpdir(), "weft-home-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const mode = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
	const shared = join(folder, "shared");
	mkdirSync(shared);
	chmodSync(shared, 0o1777);
	makePrivateFolder(shared);
	makePrivateFolder(join(shared, "weft", "projects"));
	assert.deepEqual(
		[mode(shared), mode(join(shared, "weft")), mode(join(shared, "weft", "projects"))],
		["1777", "700", "700"],
	);
});
