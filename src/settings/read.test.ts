import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { readSettings } from "./resolve.ts";

const folder = mkdtempSync(join(tmpdir(), "weft-settings-"));
const projectRoot = join(folder, "project");
const userHome = join(folder, "home");

const PROJECT = join(projectRoot, ".weft", "config.json");
const WARP = join(projectRoot, ".pi", "warp-engine", "config.json");
const USER = join(userHome, ".config", "weft", "config.json");
const PI = join(userHome, ".pi", "agent", "settings.json");

function write(path: string, content: unknown): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

function read(env: NodeJS.ProcessEnv = {}, more: { flags?: Record<string, unknown>; trusted?: boolean } = {}) {
	return readSettings({ env: { HOME: userHome, ...env }, cwd: folder, projectRoot, trusted: true, ...more });
}

beforeEach(() => rmSync(folder, { recursive: true, force: true }));
after(() => rmSync(folder, { recursive: true, force: true }));

test("flag, WEFT_*, LCM_*, project, warp-engine, user and Pi's lcm key rank in this order", () => {
	write(PI, { theme: "dark", lcm: { dbDir: "/pi", pruneDays: 1 } });
	assert.equal(read().settings.dbDir, "/pi");
	write(USER, { dbDir: "/user" });
	assert.equal(read().settings.dbDir, "/user");
	write(WARP, { dbDir: "/warp" });
	assert.equal(read().settings.dbDir, "/warp");
	write(PROJECT, { dbDir: "/project" });
	assert.equal(read().settings.dbDir, "/project");
	assert.equal(read({ LCM_DB_DIR: "/lcm" }).settings.dbDir, "/lcm");
	assert.equal(read({ LCM_DB_DIR: "/lcm", WEFT_HOME: "/weft" }).settings.dbDir, "/weft");
	const flagged = read({ WEFT_HOME: "/weft" }, { flags: { dbDir: "there" } });
	assert.equal(flagged.settings.dbDir, join(folder, "there"));
	assert.deepEqual([flagged.origins.dbDir, flagged.origins.pruneDays], ["--home", PI]);
	assert.deepEqual(flagged.problems, []);
});

test("files of a project that is not trusted are not read", () => {
	write(PROJECT, { dbDir: "/project", nonsense: 1 });
	write(WARP, { enabled: false });
	const { settings, problems } = read({}, { trusted: false });
	assert.deepEqual([settings.dbDir, settings.enabled, problems], [null, true, []]);
});

test("XDG_CONFIG_HOME and PI_CODING_AGENT_DIR move the user's files; empty variables count as unset", () => {
	write(join(folder, "xdg", "weft", "config.json"), { pruneDays: 3 });
	write(join(folder, "agent", "settings.json"), { lcm: { debugMode: true } });
	const env = {
		XDG_CONFIG_HOME: join(folder, "xdg"),
		PI_CODING_AGENT_DIR: join(folder, "agent"),
		WEFT_HOME: "",
		WEFT_PRUNE_DAYS: "",
	};
	const { settings, problems } = read(env);
	assert.deepEqual([settings.pruneDays, settings.debugMode, settings.dbDir, problems], [3, true, null, []]);
});

test("a broken file is named, and everything else still counts", () => {
	write(PROJECT, "{ pruneDays: 3");
	write(WARP, [1]);
	write(USER, '\ufeff{"pruneDays":5}');
	const { settings, problems } = read();
	assert.equal(settings.pruneDays, 5);
	assert.deepEqual(
		problems.map(({ origin }) => origin),
		[PROJECT, WARP],
	);
	for (const { message } of problems) assert.match(message, /config\.json: .+\. Correct it, or remove it\.$/);
});
