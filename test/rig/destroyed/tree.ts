/**
 * A work tree of a user's with everything that git does not hold: changed, staged, untracked, ignored files, links, modes,
 * a linked work tree, a submodule and a repository inside. And what is in it, by hash.
 */
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import {
	appendFileSync,
	type BigIntStats,
	chmodSync,
	existsSync,
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

export type TreeKind = "git" | "plain";

/** Path → what is there. */
export type Snapshot = ReadonlyMap<string, string>;

const FILES_PER_FOLDER = 100;
const MAX_IGNORED = 3_000;
/** Ignored, and filled by tools: the guard leaves them out. */
const OUTPUTS = /(?:^|\/)(?:node_modules|dist|\.git)(?:\/|$)|\.(?:o|log)$/;

export class UserTree {
	readonly folder: string;
	readonly kind: TreeKind;
	readonly #random: () => number;
	readonly #hashes = new Map<string, { readonly key: string; readonly value: string }>();
	#made = 0;

	/** `root`: an empty folder; the tree is `root`/project. */
	constructor(root: string, of: { readonly kind: TreeKind; readonly files: number; readonly random: () => number }) {
		this.folder = join(root, "project");
		this.kind = of.kind;
		this.#random = of.random;
		this.#fill(root, of.files);
	}

	#fill(root: string, count: number): void {
		const folders = Math.max(4, Math.ceil(count / FILES_PER_FOLDER));
		for (let n = 0; n < count; n++) {
			const path = n % 10 === 0 && count < 1_000 ? `top ${n}.txt` : `src/part${n % folders}/file${n}.ts`;
			this.put(path, `file ${n}\n${"line of text\n".repeat(n % 17)}`);
		}
		this.put(".gitignore", "node_modules\ndist\n.env\nprivate/\n*.o\n*.log\nlinked/\n");
		this.put(
			"scripts/reset.sh",
			"git checkout -qf . 2>/dev/null\ngit clean -fdq 2>/dev/null\nrm -rf src/part1 notes*\n",
		);
		this.put(
			"scripts/format.sh",
			'for f in src/*/*.ts; do [ -f "$f" ] && tr a-z A-Z < "$f" > "$f.new" && mv "$f.new" "$f"; done\n',
		);
		this.put("Makefile", "clean:\n\trm -rf src/part2 *.txt .env private\nformat:\n\tsh scripts/format.sh\n");
		this.put("run.sh", "#!/bin/sh\ntrue\n");
		chmodSync(this.path("run.sh"), 0o755);
		symlinkSync("run.sh", this.path("link to run"));
		if (this.kind === "git") {
			this.git("init", "-q");
			this.git("config", "user.name", "t");
			this.git("config", "user.email", "t");
			this.git("config", "protocol.file.allow", "always");
			this.git("add", "-A");
			this.git("commit", "-qm", "one");
			this.git("branch", "other");
			this.put("src/part0/second.ts", "of the second commit\n");
			this.put("run.sh", "#!/bin/sh\nfalse\n");
			this.git("add", "-A");
			this.git("commit", "-qm", "two");
			this.#addRepositories(root);
		}
		this.put("node_modules/dep/index.js", "module.exports = 1;\n");
		mkdirSync(join(root, "sibling"), { recursive: true });
		writeFileSync(join(root, "sibling/theirs.txt"), "another project's\n");
	}

	/** A submodule, a linked work tree inside and one beside, and a repository of the user's inside. */
	#addRepositories(root: string): void {
		const origin = join(root, "origin");
		mkdirSync(origin);
		const at = (folder: string, ...args: string[]) =>
			execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t", ...args], { cwd: folder, stdio: "ignore" });
		at(origin, "init", "-q");
		writeFileSync(join(origin, "module.txt"), "of the module\n");
		at(origin, "add", "-A");
		at(origin, "commit", "-qm", "module");
		this.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin, "module");
		this.git("commit", "-qm", "three");
		this.git("worktree", "add", "-q", "-b", "linked", "linked");
		this.git("worktree", "add", "-q", "-b", "beside", "../beside");
		this.put("inner/own.txt", "of a repository inside\n");
		at(this.path("inner"), "init", "-q");
		at(this.path("inner"), "add", "-A");
		at(this.path("inner"), "commit", "-qm", "inner");
	}

	/** The user works on, and weft sees nothing of it. */
	disturb(): void {
		const files = [...this.files()].filter((path) => !path.startsWith("linked/"));
		const any = () => files[Math.floor(this.#random() * files.length)] ?? "notes.txt";
		const text = () => `by the user ${++this.#made} ${"x".repeat(Math.floor(this.#random() * 80))}\n`;
		const changes: (() => void)[] = [
			() => this.#change(any(), (path) => appendFileSync(path, text())),
			() => this.#change(any(), (path) => writeFileSync(path, text())),
			() => this.#change(any(), (path) => writeFileSync(path, Buffer.from([0, 255, 13, 10, this.#made & 255, 10]))),
			() => this.put(`notes ${++this.#made}.txt`, text()),
			() => this.put(`src/new é ${this.#made}/deep/-dash.md`, text()),
			() => this.put(".env", `KEY=${++this.#made}\n`),
			() => this.put(`private/p${this.#made % 7}.txt`, text()),
			() => this.#change(any(), (path) => chmodSync(path, this.#random() < 0.5 ? 0o755 : 0o640)),
			() => this.#link(`link ${++this.#made}`, any()),
			() => this.#change(any(), (path) => rmSync(path)),
			() => {
				if (existsSync(this.path("linked/.git"))) this.put(`linked/draft ${++this.#made}.txt`, text());
			},
			() => {
				if (existsSync(this.path("inner/.git"))) this.put(`inner/draft ${this.#made % 5}.txt`, text());
			},
			() => {
				if (existsSync(this.path("module/.git"))) this.put(`module/draft ${this.#made % 5}.txt`, text());
			},
			() => {
				const path = any();
				this.#change(path, (at) => writeFileSync(at, text()));
				this.tryGit("add", "--", path);
				if (this.#random() < 0.5) this.#change(path, (at) => writeFileSync(at, text()));
			},
		];
		const count = 1 + Math.floor(this.#random() * 4);
		for (let n = 0; n < count; n++) changes[Math.floor(this.#random() * changes.length)]!();
		if (this.#random() < 0.15) {
			this.tryGit("add", "-A");
			this.tryGit("commit", "-qm", "by the user");
		}
	}

	/** A linked work tree that a rewind brought back is a plain ignored folder: of a large one not all files are kept. */
	dropTooLarge(): void {
		const linked = this.path("linked");
		if (!existsSync(linked) || existsSync(join(linked, ".git"))) return;
		if (readdirSync(linked, { recursive: true }).length > MAX_IGNORED) rmSync(linked, { recursive: true });
	}

	#change(path: string, change: (absolute: string) => void): void {
		const absolute = this.path(path);
		const stat = lstatSync(absolute, { throwIfNoEntry: false });
		if (stat?.isFile()) change(absolute);
	}

	#link(name: string, to: string): void {
		if (!lstatSync(this.path(name), { throwIfNoEntry: false })) symlinkSync(to, this.path(name));
	}

	/** Every file that the guard promises to bring back: type, executable or not, and the hash of its bytes. */
	snapshot(): Snapshot {
		const found = new Map<string, string>();
		for (const path of this.files()) {
			const absolute = this.path(path);
			const stat = lstatSync(absolute, { bigint: true, throwIfNoEntry: false });
			if (stat) found.set(path, this.#describe(absolute, stat));
		}
		return found;
	}

	#describe(absolute: string, stat: BigIntStats): string {
		const key = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
		const known = this.#hashes.get(absolute);
		if (known?.key === key) return known.value;
		const value = stat.isSymbolicLink()
			? `link ${readlinkSync(absolute)}`
			: `${stat.mode & 0o100n ? "executable" : "file"} ${hash("sha256", readFileSync(absolute), "hex")}`;
		this.#hashes.set(absolute, { key, value });
		return value;
	}

	*files(at = ""): Generator<string> {
		const folder = this.path(at);
		for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
			const path = at === "" ? entry.name : `${at}/${entry.name}`;
			if (OUTPUTS.test(path)) continue;
			if (entry.isDirectory()) yield* this.files(path);
			else if (entry.isFile() || entry.isSymbolicLink()) yield path;
		}
	}

	path(name: string): string {
		return join(this.folder, name);
	}

	put(name: string, text: string): void {
		try {
			mkdirSync(dirname(this.path(name)), { recursive: true });
			writeFileSync(this.path(name), text);
		} catch {
			// A file may have taken the place of a folder, or the reverse.
		}
	}

	git(...args: string[]): void {
		execFileSync("git", args, { cwd: this.folder, stdio: "ignore" });
	}

	tryGit(...args: string[]): void {
		if (this.kind !== "git") return;
		try {
			this.git(...args);
		} catch {
			// Nothing to do, or a merge is under way.
		}
	}
}
