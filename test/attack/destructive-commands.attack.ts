/**
 * Random destructive commands in real work trees: every byte that was there before comes back, compared by hash.
 * `WEFT_ATTACK_COMMANDS` sets how many (default 20), `WEFT_ATTACK_FILES` the files of the largest tree (default 500).
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import {
	chmodSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openRewind } from "../../src/guard/rewind/request.ts";
import { EngineAgent, EngineProject } from "../rig/engine-agent.ts";

const COMMANDS = Number(process.env["WEFT_ATTACK_COMMANDS"] ?? 20);
const FILES = Number(process.env["WEFT_ATTACK_FILES"] ?? 500);
const MAX_COMMAND_SECONDS = 60;
const SEED = Number(process.env["WEFT_ATTACK_SEED"] ?? 1);

/** xorshift: the same series for the same seed. */
class Dice {
	#state: number;

	constructor(seed: number) {
		this.#state = seed * 2_654_435_761 || 1;
	}

	roll(sides: number): number {
		this.#state ^= this.#state << 13;
		this.#state ^= this.#state >>> 17;
		this.#state ^= this.#state << 5;
		return (this.#state >>> 0) % sides;
	}

	pick<Item>(items: readonly Item[]): Item {
		return items[this.roll(items.length)]!;
	}
}

/** Each gets a file and a folder of the tree. */
const MAKERS: readonly ((file: string, folder: string) => string)[] = [
	() => "git reset -q --hard",
	() => "git reset -q --hard HEAD~1",
	() => "git checkout -q -- .",
	(file) => `git checkout -q HEAD -- '${file}'`,
	() => "git checkout -qf other",
	() => "git switch -q --discard-changes other",
	() => "git stash -q",
	() => "git stash -qu && git stash drop -q",
	() => "git stash -qa; true",
	() => "git clean -fdq",
	() => "git clean -fdxq",
	() => "git clean -ffdxq",
	() => "git restore --source=HEAD --staged --worktree .",
	(file) => `git rm -qf '${file}'`,
	() => "git add -A && git commit -qm all && git reset -q --hard HEAD~1",
	() => "git read-tree -u --reset HEAD",
	() => "git merge -q -X theirs other",
	() => "git rebase -q --autostash other",
	() => "git apply --index /dev/null; git checkout-index -faq",
	(file) => `rm '${file}'`,
	(_, folder) => `rm -rf '${folder}'`,
	() => "rm -rf ./* ",
	(file) => `mv '${file}' elsewhere.txt; echo x > elsewhere.txt`,
	(file) => `mv made-by-nobody '${file}' || cp tracked-0.txt '${file}'`,
	(file) => `: > '${file}'`,
	(file) => `echo new | tee '${file}' > /dev/null`,
	(file) => `sed -i 's/./X/g' '${file}'`,
	(file) => `truncate -s 0 '${file}'`,
	(file) => `dd if=/dev/zero of='${file}' bs=10 count=1 2>/dev/null`,
	(file) => `ln -sf /dev/null '${file}'`,
	(_, folder) => `find '${folder}' -type f -delete`,
	() => "find . -path ./.git -prune -o -type f -exec sh -c 'echo > \"$1\"' x {} \\;",
	() => "find . -name '*.txt' -not -path './.git/*' | xargs -d '\\n' rm -f",
	() => 'for f in *; do rm -rf "$f"; done',
	(file) => `f=$(printf %s '${file}'); : > "$f"`,
	(_, folder) => `tar cf /dev/null '${folder}' --remove-files 2>/dev/null`,
	() => "mkdir -p .empty && rsync -a --delete --exclude .git .empty/ ./ || rm -rf ./*",
	() =>
		"node -e \"for (const f of require('fs').readdirSync('.')) if (f !== '.git') require('fs').rmSync(f, {recursive: true})\"",
	(file) => `python3 -c "open('${file}', 'w').write('x')"`,
	() => "printf 'all:\\n\\tgit checkout -q . ; git clean -fdxq\\n' > /tmp/weft-attack.mk; make -sf /tmp/weft-attack.mk",
	() => "sh -c 'git stash -qu; git stash drop -q'",
	() => "timeout 0.05 sh -c 'for f in $(ls -A | grep -v ^.git$); do rm -rf \"$f\"; sleep 0.01; done'; true",
	(file) => `chmod 600 '${file}'; rm -f '${file}'`,
	(file) => `gzip -qf '${file}'; rm -f '${file}.gz'`,
	(file) => `(sleep 0.05; rm -f '${file}') & wait`,
	() => "perl -pi -e 's/a/b/' *.txt",
	() => "git worktree add -qf ../side-$$ HEAD; git worktree remove --force ../side-$$; git clean -fdq",
];

interface Entry {
	readonly what: string;
	readonly isExecutable: boolean;
}

function snapshot(root: string): Map<string, Entry> {
	const found = new Map<string, Entry>();
	const walk = (at: string) => {
		for (const entry of readdirSync(join(root, at), { withFileTypes: true })) {
			const path = at === "" ? entry.name : `${at}/${entry.name}`;
			if (entry.name === ".git" || path === "node_modules" || path === "dist") continue;
			if (entry.isDirectory()) walk(path);
			else if (entry.isSymbolicLink())
				found.set(path, { what: `-> ${readlinkSync(join(root, path))}`, isExecutable: false });
			else if (entry.isFile()) {
				const isExecutable = (lstatSync(join(root, path)).mode & 0o111) !== 0;
				found.set(path, { what: hash("sha256", readFileSync(join(root, path))), isExecutable });
			}
		}
	};
	walk("");
	return found;
}

/** `timeout` ends the whole group: a program that lives on would overwrite files after the rewind. */
function run(cwd: string, command: string): { readonly stdout: string; readonly stderr: string } {
	const args = ["--signal=KILL", String(MAX_COMMAND_SECONDS), "sh", "-c", command];
	return spawnSync("timeout", args, { cwd, encoding: "utf8", input: "" });
}

function git(cwd: string, ...args: string[]): void {
	execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t", ...args], { cwd, stdio: "ignore" });
}

/** Puts the tree into a known, dirty state: commits on two branches, changes of all kinds on top. */
function plant(root: string, files: number, dice: Dice): void {
	const put = (path: string, bytes: string | Buffer) => {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), bytes);
	};
	git(root, "init", "-q", "-b", "main");
	put(".gitignore", ".env\n*.secret\nnode_modules\n/dist/\n");
	for (let n = 0; n < files; n++)
		put(n % 3 === 0 ? `tracked-${n}.txt` : `dir${n % 17}/sub/tracked-${n}.txt`, `first ${n}\n`);
	git(root, "add", "-A");
	git(root, "commit", "-qm", "first");
	put("tracked-0.txt", "second\n");
	git(root, "commit", "-qam", "second");
	git(root, "branch", "other", "HEAD~1");
	git(root, "config", "user.name", "t");
	git(root, "config", "user.email", "t");
	dirty(root, dice, put);
}

function dirty(root: string, dice: Dice, put: (path: string, bytes: string | Buffer) => void): void {
	const noise = () => Buffer.from(Array.from({ length: 1 + dice.roll(5_000) }, () => dice.roll(256)));
	for (let n = 0; n < 6; n++) put(`tracked-${3 * dice.roll(8)}.txt`, `changed by the user ${dice.roll(1e9)}\n`);
	put(`drafts/a ${dice.roll(5)}/note.md`, noise());
	put("untracked.txt", `mine ${dice.roll(1e9)}\r\nmixed\n`);
	put("it's.txt", noise());
	put(".env", `KEY=${dice.roll(1e9)}\n`);
	put("conf/local.secret", noise());
	put("run.sh", "#!/bin/sh\n");
	chmodSync(join(root, "run.sh"), 0o755);
	rmSync(join(root, "link"), { force: true });
	symlinkSync(dice.pick(["untracked.txt", "nowhere"]), join(root, "link"));
	put("staged.txt", `staged ${dice.roll(1e9)}\n`);
	git(root, "add", "staged.txt");
	if (dice.roll(3) === 0) rmSync(join(root, "tracked-3.txt"), { force: true });
}

for (const files of [50, FILES]) {
	test(`${COMMANDS} random destructive commands among ${files} files: every byte comes back`, {
		timeout: 3_600_000,
	}, (t) => {
		using project = new EngineProject();
		const root = project.folder();
		const dice = new Dice(SEED + files);
		plant(root, files, dice);
		const agent = new EngineAgent(project, root);
		let taken = 0;
		const ms = { keep: 0, observe: 0, rewind: 0, harmless: 0 };
		const timed = <T>(what: keyof typeof ms, work: () => T): T => {
			const start = performance.now();
			const result = work();
			ms[what] += performance.now() - start;
			return result;
		};
		for (let n = 0; n < COMMANDS; n++) {
			const before = snapshot(root);
			const paths = [...before.keys()].filter((path) => !path.includes("'"));
			const file =
				dice.pick(paths.filter((path) => dice.roll(2) === 0 || !path.includes("tracked")) ?? paths) ?? ".env";
			const command = dice.pick(MAKERS)(file, file.includes("/") ? dirname(file) : "dir1");
			const callId = `attack-${n}`;
			const call = { session: agent.session, host: "pi", cwd: root, tool: "bash", callId, input: { command } };
			timed("harmless", () =>
				project.engine.judge({ ...call, callId: `look-${n}`, input: { command: "git status && ls -la" } }),
			);
			const outcome = timed("keep", () => project.engine.judge(call));
			assert.equal(outcome.action, "pass", command);
			const { stdout, stderr } = run(root, command);
			const text = stdout + stderr;
			timed("observe", () =>
				project.engine.observe(call, { kind: "result", callId, tool: "bash", text, isError: false }),
			);
			const lost = [...before].filter(
				([path, entry]) => JSON.stringify(snapshotOf(root, path)) !== JSON.stringify(entry),
			);
			taken += lost.length;
			const { log } = project.engine;
			const seq = Math.max(
				...[...log.read({ types: ["FilesKept"], order: "newest", limit: 1 })].map((event) => event.seq),
			);
			const rewound = { cwd: root, root, to: String(seq), now: Date.now() };
			timed("rewind", () => openRewind(log, rewound).apply({ maxBytes: 1e9, now: Date.now, command: "weft rewind" }));
			const after = snapshot(root);
			for (const [path, entry] of before) assert.deepEqual([path, after.get(path)], [path, entry], `${n}: ${command}`);
			recover(root);
			dirty(root, dice, (path, bytes) => {
				rmSync(join(root, path), { force: true, recursive: true });
				mkdirSync(dirname(join(root, path)), { recursive: true });
				writeFileSync(join(root, path), bytes);
			});
		}
		const each = Object.entries(ms).map(([what, sum]) => `${what} ${(sum / COMMANDS).toFixed(1)} ms`);
		t.diagnostic(`${taken} files taken and back; ${each.join(", ")}`);
	});
}

function snapshotOf(root: string, path: string): Entry | undefined {
	const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
	if (stat?.isSymbolicLink()) return { what: `-> ${readlinkSync(join(root, path))}`, isExecutable: false };
	if (!stat?.isFile()) return undefined;
	return { what: hash("sha256", readFileSync(join(root, path))), isExecutable: (stat.mode & 0o111) !== 0 };
}

/** Ends a merge or rebase that the command left open, so that the next command can run. */
function recover(root: string): void {
	const own = (name: string) => join(root, ".git", name);
	for (const name of ["MERGE_HEAD", "CHERRY_PICK_HEAD", "rebase-merge", "rebase-apply", "index.lock"]) {
		rmSync(own(name), { recursive: true, force: true });
	}
	writeFileSync(own("HEAD"), "ref: refs/heads/main\n");
	git(root, "reset", "-q");
}
