/** The files of a work tree that git does not hold: changed since HEAD, untracked or ignored. One bounded call of git. */
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readBounded } from "../file/regular-file.ts";
import { runGit } from "./start.ts";

export interface WorkTree {
	/** Commit; null: there is none yet. */
	readonly head: string | null;
	readonly entries: readonly WorkTreeEntry[];
}

export interface WorkTreeEntry {
	/** Relative to the work tree's root. Ends with `/`: a folder that git does not look into. */
	readonly path: string;
	readonly kind: "changed" | "untracked" | "ignored";
	/** The text in the index, if neither HEAD nor the file has it: the object in hex, and its mode as git writes it. */
	readonly staged?: { readonly object: string; readonly mode: number } | undefined;
}

const MAX_LIST_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 5_000;
/** The index of a million files. */
const MAX_GIT_FILE_BYTES = 256 * 1024 * 1024;

/**
 * `root`: the folder with `.git`. Submodules are left out: git would look into them with the programs that their settings name.
 * Undefined: git gave no answer, or one that is too long.
 */
export function readWorkTree(root: string): WorkTree | undefined {
	const args = ["status", "--porcelain=v2", "-z", "--branch", "--no-renames", "--no-ahead-behind"];
	const lists = ["--untracked-files=all", "--ignored=matching", "--ignore-submodules=all"];
	const printed = runGit(root, [...args, ...lists], { maxBuffer: MAX_LIST_BYTES, timeout: TIMEOUT_MS });
	return printed && parseStatus(textOf(printed));
}

/** Every file that git tracks, relative to the work tree's root. Undefined: git gave no answer, or one that is too long. */
export function trackedFiles(root: string): string[] | undefined {
	return listWithGit(root, ["ls-files", "-z"])?.split("\0").filter(Boolean);
}

/** Files of the index that `git status` passes over: marked as assumed unchanged, or as outside the work tree. */
export function hiddenFiles(root: string): string[] | undefined {
	// A small letter: assumed unchanged. S: skip-worktree.
	const lines = listWithGit(root, ["ls-files", "-v", "-z"])?.split("\0");
	return lines?.filter((line) => /^(?:[a-z]|S) /.test(line)).map((line) => line.slice(2));
}

/** Changes with every change of the index; undefined: there is none. */
export function indexStamp(root: string): string | undefined {
	const stat = statSync(join(ownGitFolder(root) ?? join(root, ".git"), "index"), {
		bigint: true,
		throwIfNoEntry: false,
	});
	return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

export interface Stash {
	/** In hex. */
	readonly commit: string;
	/** As `git stash list` shows it. */
	readonly what: string;
}

/** The newest stashes of a repository, newest first. */
export function stashesOf(gitFolder: string): Stash[] {
	const log = existsSync(join(gitFolder, "reftable"))
		? listWithGit(gitFolder, ["reflog", "show", "--format=%H%x09%gs", "refs/stash"])?.split("\n")
		: read(join(gitFolder, "logs/refs/stash"))?.split("\n").reverse();
	const found = (log ?? []).flatMap((line) => {
		const [, commit = "", what = ""] = /^(?:[0-9a-f]+ )?([0-9a-f]{40,64})[^\t]*\t(.*)$/.exec(line) ?? [];
		return commit === "" ? [] : [{ commit, what }];
	});
	return found.slice(0, MAX_STASHES);
}

const MAX_STASHES = 100;
const MAX_OBJECTS_BYTES = 128 * 1024 * 1024;

/** The bytes of git's objects as they are, by object. Those that are missing or too large together are left out. */
export function readObjects(root: string, objects: readonly string[]): Map<string, Buffer> {
	const found = new Map<string, Buffer>();
	if (objects.length === 0) return found;
	const input = objects.map((object) => `${object}\n`).join("");
	const options = { maxBuffer: MAX_OBJECTS_BYTES, timeout: TIMEOUT_MS, isWithoutFiles: true };
	const printed = runGit(root, ["cat-file", "--batch"], { ...options, input });
	if (!printed) return found;
	for (let at = 0; at < printed.length; ) {
		const end = printed.indexOf("\n", at);
		const [object = "", , size] = printed.toString("latin1", at, end).split(" ");
		at = end + 1;
		// `HASH missing`
		if (size === undefined) continue;
		found.set(object, printed.subarray(at, at + Number(size)));
		at += Number(size) + 1;
	}
	return found;
}

/** What the index or git's own files hold. */
function listWithGit(root: string, args: readonly string[]): string | undefined {
	const printed = runGit(root, args, { maxBuffer: MAX_LIST_BYTES, timeout: TIMEOUT_MS, isWithoutFiles: true });
	return printed && textOf(printed);
}

/** Names that are not UTF-8 could not be opened again by their text. */
function textOf(printed: Buffer): string {
	return printed.toString("utf8");
}

/**
 * Where the commits of a linked work tree or a submodule are: outside it, so they outlive its folder. Undefined: the folder
 * has its own `.git`, or none.
 */
export function commitFolderOf(root: string): string | undefined {
	const folder = ownGitFolder(root);
	// Work trees of one repository share its commits; a submodule has its own.
	return folder === undefined ? undefined : resolve(folder, read(join(folder, "commondir"))?.trim() ?? ".");
}

/** Folders that the index has as commits of other repositories: submodules, and repositories that were added as they are. */
export function submoduleFolders(root: string): string[] {
	const index = readBytes(join(ownGitFolder(root) ?? join(root, ".git"), "index"));
	if (!index?.includes(SUBMODULE_MODE)) return [];
	const lines = listWithGit(root, ["ls-files", "-z", "--stage"])?.split("\0") ?? [];
	return lines.flatMap((line) => /^160000 .*?\t(.+)$/s.exec(line)?.[1] ?? []);
}

/** As the index writes the mode 160000. */
const SUBMODULE_MODE = Buffer.from([0, 0, 0xe0, 0]);

function ownGitFolder(root: string): string | undefined {
	const named = /^gitdir: (.+)$/m.exec(read(join(root, ".git")) ?? "")?.[1];
	return named === undefined ? undefined : resolve(root, named);
}

function read(path: string): string | undefined {
	return readBytes(path)?.toString("utf8");
}

function readBytes(path: string): Buffer | undefined {
	const reading = readBounded(path, MAX_GIT_FILE_BYTES);
	return reading.kind === "bytes" ? reading.bytes : undefined;
}

/** Words before the path, by the entry's first character. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, u: 10 };

function parseStatus(text: string): WorkTree {
	let head: string | null = null;
	const entries: WorkTreeEntry[] = [];
	for (const line of text.split("\0")) {
		if (line.startsWith("# branch.oid ")) head = /^[0-9a-f]{40,64}$/.exec(line.slice(13))?.[0] ?? null;
		else if (line.startsWith("? ")) entries.push({ path: line.slice(2), kind: "untracked" });
		else if (line.startsWith("! ")) entries.push({ path: line.slice(2), kind: "ignored" });
		else {
			const words = FIELDS[line.charAt(0)];
			const fields = words === undefined ? [] : line.split(" ");
			const path = words === undefined ? "" : fields.slice(words).join(" ");
			const isSubmodule = fields[2]?.startsWith("S") ?? false;
			if (path !== "" && !isSubmodule) entries.push({ path, kind: "changed", staged: stagedIn(fields) });
		}
	}
	return { head, entries };
}

/** The index differs from HEAD, and the file from the index. A merge's own texts are those of commits. */
function stagedIn([first, states = "", , , mode = "", , , object = ""]: readonly string[]): WorkTreeEntry["staged"] {
	if (first !== "1" || !/^[^.D][^.]$/.test(states) || /^0+$/.test(object)) return undefined;
	return { object, mode: Number.parseInt(mode, 8) };
}
