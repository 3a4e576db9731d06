import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ownCacheFolder } from "./node-process.ts";

const root = mkdtempSync(join(tmpdir(), "weft-compiled-test-"));
after(() => rmSync(root, { recursive: true, force: true }));
const account = process.getuid?.();
const skip = account === undefined && "no accounts";

function parent(name: string): string {
	mkdirSync(join(root, name));
	return join(root, name);
}

test("compiled code is cached in a folder that only this account can write to", { skip }, () => {
	const place = parent("own");
	const folder = ownCacheFolder(place) ?? assert.fail();
	assert.equal(statSync(folder).mode & 0o777, 0o700);
	assert.equal(ownCacheFolder(place), folder, "the next run has the same");
});

test("a folder that others made or can write to is not used, nor a link", { skip }, () => {
	const [open, linked, strange] = ["open", "linked", "strange"].map(parent) as [string, string, string];
	const name = `weft-compiled-${account}`;
	mkdirSync(join(open, name));
	chmodSync(join(open, name), 0o777);
	symlinkSync(root, join(linked, name));
	mkdirSync(join(strange, name), { mode: 0o700 });
	if (account === 0) chownSync(join(strange, name), 65534, 65534);
	assert.deepEqual(
		[open, linked].map((each) => ownCacheFolder(each)),
		[undefined, undefined],
	);
	if (account === 0) assert.equal(ownCacheFolder(strange), undefined);
	assert.equal(ownCacheFolder(join(root, "missing")), undefined);
	// The command itself: it neither reads nor writes there, nor in the folder that Node would take.
	const { NODE_COMPILE_CACHE: _, ...env } = process.env;
	const main = join(import.meta.dirname, "main.ts");
	const { status } = spawnSync(process.execPath, [main, "--version"], { env: { ...env, TMPDIR: open } });
	assert.equal(status, 0);
	assert.deepEqual([readdirSync(open), readdirSync(join(open, name))], [[name], []]);
});
