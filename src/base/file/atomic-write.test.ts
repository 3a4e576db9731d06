import assert from "node:assert/strict";
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { writeAtomically, writeError } from "./atomic-write.ts";

const folder = mkdtempSync(join(tmpdir(), "weft-atomic-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

test("a file with another name keeps it, and both have the new text", () => {
	writeFileSync(at("one"), "a long text before\n", { mode: 0o640 });
	linkSync(at("one"), at("other"));
	writeAtomically(at("one"), "after\n");
	assert.deepEqual([readFileSync(at("one"), "utf8"), readFileSync(at("other"), "utf8")], ["after\n", "after\n"]);
	assert.equal(statSync(at("one")).ino, statSync(at("other")).ino);
	assert.deepEqual(readdirSync(folder).sort(), ["one", "other"]);
});

test("a write that fails leaves no temporary file, and no message advises removing anything", () => {
	assert.throws(() => writeAtomically(join(folder, "one", "below"), "x"));
	rmSync(at("folder"), { recursive: true, force: true });
	assert.deepEqual(
		readdirSync(folder).filter((name) => name.endsWith(".new")),
		[],
	);
	for (const code of ["ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EIO"])
		assert.doesNotMatch(
			writeError({ code, message: "no" }, "/home/x/settings.json").message,
			/remove|delete|not whole/i,
		);
});
