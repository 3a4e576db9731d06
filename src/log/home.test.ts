import assert from "node:assert/strict";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { makePrivateFolder } from "./home.ts";

test("what it makes is private; a folder that is there keeps its mode", {
	skip: process.platform === "win32",
}, () => {
	const folder = temporaryFolder();
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
