/** The repository as a marketplace of Claude Code and of Codex: added by the real programs, which then load the plugin. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
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

test("Codex takes the repository as a marketplace of its own, not Claude Code's hooks, and lists weft's tools", (t) => {
	const root = mkdtempSync(join(tmpdir(), "weft-marketplace-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	const clone = join(root, "clone");
	for (const name of [".agents", ".claude-plugin", "plugin"])
		cpSync(join(ROOT, name), join(clone, name), { recursive: true });
	mkdirSync(join(root, "codex"));
	const codex = (...args: string[]) =>
		execFileSync(programPath("codex"), args, {
			cwd: root,
			encoding: "utf8",
			env: { PATH: process.env["PATH"], HOME: root, CODEX_HOME: join(root, "codex") },
			stdio: ["ignore", "pipe", "ignore"],
		});

	codex("plugin", "marketplace", "add", clone);
	assert.match(codex("plugin", "list"), /weft@weft .*plugin\/codex\/weft/);
	codex("plugin", "add", "weft@weft");
	assert.match(codex("mcp", "list"), /^weft +weft +mcp .*enabled/m);
});

test("both plugins have the same skill and version", () => {
	const read = (path: string) => readFileSync(join(ROOT, "plugin", path), "utf8");
	assert.equal(read("codex/weft/skills/history/SKILL.md"), read("claude-code/weft/skills/history/SKILL.md"));
	const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	for (const path of ["codex/weft/.codex-plugin/plugin.json", "claude-code/weft/.claude-plugin/plugin.json"])
		assert.equal(JSON.parse(read(path)).version, version, path);
});
