/** The command line as it is built: in parts, each loaded when a command needs it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PARTS = new URL("../../dist/show/cli/parts/", import.meta.url);

test("every part of the built command line loads", () => {
	const parts = readdirSync(fileURLToPath(PARTS)).map((name) => new URL(name, PARTS).href);
	assert.ok(parts.length > 50, "a command loads what it needs, not all");
	const script = `for (const part of ${JSON.stringify(parts)}) await import(part); console.log("all");`;
	const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
	assert.equal(said, "all\n");
});
