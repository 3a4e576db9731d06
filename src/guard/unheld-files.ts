/**
 * The files below a folder that git could not bring back: changed since HEAD, untracked, or ignored but not made by a build.
 * Without a repository, all files. Bounded, and read without opening any of them.
 */
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { linkStatOf } from "../base/file/regular-file.ts";
import {
	commitFolderOf,
	hiddenFiles,
	indexStamp,
	readWorkTree,
	submoduleFolders,
	trackedFiles,
} from "../base/git/work-tree.ts";

export interface UnheldFiles {
	/** Commit that holds the other files; null: none yet; undefined: there is no repository. */
	readonly head: string | null | undefined;
	readonly files: readonly UnheldFile[];
	/** Work trees whose commits are elsewhere: submodules and linked work trees inside, and the folder itself. */
	readonly trees: readonly HeldTree[];
	/** Texts that only the index of git has. */
	readonly staged?: readonly StagedText[] | undefined;
	/** Why the list is not complete. */
	readonly missing: string | undefined;
	/** Ignored folders with more files than are listed, relative to the folder, with `/` at the end. */
	readonly tooLarge?: readonly string[] | undefined;
}

/** A commit holds the other files of this folder. */
export interface HeldTree {
	/** Relative to the folder; empty: the folder itself. */
	readonly path: string;
	readonly head: string;
	/** Where the commits are, absolute. */
	readonly commits: string;
}

/** Staged, and neither in HEAD nor in the file. */
export interface StagedText {
	/** Relative to the folder. */
	readonly path: string;
	/** The work tree whose index has it, relative to the folder; empty: the folder itself. */
	readonly tree: string;
	/** In hex. */
	readonly object: string;
	/** As git writes it. */
	readonly mode: number;
}

export interface UnheldFile {
	/** Relative to the folder. */
	readonly path: string;
	/** Git tracks it, and it differs from HEAD. */
	readonly tracked: boolean;
	readonly ignored?: boolean | undefined;
}

const MAX_LISTED = 60_000;
const MAX_DEPTH = 24;
/** Files in ignored folders that are no build output: not a data set. */
const MAX_IGNORED_FILES = 4_000;
const MAX_NESTED = 16;
const MAX_SUBMODULES = 64;
const MAX_STAGED = 1_000;
/** Files of one work tree that git was told to pass over. */
const MAX_HIDDEN = 5_000;
const MAX_STAMPS = 64;

export interface ListOptions {
	/** Git may be gone soon, so the files that it holds count too, if they are at most so many. */
	readonly tracked?: number | undefined;
	/** Files that git does not hold, or holds otherwise. */
	readonly limit?: number | undefined;
	/** Files and folders that are about to go, absolute: of ignored ones all count, however many there are. */
	readonly taken?: readonly string[] | undefined;
}

export function listUnheldFiles(
	root: string,
	{ tracked = 0, limit = MAX_LISTED, taken = [] }: ListOptions = {},
): UnheldFiles {
	const tree = existsSync(join(root, ".git")) ? listWorkTree(root, { depth: 0, tracked, limit, taken }) : undefined;
	if (tree) return tree;
	// A folder this wide holds other projects, and more than one command could take.
	if (root === "/" || `${homedir()}/`.startsWith(`${root}/`))
		return { head: undefined, files: [], trees: [], missing: undefined };
	const walk = walkFolder(root, "", limit, isDependency);
	return { head: undefined, files: walk.map(untracked), trees: [], missing: tooMany(walk.length, limit) };
}

/** Undefined: git gave no answer, so all files count. */
function listWorkTree(root: string, of: NestedOptions): UnheldFiles | undefined {
	const tree = readWorkTree(root);
	if (!tree) return undefined;
	const files: UnheldFile[] = [];
	const trees: HeldTree[] = [];
	const commits = commitFolderOf(root);
	if (tree.head !== null && commits !== undefined) trees.push({ path: "", head: tree.head, commits });
	const staged: StagedText[] = [];
	const add = (found: NestedFiles) => {
		files.push(...found.files);
		staged.push(...(found.staged ?? []));
		trees.push(...found.trees);
	};
	const ignored: IgnoredEntry[] = [];
	let nested = 0;
	for (const { path, kind, staged: text } of tree.entries) {
		if (files.length >= of.limit) break;
		if (text && staged.length < MAX_STAGED) staged.push({ path, tree: "", ...text });
		const isFolder = path.endsWith("/");
		const folder = isFolder ? path.slice(0, -1) : path;
		const isTree = isFolder && isLinkedWorkTree(join(root, folder));
		if (kind === "ignored" && isTree) {
			// Work that a person ignores here, and does there.
			if (++nested <= MAX_NESTED) add(ignoredFiles(listNested(root, folder, { ...of, isHeld: true })));
		} else if (kind === "ignored") {
			if (isOutput(folder) || ignored.length >= MAX_LISTED) continue;
			const found = isFolder ? walkFolder(root, folder, MAX_IGNORED_FILES, isOutput) : [path];
			const isLarge = isFolder && found.length >= MAX_IGNORED_FILES;
			const taken = isLarge ? of.taken.flatMap((each) => takenIn(root, folder, each)) : [];
			if (taken.length > 0) add(ignoredFiles(only([...new Set(taken)].map(untracked))));
			if (!isLarge || !of.taken.some((each) => isAround(each, join(root, folder)))) ignored.push({ path, found });
		} else if (isFolder && existsSync(join(root, folder, ".git"))) {
			if (++nested <= MAX_NESTED)
				add(listNested(root, folder, { ...of, isHeld: isTree || isLinkedWorkTree(join(root, folder)) }));
		} else if (isFolder) files.push(...walkFolder(root, folder, of.limit - files.length, isDependency).map(untracked));
		else if (kind === "changed" || !path.split("/").some(isDependency))
			files.push({ path, tracked: kind === "changed" });
	}
	const { kept, tooLarge } = chooseIgnored(ignored);
	add(ignoredFiles(only(kept.map(untracked))));
	const { submodules, hidden } = readIndex(root);
	for (const folder of submodules) {
		if (files.length >= of.limit) break;
		add(listNested(root, folder, { ...of, isHeld: commitFolderOf(join(root, folder)) !== undefined }));
	}
	const isNew = new Set(files.map(({ path }) => path));
	for (const path of hidden) {
		// A sparse checkout has most of them only in the index.
		if (!linkStatOf(join(root, path))) continue;
		if (!isNew.has(path)) files.push(untracked(path));
		isNew.add(path);
	}
	const held = of.tracked > 0 ? (trackedFiles(root) ?? []) : [];
	for (const path of held.length <= of.tracked ? held : []) if (!isNew.has(path)) files.push(untracked(path));
	return { head: tree.head, files, trees, staged, missing: tooMany(files.length, of.limit), tooLarge };
}

function isAround(taken: string, folder: string): boolean {
	return `${folder}/`.startsWith(`${taken}/`);
}

/** Of a folder, the files that are in a place that is about to go. */
function takenIn(root: string, folder: string, taken: string): string[] {
	const inside = join(root, folder);
	if (isAround(taken, inside)) return walkFolder(root, folder, MAX_LISTED, isOutput);
	if (!taken.startsWith(`${inside}/`)) return [];
	const path = taken.slice(root.length + 1);
	return linkStatOf(taken)?.isDirectory() ? walkFolder(root, path, MAX_LISTED, isOutput) : [path];
}

interface IndexLists {
	readonly stamp: string;
	/** Files that git was told to pass over. */
	readonly hidden: readonly string[];
	readonly submodules: readonly string[];
}

/** Per work tree, as of its index: reading a large index takes time. */
const listsByRoot = new Map<string, IndexLists>();

function readIndex(root: string): IndexLists {
	const stamp = indexStamp(root) ?? "";
	let known = listsByRoot.get(root);
	if (known?.stamp !== stamp) {
		const hidden = stamp === "" ? [] : (hiddenFiles(root) ?? []).slice(0, MAX_HIDDEN);
		known = { stamp, hidden, submodules: submoduleFolders(root).slice(0, MAX_SUBMODULES) };
		if (listsByRoot.size >= MAX_STAMPS) listsByRoot.clear();
		listsByRoot.set(root, known);
	}
	return known;
}

interface IgnoredEntry {
	readonly path: string;
	readonly found: readonly string[];
}

/** The smallest first, so that a data set does not take the room of a `.env`. */
function chooseIgnored(entries: readonly IgnoredEntry[]): { readonly kept: string[]; readonly tooLarge: string[] } {
	const kept: string[] = [];
	const tooLarge: string[] = [];
	for (const { path, found } of [...entries].sort((a, b) => a.found.length - b.found.length)) {
		const room = MAX_IGNORED_FILES - kept.length;
		if (found.length > room || found.length >= MAX_IGNORED_FILES) tooLarge.push(path);
		kept.push(...found.slice(0, room));
	}
	return { kept, tooLarge };
}

interface NestedOptions {
	readonly depth: number;
	/** Most files of those that git holds. */
	readonly tracked: number;
	readonly limit: number;
	/** Absolute. */
	readonly taken: readonly string[];
}

type NestedFiles = Pick<UnheldFiles, "files" | "trees" | "staged">;

const only = (files: readonly UnheldFile[]): NestedFiles => ({ files, trees: [] });

/** A repository inside. `isHeld`: its commits are elsewhere, so they outlive its folder. */
function listNested(
	root: string,
	folder: string,
	{ isHeld, depth, ...of }: NestedOptions & { readonly isHeld: boolean },
): NestedFiles {
	const inside = join(root, folder);
	const isLinked = isHeld && existsSync(join(inside, ".git")) && depth < MAX_DEPTH;
	const tree = isLinked ? listWorkTree(inside, { ...of, depth: depth + 1 }) : undefined;
	if (!tree) return only(walkFolder(root, folder, of.limit, isDependency).map(untracked));
	return {
		files: tree.files.map(({ path, tracked }) => ({ path: `${folder}/${path}`, tracked })),
		trees: tree.trees.map((each) => ({ ...each, path: each.path === "" ? folder : `${folder}/${each.path}` })),
		staged: tree.staged?.map((each) => ({
			...each,
			path: `${folder}/${each.path}`,
			tree: each.tree === "" ? folder : `${folder}/${each.tree}`,
		})),
	};
}

function ignoredFiles({ files, ...rest }: NestedFiles): NestedFiles {
	return { files: files.map((file) => ({ ...file, ignored: true })), ...rest };
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

function tooMany(count: number, limit: number): string | undefined {
	return count >= limit ? `there are more than ${limit} files` : undefined;
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
