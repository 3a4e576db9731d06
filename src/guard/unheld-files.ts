/**
 * The files below a folder that git could not bring back: changed since HEAD, untracked, or ignored but not made by a build.
 * Without a repository, all files. Bounded, and read without opening any of them.
 */
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { commitFolderOf, commitOf, readWorkTree, submoduleFolders, trackedFiles } from "../base/git/work-tree.ts";

export interface UnheldFiles {
	/** Commit that holds the other files; null: none yet; undefined: there is no repository. */
	readonly head: string | null | undefined;
	readonly files: readonly UnheldFile[];
	/** Work trees whose commits are elsewhere: submodules and linked work trees inside, and the folder itself. */
	readonly trees: readonly HeldTree[];
	/** Why the list is not complete. */
	readonly missing: string | undefined;
}

/** A commit holds the other files of this folder. */
export interface HeldTree {
	/** Relative to the folder; empty: the folder itself. */
	readonly path: string;
	readonly head: string;
	/** Where the commits are, absolute. */
	readonly commits: string;
}

export interface UnheldFile {
	/** Relative to the folder. */
	readonly path: string;
	/** Git tracks it, and it differs from HEAD. */
	readonly tracked: boolean;
	readonly ignored?: boolean | undefined;
}

const MAX_LISTED = 20_000;
const MAX_DEPTH = 24;
/** Files in ignored folders that are no build output: some, not a data set. */
const MAX_IGNORED_FILES = 500;
const MAX_NESTED = 16;

/** `isGitAtRisk`: git may be gone soon, so the files that it holds count too. */
export function listUnheldFiles(root: string, { isGitAtRisk = false } = {}): UnheldFiles {
	const tree = existsSync(join(root, ".git")) ? listWorkTree(root, { depth: 0, isGitAtRisk }) : undefined;
	if (tree) return tree;
	// A folder this wide holds other projects, and more than one command could take.
	if (root === "/" || `${homedir()}/`.startsWith(`${root}/`))
		return { head: undefined, files: [], trees: [], missing: undefined };
	const walk = walkFolder(root, "", MAX_LISTED, isDependency);
	return { head: undefined, files: walk.map(untracked), trees: [], missing: tooMany(walk.length) };
}

/** Undefined: git gave no answer, so all files count. */
function listWorkTree(root: string, of: NestedOptions): UnheldFiles | undefined {
	const tree = readWorkTree(root);
	if (!tree) return undefined;
	const files: UnheldFile[] = [];
	const trees: HeldTree[] = [];
	const commits = commitFolderOf(root);
	if (tree.head !== null && commits !== undefined) trees.push({ path: "", head: tree.head, commits });
	const add = (found: NestedFiles) => {
		files.push(...found.files);
		trees.push(...found.trees);
		return found.files.length;
	};
	let ignored = 0;
	let nested = 0;
	for (const { path, kind } of tree.entries) {
		if (files.length >= MAX_LISTED) break;
		const isFolder = path.endsWith("/");
		const folder = isFolder ? path.slice(0, -1) : path;
		const isTree = isFolder && isLinkedWorkTree(join(root, folder));
		if (kind === "ignored" && isTree) {
			// Work that a person ignores here, and does there.
			if (++nested <= MAX_NESTED) add(ignoredFiles(listNested(root, folder, { ...of, isHeld: true })));
		} else if (kind === "ignored") {
			if (isOutput(folder) || ignored >= MAX_IGNORED_FILES) continue;
			const found = isFolder ? walkFolder(root, folder, MAX_IGNORED_FILES - ignored, isOutput) : [path];
			ignored += add(ignoredFiles(only(found.map(untracked))));
		} else if (kind === "submodule" || (isFolder && existsSync(join(root, folder, ".git")))) {
			if (++nested <= MAX_NESTED)
				add(listNested(root, folder, { ...of, isHeld: isTree || isLinkedWorkTree(join(root, folder)) }));
		} else if (isFolder)
			files.push(...walkFolder(root, folder, MAX_LISTED - files.length, isDependency).map(untracked));
		else if (kind === "changed" || !path.split("/").some(isDependency))
			files.push({ path, tracked: kind === "changed" });
	}
	const listed = new Set(tree.entries.map(({ path }) => path));
	for (const folder of submoduleFolders(root)) {
		if (listed.has(folder) || ++nested > MAX_NESTED) continue;
		add(listCleanSubmodule(root, folder, of));
	}
	const isNew = new Set(files.map(({ path }) => path));
	for (const path of of.isGitAtRisk ? (trackedFiles(root) ?? []) : [])
		if (!isNew.has(path)) files.push(untracked(path));
	return { head: tree.head, files, trees, missing: tooMany(files.length) };
}

interface NestedOptions {
	readonly depth: number;
	readonly isGitAtRisk: boolean;
}

type NestedFiles = Pick<UnheldFiles, "files" | "trees">;

const only = (files: readonly UnheldFile[]): NestedFiles => ({ files, trees: [] });

/** A repository inside. `isHeld`: its commits are elsewhere, so they outlive its folder. */
function listNested(
	root: string,
	folder: string,
	{ isHeld, depth, isGitAtRisk }: NestedOptions & { readonly isHeld: boolean },
): NestedFiles {
	const inside = join(root, folder);
	const isLinked = isHeld && existsSync(join(inside, ".git")) && depth < MAX_DEPTH;
	const tree = isLinked ? listWorkTree(inside, { depth: depth + 1, isGitAtRisk }) : undefined;
	if (!tree) return only(walkFolder(root, folder, MAX_LISTED, isDependency).map(untracked));
	return {
		files: tree.files.map(({ path, tracked }) => ({ path: `${folder}/${path}`, tracked })),
		trees: tree.trees.map((each) => ({ ...each, path: each.path === "" ? folder : `${folder}/${each.path}` })),
	};
}

/** Git lists only submodules that differ, and none without a repository in its folder. */
function listCleanSubmodule(root: string, folder: string, of: NestedOptions): NestedFiles {
	const inside = join(root, folder);
	const [head, commits] = [commitOf(inside), commitFolderOf(inside)];
	const isPlain = commits !== undefined && head !== undefined && !existsSync(join(inside, ".gitmodules"));
	if (!isPlain || of.isGitAtRisk) return listNested(root, folder, { ...of, isHeld: commits !== undefined });
	return { files: [], trees: [{ path: folder, head, commits }] };
}

function ignoredFiles({ files, trees }: NestedFiles): NestedFiles {
	return { files: files.map((file) => ({ ...file, ignored: true })), trees };
}

/** Its `.git` is a file that leads to another repository, which holds its commits. */
function isLinkedWorkTree(folder: string): boolean {
	try {
		return readdirSync(folder, { withFileTypes: true }).some((entry) => entry.name === ".git" && entry.isFile());
	} catch {
		return false;
	}
}

/** Paths of files and links below a folder. */
function walkFolder(root: string, folder: string, limit: number, isSkipped: (name: string) => boolean): string[] {
	const found: string[] = [];
	const walk = (at: string, depth: number) => {
		let entries: ReturnType<typeof readFolder>;
		try {
			entries = readFolder(join(root, at));
		} catch {
			return;
		}
		for (const entry of entries) {
			if (found.length >= limit) return;
			const path = at === "" ? entry.name : `${at}/${entry.name}`;
			if (entry.isDirectory()) {
				if (!isSkipped(entry.name) && depth < MAX_DEPTH) walk(path, depth + 1);
			} else if ((entry.isFile() || entry.isSymbolicLink()) && !isSkipped(entry.name)) found.push(path);
		}
	};
	walk(folder, 0);
	return found;
}

function readFolder(path: string) {
	return readdirSync(path, { withFileTypes: true });
}

function untracked(path: string): UnheldFile {
	return { path, tracked: false };
}

function tooMany(count: number): string | undefined {
	return count >= MAX_LISTED ? `there are more than ${MAX_LISTED} files` : undefined;
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Folders that only tools fill, also where git does not ignore them, and repositories' own data. */
const DEPENDENCIES = set("node_modules bower_components __pycache__ site-packages .venv .tox .nox .git .hg .svn .jj");

function isDependency(name: string): boolean {
	return DEPENDENCIES.has(name);
}

/** Ignored folders that tools fill and can fill again, by the names that they give them. */
const OUTPUTS = set(
	"jspm_packages vendor dist build out target bin obj coverage venv .eggs .gradle .m2 .cargo .next .nuxt .svelte-kit .turbo .parcel-cache .cache .pytest_cache .mypy_cache .ruff_cache .nyc_output .terraform .dart_tool .bundle Pods DerivedData _build deps .stack-work dist-newstyle elm-stuff .output .vercel .angular tmp temp",
);
const OUTPUT_FILE =
	/\.(?:o|obj|a|so|dylib|dll|exe|pyc|pyo|class|jar|wasm|map|log|tsbuildinfo|sw[op])$|^(?:\.DS_Store|Thumbs\.db|\.eslintcache)$/;

function isOutput(path: string): boolean {
	const name = path.slice(path.lastIndexOf("/") + 1);
	return isDependency(name) || OUTPUTS.has(name) || OUTPUT_FILE.test(name);
}
