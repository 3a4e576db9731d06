/** The files of a work tree that git does not hold: changed since HEAD, untracked or ignored. One bounded call of git. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface WorkTree {
	/** Commit; null: there is none yet. */
	readonly head: string | null;
	readonly entries: readonly WorkTreeEntry[];
}

export interface WorkTreeEntry {
	/** Relative to the work tree's root. Ends with `/`: a folder that git does not look into. */
	readonly path: string;
	readonly kind: "changed" | "untracked" | "ignored" | "submodule";
}

const MAX_LIST_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 5_000;

/** `root`: the folder with `.git`. Undefined: git gave no answer, or one that is too long. */
export function readWorkTree(root: string): WorkTree | undefined {
	const args = ["status", "--porcelain=v2", "-z", "--branch", "--no-renames", "--no-ahead-behind"];
	const lists = ["--untracked-files=all", "--ignored=matching", "--ignore-submodules=none"];
	const text = listWithGit(root, [...args, ...lists]);
	return text === undefined ? undefined : parseStatus(text);
}

/** Every file that git tracks, relative to the work tree's root. Undefined: git gave no answer, or one that is too long. */
export function trackedFiles(root: string): string[] | undefined {
	return listWithGit(root, ["ls-files", "-z"])?.split("\0").filter(Boolean);
}

function listWithGit(root: string, args: readonly string[]): string | undefined {
	// A repository may name a program to watch its files: do not start it.
	const run = spawnSync("git", ["-c", "core.fsmonitor=false", ...args], {
		cwd: root,
		env: gitEnvironment(),
		stdio: ["ignore", "pipe", "ignore"],
		maxBuffer: MAX_LIST_BYTES,
		timeout: TIMEOUT_MS,
		windowsHide: true,
	});
	// Names that are not UTF-8 could not be opened again by their text.
	return run.status === 0 ? run.stdout.toString("utf8") : undefined;
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

/** The commit of a linked work tree or a submodule, without starting git. Undefined: not known so. */
export function commitOf(root: string): string | undefined {
	const [folder, commits] = [ownGitFolder(root), commitFolderOf(root)];
	if (folder === undefined || commits === undefined) return undefined;
	const head = read(join(folder, "HEAD"))?.trim() ?? "";
	const branch = /^ref: (refs\/.+)$/.exec(head)?.[1];
	const found = branch === undefined ? head : read(join(commits, branch))?.trim();
	return found !== undefined && /^[0-9a-f]{40,64}$/.test(found) ? found : undefined;
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
	try {
		return readFileSync(path);
	} catch {
		return undefined;
	}
}

/** Variables of an outer git, as in a hook, would lead to another repository. */
export function gitEnvironment(): NodeJS.ProcessEnv {
	const own = Object.entries(process.env).filter(([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX)$/.test(name));
	return { ...Object.fromEntries(own), GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" };
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
			if (path !== "") entries.push({ path, kind: fields[2]?.startsWith("S") ? "submodule" : "changed" });
		}
	}
	return { head, entries };
}
