/**
 * Every command on a full disk and on one that can only be read: a small file system of its own where root can mount one, else
 * a limit of no bytes for every file that a process writes. Reading works, nothing of the user's changes, nothing half-written stays, and no sentence
 * advises removing anything.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	globSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { COMMANDS as CATALOGUE } from "../../src/show/cli/catalogue.ts";
import { FORMATS, writeFormat } from "../formats/formats.ts";
import { SCRIPT } from "../formats/script.ts";
import type { Said } from "./commands.ts";
import { tellCount } from "./count.ts";

const COMMANDS = fileURLToPath(new URL("commands.ts", import.meta.url));
const root = realpathSync(mkdtempSync(join(tmpdir(), "weft-attack-full-")));
const mounts: string[] = [];
after(() => {
	for (const mount of mounts) execFileSync("umount", [mount]);
	rmSync(root, { recursive: true, force: true });
});

/** They only look: they work. */
const READING = [
	...[
		"status",
		"log",
		"sessions",
		"sessions --all",
		"stats",
		"verify",
		"export",
		"thread",
		"context",
		"cache",
		"prune",
	],
	...[
		"handover",
		"state",
		"read",
		"diff",
		"show 1",
		"request 1",
		"tree",
		"describe",
		"skills",
		"memory show",
		"memory history",
	],
	...["grep selvage", "grep --all selvage", "expand HANDLE", "ask what did we change", "cost", "cost --all", "report"],
	...["prices", "config", "completion bash", "rewind", "memory search selvage"],
	...["memory recall selvage", "hook codex", "why weave.txt", "memory why selvage"],
];
/** They write: they say what they need. */
const WRITING = [
	...["init claude --yes", "init codex --yes", "init opencode --yes", "config set mode off", "trust", "prune --yes"],
	...[
		"rebuild",
		"forget SESSION --yes",
		"import IMPORTED",
		"doctor",
		"compact",
		"replay RECORDED",
		"recover RECORDED",
		"repo",
		"snapshot",
		"repair RECORDED",
	],
	...[
		"memory add selvage is blue",
		"memory edit selvage",
		"memory forget selvage",
		"memory import",
		"rewind --to 1 --yes",
	],
	...[
		"trial --task fix --repeat 1 --yes claude",
		"trial --report",
		"thread pin x",
		"thread strike x",
		"thread clear x",
		"export --out OUT",
		"fleet",
		"sync",
		"config set fleet.url postgres://a:b@127.0.0.1:1/x",
	],
];
/** They run until they are ended, ask a server, or start an agent or a module; the second account and the fleet's suite attack them. */
const ELSEWHERE = ["inspect", "run", "mcp", "resident", "proxy", "log add", "conformance"];
/** They may find nothing, and say so as on any disk. */
const FINDS_NOTHING = /^(?:ask|why|request|memory|rewind|diff|describe)/;

test("no command is left out", () => {
	const tried = [...READING, ...WRITING];
	const left = CATALOGUE.filter(({ name }) => !ELSEWHERE.includes(name) && !name.startsWith("fleet "))
		.map(({ name }) => name)
		.filter((name) => !tried.some((line) => line === name || line.startsWith(`${name} `)));
	assert.deepEqual(left, []);
});

interface Place {
	readonly home: string;
	/** Command lines, of words with one space between them, all in one process. */
	readonly run: (...lines: readonly string[]) => readonly Said[];
}

/** A home with settings of three agents and a project with a log. `shell`: runs before the command. */
function placeIn(folder: string): Omit<Place, "run"> & { readonly start: (shell: string) => Place["run"] } {
	const home = join(folder, "home");
	for (const part of ["bin", "project", ".claude", ".codex", ".config/opencode"])
		mkdirSync(join(home, part), { recursive: true });
	execFileSync("git", ["init", "-q", join(home, "project")]);
	writeFileSync(join(home, "project", "weave.txt"), "selvage\n");
	execFileSync("git", ["-C", join(home, "project"), "add", "weave.txt"]);
	for (const agent of ["claude", "codex", "opencode"]) {
		writeFileSync(join(home, "bin", agent), "#!/bin/sh\necho 2.1.325\n");
		chmodSync(join(home, "bin", agent), 0o755);
	}
	for (const file of [".claude/settings.json", ".config/opencode/opencode.json"])
		writeFileSync(join(home, file), '{ "mine": true }\n');
	writeFileSync(join(home, ".codex", "config.toml"), "mine = true\n");
	for (const format of FORMATS.filter(({ agent, isOld }) => agent === "pi" || (agent === "claude-code" && !isOld)))
		writeFormat(format, home, SCRIPT);
	const env = { PATH: `${join(home, "bin")}:/usr/bin:/bin`, HOME: home, WEFT_HOME: join(folder, "weft") };
	const start =
		(shell: string) =>
		(...lines: readonly string[]) => {
			const list = JSON.stringify(lines.map((line) => line.split(" ")));
			const given = ["-c", `${shell} exec "$0" "$@"`, process.execPath, COMMANDS, list];
			const options = { env, cwd: join(home, "project"), encoding: "utf8", timeout: 300_000 } as const;
			const { stdout, stderr, status } = spawnSync("sh", given, { ...options, stdio: ["ignore", "pipe", "pipe"] });
			assert.equal(status, 0, stderr);
			return JSON.parse(stdout) as Said[];
		};
	return { home, start };
}

function usersFiles(home: string): Record<string, string> {
	const files = globSync("{.claude/*.json,.codex/*,.config/**/*,project/**/*}", { cwd: home }).sort();
	return Object.fromEntries(
		files.flatMap((file) => {
			try {
				return [[file, readFileSync(join(home, file), "utf8")]];
			} catch {
				return [];
			}
		}),
	);
}

function attack(what: string, folder: string, { home, run }: Place): void {
	const before = usersFiles(home);
	const told = { commands: 0, worked: 0, "said why not": 0 };
	const session = /"session":"([^"]+)"/.exec(run("--json sessions")[0]?.said ?? "")?.[1] ?? assert.fail("no session");
	const commands = [...READING, ...WRITING];
	const handle = /\bm-[0-9a-f]{12}\b/.exec(run("thread")[0]?.said ?? "")?.[0] ?? assert.fail("no handle");
	const recorded = join(home, globSync(".pi/**/*.jsonl", { cwd: home })[0] ?? "");
	const words = {
		IMPORTED: join(home, ".claude"),
		SESSION: session,
		HANDLE: handle,
		RECORDED: recorded,
		OUT: `${folder}/out`,
	};
	const lines = commands.map((command) =>
		Object.entries(words).reduce((line, [word, value]) => line.replace(word, value), command),
	);
	for (const [at, { status, said }] of run(...lines).entries()) {
		const command = commands[at] ?? "";
		told.commands++;
		assert.doesNotMatch(said, /should not have happened|not whole|remove it and|\n {4}at /, `${command}: ${said}`);
		assert.doesNotMatch(said, /There is no log|Nothing found in 0 texts/, `${command}: ${said}`);
		if (READING.includes(command)) assert.ok(status === 0 || FINDS_NOTHING.test(command), `${command}: ${said}`);
		else if (status === 1)
			assert.match(said, /space|larger than|size that this user|cannot be|only be read|✗|!/, command);
		if (status === 0) told.worked++;
		else told["said why not"]++;
	}
	assert.deepEqual(usersFiles(home), before);
	assert.deepEqual(globSync("**/*.new", { cwd: folder }), []);
	tellCount(`a full disk (${what})`, told);
}

test("every command on a full file system", { skip: whyNoMount() }, () => {
	const folder = join(root, "mounted");
	mkdirSync(folder);
	execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder]);
	mounts.push(folder);
	const { home, start } = placeIn(folder);
	const run = start("");
	assert.deepEqual(statuses(run(importOf(home), "snapshot")), [0, 0]);
	for (const size of [64 * 1024, 1_024]) {
		const piece = Buffer.alloc(size);
		try {
			for (let n = 0; ; n++) writeFileSync(join(folder, `fill-${size}-${n}`), piece);
		} catch {
			// Full.
		}
	}
	attack("a file system without room", folder, { home, run });
	// SQLite writes what it removes into its journal first: an archive on another disk is not enough, and none is left there.
	const elsewhere = join(root, "elsewhere.jsonl");
	const prune = `prune --days 0 --min-events 0 --archive ${elsewhere} --yes`;
	// What only removes files works.
	const [refused, removed] = run(prune, "prune --snapshots 0 --yes");
	assert.equal(refused?.status, 1);
	assert.match(refused.said, /'weft prune' then frees more, and needs a few MB itself/);
	assert.ok(!existsSync(elsewhere));
	assert.equal(removed?.status, 0);
	assert.match(removed.said, /^1 snapshot removed, 0 kept\.$/m);
	// With the few MB that it asked for.
	for (let n = 0; n < 40; n++) rmSync(join(folder, `fill-65536-${n}`), { force: true });
	assert.deepEqual(statuses(run(prune, "verify")), [0, 0]);
	assert.ok(existsSync(elsewhere));
});

test("every command on a file system that can only be read", { skip: whyNoMount() }, () => {
	const folder = join(root, "unwritable");
	mkdirSync(folder);
	execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", folder]);
	mounts.push(folder);
	const { home, start } = placeIn(folder);
	const run = start("");
	assert.deepEqual(statuses(run(importOf(home))), [0]);
	execFileSync("mount", ["-o", "remount,ro", folder]);
	attack("a file system that can only be read", folder, { home, run });
});

test("every command where no file may grow", { skip: process.platform === "win32" && "no limits of processes" }, () => {
	const folder = join(root, "limited");
	const { home, start } = placeIn(folder);
	assert.deepEqual(statuses(start("")(importOf(home))), [0]);
	attack("no file may grow", folder, { home, run: start("ulimit -f 0;") });
});

function importOf(home: string): string {
	return `import ${join(home, ".pi")} --project ${join(home, "project")}`;
}

function statuses(all: readonly Said[]): unknown[] {
	return all.map(({ status }) => status);
}

function whyNoMount(): string | false {
	if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root can mount a small file system";
	const probe = join(root, "probe");
	mkdirSync(probe, { recursive: true });
	const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", probe]);
	if (status !== 0) return "this system lets nobody mount";
	execFileSync("umount", [probe]);
	return false;
}
