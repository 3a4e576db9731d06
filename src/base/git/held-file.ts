/**
 * Files as a commit holds them, with the line ends that a checkout writes. The programs that it would let change a file do not
 * run.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { namedFilters, runGit } from "./start.ts";

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
	/** Where they are too, if git has dropped them there. */
	readonly spare?: string | undefined;
}

const MAX_LIST_BYTES = 64 * 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
const MAX_BATCH_BYTES = 256 * 1024 * 1024;
const BATCH_FILES = 256;
/** A repository can name a pipe where git reads. */
const TIMEOUT_MS = 120_000;

/** The commit's files: all, or those at these paths. */
export function heldFiles(place: GitPlace, commit: string, paths?: readonly string[]): Map<string, HeldFile> {
	const found = new Map<string, HeldFile>();
	if (paths?.length === 0) return found;
	const wanted = paths && new Set(paths);
	const listing = git(place, ["ls-tree", "-r", "-z", "--full-tree", commit], MAX_LIST_BYTES)?.toString("utf8") ?? "";
	for (const line of listing.split("\0")) {
		const [, mode = "", kind, object = "", path = ""] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
		if (kind === "blob" && isCheckedOut(path) && (wanted?.has(path) ?? true))
			found.set(path, { path, mode: Number.parseInt(mode, 8), object });
	}
	return found;
}

/** No checkout writes a name that leads out of the tree or into git's own folder, but a commit made by hand can have one. */
export function isCheckedOut(path: string): boolean {
	return path.split("/").every((part) => !/^(?:\.{0,2}|\.git)$/i.test(part));
}

/** Reads a commit's files in the order given, many with one call of git. Holds one batch in memory. */
export class HeldFileReader {
	readonly #place: GitPlace;
	readonly #commit: string;
	readonly #files: readonly HeldFile[];
	readonly #places: ReadonlyMap<string, number>;
	#batch = new Map<string, Buffer>();
	#filtered: ReadonlySet<string> | undefined;

	constructor(place: GitPlace, commit: string, files: readonly HeldFile[]) {
		this.#place = place;
		this.#commit = commit;
		this.#files = files;
		this.#places = new Map(files.map(({ path }, at) => [path, at]));
	}

	/** A checkout would let a program change it, such as that of Git LFS. */
	isFiltered(path: string): boolean {
		this.#filtered ??= filteredPaths(this.#place, this.#files);
		return this.#filtered.has(path);
	}

	/** Its bytes as a checkout writes them, filters left out; undefined: git does not have them any more. */
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

/** Those that a program of the settings would change on their way to the disk. */
function filteredPaths(place: GitPlace, files: readonly HeldFile[]): ReadonlySet<string> {
	const filters = new Set(repositoriesOf(place).flatMap(([cwd, options]) => namedFilters(cwd, options) ?? []));
	if (filters.size === 0) return new Set();
	const input = files.map(({ path }) => `${path}\0`).join("");
	const found = new Set<string>();
	for (const run of runsOf(place, ["check-attr", "-z", "--stdin", "filter"], MAX_LIST_BYTES, input)) {
		const fields = run?.toString("utf8").split("\0") ?? [];
		for (let at = 0; at + 2 < fields.length; at += 3) {
			if (filters.has(fields[at + 2] ?? "")) found.add(fields[at] ?? "");
		}
	}
	return found;
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
	for (const run of runsOf(place, ["cat-file", "--filters", `--batch=${mark}`], MAX_BATCH_BYTES, input)) {
		const found = run && splitBatch(run, mark, files);
		if (found) return found;
	}
	return undefined;
}

/** Undefined: one of them is missing there. */
function splitBatch(output: Buffer, mark: string, files: readonly HeldFile[]): Map<string, Buffer> | undefined {
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

function git(place: GitPlace, args: readonly string[], maxBuffer: number): Buffer | undefined {
	for (const found of runsOf(place, args, maxBuffer, "")) if (found) return found;
	return undefined;
}

/** In the work tree, whose attributes apply; then where its commits are. */
function* runsOf(
	place: GitPlace,
	args: readonly string[],
	maxBuffer: number,
	input: string,
): Generator<Buffer | undefined> {
	for (const [cwd, options] of repositoriesOf(place))
		yield runGit(cwd, args, { maxBuffer, input, timeout: TIMEOUT_MS }, options);
}

/** Folders to start git in, with the options that lead it to the commits. */
function repositoriesOf({ folder, commits, spare }: GitPlace): (readonly [cwd: string, options: readonly string[]])[] {
	const own = existsSync(join(folder, ".git")) ? [[folder, []] as const] : [];
	const others = [commits, spare].filter((place): place is string => place !== undefined && existsSync(place));
	return [...own, ...others.map((place) => [place, [`--git-dir=${place}`, `--work-tree=${place}`]] as const)];
}
