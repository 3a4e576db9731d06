/** Files as a commit holds them, with the filters that a checkout applies. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitEnvironment } from "./work-tree.ts";

export interface HeldFile {
	readonly path: string;
	/** As git writes it: 100644, 100755, 120000. */
	readonly mode: number;
	/** The object that git has, in hex. */
	readonly object: string;
}

/** A work tree, which may be gone. */
export interface GitPlace {
	readonly folder: string;
	/** Where its commits are, if not in its own `.git`. */
	readonly commits?: string | undefined;
}

const MAX_LIST_BYTES = 64 * 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
const MAX_BATCH_BYTES = 256 * 1024 * 1024;
const BATCH_FILES = 256;

/** The commit's files: all, or those at these paths. */
export function heldFiles(place: GitPlace, commit: string, paths?: readonly string[]): Map<string, HeldFile> {
	const found = new Map<string, HeldFile>();
	if (paths?.length === 0) return found;
	const wanted = paths && new Set(paths);
	const listing = git(place, ["ls-tree", "-r", "-z", "--full-tree", commit], MAX_LIST_BYTES)?.toString("utf8") ?? "";
	for (const line of listing.split("\0")) {
		const [, mode = "", kind, object = "", path = ""] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
		if (kind === "blob" && (wanted?.has(path) ?? true))
			found.set(path, { path, mode: Number.parseInt(mode, 8), object });
	}
	return found;
}

/** Reads a commit's files in the order given, many with one call of git. Holds one batch in memory. */
export class HeldFileReader {
	readonly #place: GitPlace;
	readonly #commit: string;
	readonly #files: readonly HeldFile[];
	readonly #places: ReadonlyMap<string, number>;
	#batch = new Map<string, Buffer>();

	constructor(place: GitPlace, commit: string, files: readonly HeldFile[]) {
		this.#place = place;
		this.#commit = commit;
		this.#files = files;
		this.#places = new Map(files.map(({ path }, at) => [path, at]));
	}

	/** Its bytes as a checkout writes them; undefined: git does not have them any more. */
	read(path: string): Buffer | undefined {
		const place = this.#places.get(path);
		const file = place === undefined ? undefined : this.#files[place];
		if (place === undefined || !file) return undefined;
		if (!this.#batch.has(path)) {
			const next = this.#files.slice(place, place + BATCH_FILES).filter(isBatchable);
			this.#batch = (isBatchable(file) && readBatch(this.#place, next)) || new Map();
		}
		return this.#batch.get(path) ?? readHeldFile(this.#place, this.#commit, file);
	}
}

function isLink({ mode }: HeldFile): boolean {
	return (mode & 0o170000) === 0o120000;
}

/** Filters do not apply to a link, and git splits a batch at line ends and at the first blanks. */
function isBatchable(file: HeldFile): boolean {
	return !isLink(file) && !/^[ \t]|\n/.test(file.path);
}

/** Undefined: git did not give each of them. */
function readBatch(place: GitPlace, files: readonly HeldFile[]): Map<string, Buffer> | undefined {
	// The size that git writes is the one before its filters, so a mark that no file holds divides the files.
	const mark = randomBytes(24).toString("hex");
	const input = files.map(({ object, path }) => `${object} ${path}\n`).join("");
	const output = git(place, ["cat-file", "--filters", `--batch=${mark}`], MAX_BATCH_BYTES, input);
	if (!output) return undefined;
	const line = Buffer.from(`${mark}\n`);
	const starts: number[] = [];
	for (let at = output.indexOf(line); at !== -1; at = output.indexOf(line, at + line.length)) starts.push(at);
	if (starts.length !== files.length || starts[0] !== 0) return undefined;
	const bytes = starts.map((start, n) => output.subarray(start + line.length, (starts[n + 1] ?? output.length) - 1));
	return new Map(files.map(({ path }, n) => [path, bytes[n] ?? Buffer.alloc(0)]));
}

function readHeldFile(place: GitPlace, commit: string, file: HeldFile): Buffer | undefined {
	return isLink(file)
		? git(place, ["cat-file", "blob", file.object], MAX_FILE_BYTES)
		: git(place, ["cat-file", "--filters", `${commit}:${file.path}`], MAX_FILE_BYTES);
}

/** Paths of files that differ between two commits. */
export function changedBetween(place: GitPlace, one: string, other: string): string[] {
	const names = git(place, ["diff", "--name-only", "--no-renames", "-z", one, other], MAX_LIST_BYTES);
	return names?.toString("utf8").split("\0").filter(Boolean) ?? [];
}

/** In the work tree, whose attributes apply; else where its commits are. */
function git(
	{ folder, commits }: GitPlace,
	args: readonly string[],
	maxBuffer: number,
	input = "",
): Buffer | undefined {
	const isThere = existsSync(join(folder, ".git"));
	const found = isThere ? runGit(folder, args, maxBuffer, input) : undefined;
	if (found !== undefined || commits === undefined) return found;
	return runGit(commits, [`--git-dir=${commits}`, `--work-tree=${commits}`, ...args], maxBuffer, input);
}

function runGit(cwd: string, args: readonly string[], maxBuffer: number, input: string): Buffer | undefined {
	const run = spawnSync("git", ["-c", "core.fsmonitor=false", ...args], {
		cwd,
		env: gitEnvironment(),
		stdio: ["pipe", "pipe", "ignore"],
		input,
		maxBuffer,
		windowsHide: true,
	});
	return run.status === 0 ? run.stdout : undefined;
}
