/**
 * Pipes, devices and links in place of the files that agents keep beside their sessions. Nothing waits, nothing outside of an
 * agent's folder is read, and each session gets in. Children run with a deadline: a read that waits cannot be interrupted.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { FORMATS, writeFormat } from "../formats/formats.ts";
import { SCRIPT } from "../formats/script.ts";
import { tellCount } from "./count.ts";

const skip = process.platform === "win32" ? "there are no pipes with a path on Windows" : false;
const CLI = fileURLToPath(new URL("../../src/show/cli/main.ts", import.meta.url));
const FOLLOW = fileURLToPath(new URL("follow-once.ts", import.meta.url));
const DEADLINE_MS = 60_000;

const root = realpathSync(mkdtempSync(join(tmpdir(), "weft-attack-files-")));
after(() => rmSync(root, { recursive: true, force: true }));

const CLAUDE = ".claude/projects/-home-mill-loom/dddddddd-1111-2222-3333-444444444444";
/** Each is read while a session is imported. */
const SIDE_FILES = [
	".continue/sessions/sessions.json",
	".cline/data/sessions/1770000000000_loom/1770000000000_loom.json",
	".gemini/tmp/loom/.project_root",
	".gemini/projects.json",
	`${CLAUDE}/subagents/agent-a1.meta.json`,
	`${CLAUDE}/subagents/agent-a2.jsonl`,
	`${CLAUDE}/tool-results/out.txt`,
	".qwen/projects/-home-mill-loom/subagents/agent-q1.meta.json",
	".local/share/opencode/opencode.db-wal",
	".local/share/kilo/kilo.db-shm",
];
const SECRET = "only-outside-of-the-tree";

function homeWith(name: string, place: (path: string) => void): string {
	const home = join(root, name);
	for (const format of FORMATS) writeFormat(format, home, SCRIPT);
	const agent = join(home, CLAUDE, "subagents", "agent-a1.jsonl");
	mkdirSync(dirname(agent), { recursive: true });
	const line = { type: "user", uuid: "a1", parentUuid: null, sessionId: "dddddddd-1111-2222-3333-444444444444" };
	const said = { ...line, isSidechain: true, agentId: "a1", message: { role: "user", content: "Look" } };
	writeFileSync(agent, `${JSON.stringify(said)}\n`);
	for (const path of SIDE_FILES) {
		const whole = join(home, path);
		mkdirSync(dirname(whole), { recursive: true });
		rmSync(whole, { force: true });
		place(whole);
	}
	return home;
}

function run(...args: readonly string[]) {
	const home = join(root, "weft-home");
	rmSync(home, { recursive: true, force: true });
	const cwd = join(root, "project");
	mkdirSync(join(cwd, ".git"), { recursive: true });
	const [script = "", ...rest] = args;
	const env = { PATH: process.env["PATH"] ?? "", HOME: rest[0] ?? "", WEFT_HOME: home };
	const began = performance.now();
	const { status, stdout, stderr, signal } = spawnSync(process.execPath, [script, ...rest.slice(1)], {
		...{ env, cwd, encoding: "utf8", timeout: DEADLINE_MS, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 },
	});
	assert.equal(signal, null, `waited for ${DEADLINE_MS} ms: ${stderr}`);
	assert.doesNotMatch(stderr, /should not have happened/);
	return { status, stdout, stderr, ms: performance.now() - began };
}

const PLACES: Readonly<Record<string, (path: string) => void>> = {
	pipe: (path) => void execFileSync("mkfifo", [path]),
	device: (path) => symlinkSync("/dev/zero", path),
	folder: (path) => mkdirSync(path),
	"link out of the tree": (path) => symlinkSync(join(root, "outside.json"), path),
};

for (const [what, place] of Object.entries(PLACES)) {
	test(`a ${what} beside sessions holds neither an import nor the live recorder`, { skip }, () => {
		writeFileSync(join(root, "outside.json"), JSON.stringify({ cwd: `/${SECRET}`, toolUseId: SECRET, model: SECRET }));
		const home = homeWith(what.replaceAll(" ", "-"), place);
		const imported = run(CLI, home, "import", "--yes", "--json");
		const report = JSON.parse(imported.stdout) as { files: { sessions: unknown[] }[]; failed: { file: string }[] };
		// SQLite's own files are part of its database: without them the database is refused.
		const refused = report.failed.map(({ file }) => file.slice(home.length + 1)).sort();
		const databases = [".local/share/kilo/kilo.db", ".local/share/opencode/opencode.db"];
		if (what !== "link out of the tree") assert.deepEqual(refused, databases);
		assert.equal(report.files.length >= FORMATS.length - databases.length, true);
		assert.doesNotMatch(imported.stdout, new RegExp(SECRET));
		const followed = run(FOLLOW, home, home, join(root, `log-${what}`));
		assert.equal(followed.status, 0, followed.stderr);
		const sessions = JSON.parse(followed.stdout) as string[];
		assert.ok(sessions.length >= FORMATS.length - databases.length, followed.stdout);
		tellCount(`a ${what} beside sessions`, {
			"side files": SIDE_FILES.length,
			"files imported": report.files.length,
			"sessions followed": sessions.length,
			"ms of the import": Math.round(imported.ms),
		});
	});
}

test("a link to / in an agent's folder does not walk the disk", { skip }, () => {
	const home = homeWith("walk", () => {});
	for (const folder of [".claude/projects", ".codex/sessions", ".gemini/tmp", ".cline/data/sessions"])
		for (const [name, target] of [
			["root", "/"],
			["up", ".."],
			["home", home],
		] as const)
			symlinkSync(target, join(home, folder, name));
	const imported = run(CLI, home, "import", "--yes", "--json");
	const { files } = JSON.parse(imported.stdout) as { files: { file: string }[] };
	assert.deepEqual(
		files.filter(({ file }) => /\/(?:root|up|home)\//.test(file.slice(home.length))),
		[],
	);
	assert.match(imported.stderr, /Skipped 12 links out of the folder/);
	// From one level higher, the link to '..' stays inside.
	const named = run(CLI, home, "import", join(home, ".claude"), "--json");
	assert.match(named.stderr, /Skipped 2 links out of the folder/);
	// The folder itself.
	for (const folder of [".claude/projects", ".codex/sessions"]) {
		rmSync(join(home, folder), { recursive: true });
		symlinkSync("/", join(home, folder));
	}
	const looped = run(CLI, home, "import", "--yes", "--json");
	const outside = (JSON.parse(looped.stdout) as { files: { file: string }[] }).files.filter(({ file }) =>
		/\.claude|\.codex/.test(file),
	);
	assert.deepEqual(outside, []);
	assert.match(looped.stderr, /Skipped 8 links out of the folder/);
	tellCount("links to /", { links: 14, "files imported": files.length, "ms of the import": Math.round(imported.ms) });
});
