import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readSettings } from "./resolve.ts";
import { writeSetting } from "./sources.ts";

function userFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), "weft-settings-"));
	after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

test("a setting that is chosen holds from the next reading on; what else stands in the file stays", () => {
	const folder = userFolder();
	const env = { HOME: folder };
	writeSetting(env, "pruneDays", 30);
	const file = writeSetting(env, "mode", "lossless");
	assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), { pruneDays: 30, mode: "lossless" });
	const { settings, origins, problems } = readSettings({ env, cwd: folder, projectRoot: folder, trusted: false });
	assert.deepEqual([settings.mode, settings.pruneDays, problems], ["lossless", 30, []]);
	assert.equal(origins.mode, file);
});

test("a file that is not a JSON object is left as it is", () => {
	const folder = userFolder();
	const file = writeSetting({ XDG_CONFIG_HOME: folder }, "mode", "warp");
	writeFileSync(file, "{ mode: warp");
	assert.throws(() => writeSetting({ XDG_CONFIG_HOME: folder }, "mode", "off"), /is not a JSON object\. Correct it/);
	assert.equal(readFileSync(file, "utf8"), "{ mode: warp");
});
