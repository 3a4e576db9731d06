/**
 * The files below a folder that git could not bring back: changed since HEAD, untracked, or ignored but not made by a build.
 * Without a repository, all files. Bounded, and read without opening any of them.
 */
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { readWorkTree } from "../base/git/work-tree.ts";

export interface UnheldFiles {
	/** Commit that holds the other files; null: none yet; undefined: there is no repository. */
	readonly head: string | null | undefined;
	readonly files: readonly UnheldFile[];
	/** Why the list is not complete. */
	readonly missing: string | undefined;
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

export function listUnheldFiles(root: string): UnheldFiles {
	const tree = existsSync(join(root, ".git")) ? listWorkTree(root, 0) : undefined;
	if (tree) return tree;
	// A folder this wide holds other projects, and more than one command could take.
	if (root === "/" || `${homedir()}/`.startsWith(`${root}/`)) return { head: undefined, files: [], missing: undefined };
	const walk = walkFolder(root, "", MAX_LISTED, isDependency);
	return { head: undefined, files: walk.map(untracked), missing: tooMany(walk.length) };
}

/** Undefined: git gave no answer, so all files count. */
function listWorkTree(root: string, depth: number): UnheldFiles | undefined {
	const tree = readWorkTree(root);
	if (!tree) return undefined;
	const files: UnheldFile[] = [];
	let ignored = 0;
	let nested = 0;
	for (const { path, kind } of tree.entries) {
		if (files.length >= MAX_LISTED) break;
		const isFolder = path.endsWith("/");
		const folder = isFolder ? path.slice(0, -1) : path;
		if (kind === "ignored") {
			if (isOutput(folder) || ignored >= MAX_IGNORED_FILES) continue;
			const found = isFolder ? listIgnored(root, folder, MAX_IGNORED_FILES - ignored, depth) : [untracked(path)];
			ignored += found.length;
			files.push(...found.map((file) => ({ ...file, ignored: true })));
		} else if (kind === "submodule" || (isFolder && existsSync(join(root, folder, ".git")))) {
			if (++nested <= MAX_NESTED) files.push(...listNested(root, folder, { isHeld: kind === "submodule", depth }));
		} else if (isFolder)
			files.push(...walkFolder(root, folder, MAX_LISTED - files.length, isDependency).map(untracked));
		else if (kind === "changed" || !path.split("/").some(isDependency))
			files.push({ path, tracked: kind === "changed" });
	}
	return { head: tree.head, files, missing: tooMany(files.length) };
}

/** A repository inside: the outer one holds a submodule's commits, but nothing of any other. */
function listNested(
	root: string,
	folder: string,
	{ isHeld, depth }: { readonly isHeld: boolean; readonly depth: number },
): UnheldFile[] {
	const isLinked = isHeld || isLinkedWorkTree(join(root, folder));
	const tree = isLinked && depth < MAX_DEPTH ? listWorkTree(join(root, folder), depth + 1) : undefined;
	if (!tree) return walkFolder(root, folder, MAX_LISTED, isDependency).map(untracked);
	return tree.files.map(({ path }) => untracked(`${folder}/${path}`));
}

function listIgnored(root: string, folder: string, limit: number, depth: number): UnheldFile[] {
	if (isLinkedWorkTree(join(root, folder))) return listNested(root, folder, { isHeld: true, depth }).slice(0, limit);
	return walkFolder(root, folder, limit, isOutput).map(untracked);
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
