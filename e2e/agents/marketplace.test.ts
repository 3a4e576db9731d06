/** The repository as a marketplace of Claude Code: added by the real program, which then loads the plugin. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { programPath } from "./programs.ts";

const ROOT = join(import.meta.dirname, "..", "..");

test("Claude Code takes the repository as a marketplace and installs the plugin from it", (t) => {
	const root = mkdtempSync(join(tmpdir(), "weft-marketplace-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	const clone = join(root, "clone");
	for (const name of [".claude-plugin", "plugin"]) cpSync(join(ROOT, name), join(clone, name), { recursive: true });
	const claude = (...args: string[]) =>
		execFileSync(programPath("claude"), ["plugin", ...args], {
			cwd: root,
			encoding: "utf8",
			env: { PATH: process.env["PATH"], HOME: root, CLAUDE_CONFIG_DIR: join(root, "config") },
		});

	assert.match(claude("validate", clone), /passed/i);
	claude("marketplace", "add", clone);
	claude("install", "weft@weft");
	assert.match(claude("list"), /weft@weft/);
	const settings = readFileSync(join(root, "config", "settings.json"), "utf8");
	assert.deepEqual(JSON.parse(settings).enabledPlugins, { "weft@weft": true });
});
