/** Files as a commit holds them, with the filters that a checkout applies. */
import { spawnSync } from "node:child_process";
import { gitEnvironment } from "./work-tree.ts";

export interface HeldFile {
	readonly path: string;
	/** As git writes it: 100644, 100755, 120000. */
	readonly mode: number;
	/** The object that git has, in hex. */
	readonly object: string;
}

const MAX_LIST_BYTES = 64 * 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024 * 1024;

/** The commit's files at these paths. */
export function heldFiles(root: string, commit: string, paths: readonly string[]): Map<string, HeldFile> {
	const found = new Map<string, HeldFile>();
	if (paths.length === 0) return found;
	const wanted = new Set(paths);
	const listing = git(root, ["ls-tree", "-r", "-z", "--full-tree", commit], MAX_LIST_BYTES)?.toString("utf8") ?? "";
	for (const line of listing.split("\0")) {
		const [, mode = "", kind, object = "", path = ""] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
		if (kind === "blob" && wanted.has(path)) found.set(path, { path, mode: Number.parseInt(mode, 8), object });
	}
	return found;
}

/** Its bytes as a checkout writes them; undefined: git does not have them any more. */
export function readHeldFile(root: string, commit: string, { path, mode, object }: HeldFile): Buffer | undefined {
	const isLink = (mode & 0o170000) === 0o120000;
	return isLink
		? git(root, ["cat-file", "blob", object], MAX_FILE_BYTES)
		: git(root, ["cat-file", "--filters", `${commit}:${path}`], MAX_FILE_BYTES);
}

/** Paths of files that differ between two commits. */
export function changedBetween(root: string, one: string, other: string): string[] {
	const names = git(root, ["diff", "--name-only", "--no-renames", "-z", one, other], MAX_LIST_BYTES);
	return names?.toString("utf8").split("\0").filter(Boolean) ?? [];
}

function git(root: string, args: readonly string[], maxBuffer: number): Buffer | undefined {
	const run = spawnSync("git", ["-c", "core.fsmonitor=false", ...args], {
		cwd: root,
		env: gitEnvironment(),
		stdio: ["ignore", "pipe", "ignore"],
		maxBuffer,
		windowsHide: true,
	});
	return run.status === 0 ? run.stdout : undefined;
}
