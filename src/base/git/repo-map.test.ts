import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readHead, readRepoMap } from "./repo-map.ts";

const root = mkdtempSync(join(tmpdir(), "weft-git-"));
after(() => rmSync(root, { recursive: true, force: true }));

function git(folder: string, ...args: readonly string[]): void {
	const who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
	execFileSync("git", [...who, ...args], {
		cwd: folder,
		stdio: "ignore",
		env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
	});
}

function repository(name: string, files: readonly string[]): string {
	const folder = join(root, name);
	for (const file of files) {
		mkdirSync(join(folder, file, ".."), { recursive: true });
		writeFileSync(join(folder, file), "x\n");
	}
	mkdirSync(folder, { recursive: true });
	git(folder, "init", "-q");
	git(folder, "add", ".");
	return folder;
}

test("counts files, first folders and extensions, most first", async () => {
	const folder = repository("plain", [
		"src/a.ts",
		"src/deep/b.TS",
		"test/c.ts",
		"README.md",
		".gitignore",
		"Makefile",
		"docs/満潮 a\nb.md",
	]);
	git(folder, "commit", "-q", "-m", "first");
	const map = await readRepoMap(folder);
	assert.match(map!.head!, /^[0-9a-f]{40}$/);
	assert.deepEqual(
		{ ...map, head: "" },
		{
			head: "",
			files: 7,
			folders: [
				[".", 3],
				["src", 2],
				["docs", 1],
				["test", 1],
			],
			extensions: [
				[".ts", 3],
				[".md", 2],
			],
		},
	);
});

test("a repository without a commit has no head; untracked files are not in it", async () => {
	const folder = repository("young", ["a.c"]);
	writeFileSync(join(folder, "untracked.c"), "");
	assert.deepEqual(await readRepoMap(folder), { head: null, files: 1, folders: [[".", 1]], extensions: [[".c", 1]] });
});

test("no repository, no folder, no time, no wish: null, and nothing is thrown", async () => {
	const outside = join(root, "outside");
	mkdirSync(outside);
	assert.equal(await readRepoMap(outside), null);
	assert.equal(await readRepoMap(join(root, "nowhere")), null);
	assert.equal(await readHead(outside), null);
	assert.equal(await readRepoMap(repository("aborted", ["a"]), { signal: AbortSignal.abort() }), null);
});

test("a program that the repository names to watch its files is not started", async () => {
	const folder = repository("watched", ["a.txt"]);
	const mark = join(root, "started");
	git(folder, "config", "core.fsmonitor", `touch ${mark}; true`);
	await readRepoMap(folder);
	assert.throws(() => rmSync(mark), "it left no mark");
});
