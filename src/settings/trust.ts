/**
 * Which projects does the user trust? A project's own files can name code to run and move the data elsewhere, and a clone
 * brings them along, so they count only after the user trusts the project, by its real path. Each trusted project has one
 * small file in the user's data folder, so that two processes never overwrite each other's. A file that another user could
 * have written does not count.
 */
import { readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { writeAtomically, writeError } from "../base/file/atomic-write.ts";
import { readBounded } from "../base/file/regular-file.ts";
import { dataHome, makePrivateFolder, projectKey } from "../log/home.ts";
import { ownVariables } from "./project-variables.ts";
import { type ReadOptions, type ResolvedSettings, readSettings } from "./resolve.ts";

export interface TrustedProject {
	readonly path: string;
	/** When the user trusted it, in ms since the epoch. */
	readonly since: number;
}

const MAX_BYTES = 64 * 1024;

/** The settings, with the project's own files if the user trusts the project, always or for this run. */
export function readTrustedSettings(
	options: Omit<ReadOptions, "trusted">,
	once: boolean,
): ResolvedSettings & { readonly trusted: boolean } {
	const own = readSettings({ ...options, trusted: false });
	const home = dataHome(own.settings.dbDir ?? undefined, ownVariables(options.env, [options.projectRoot, options.cwd]));
	const trusted = own.ignored.length > 0 && (once || isTrusted(home, options.projectRoot));
	return trusted ? { ...readSettings({ ...options, trusted }), trusted } : { ...own, trusted };
}

/** `home`: the user's data folder, as the settings without the project's own files name it. `root`: a real path. */
export function isTrusted(home: string, root: string): boolean {
	return !isInside(home, root) && readEntry(fileOf(home, root))?.path === root;
}

export function trustProject(home: string, root: string, now: number): void {
	if (isInside(home, root)) {
		throw new EngineError(
			"refused",
			`The data folder ${home} is inside the project, which could then trust itself. Choose another one with --home or WEFT_HOME.`,
		);
	}
	const file = fileOf(home, root);
	makePrivateFolder(join(file, ".."));
	try {
		writeAtomically(file, `${JSON.stringify({ path: root, since: now })}\n`);
	} catch (cause) {
		throw writeError(cause, file);
	}
}

/** Returns false if it was not trusted. */
export function distrustProject(home: string, root: string): boolean {
	const was = isTrusted(home, root);
	rmSync(fileOf(home, root), { force: true });
	return was;
}

/** Sorted by path. */
export function trustedProjects(home: string): TrustedProject[] {
	const folder = join(home, "trust");
	let names: string[] = [];
	try {
		names = readdirSync(folder).filter((name) => name.endsWith(".json"));
	} catch {
		// No project is trusted yet.
	}
	return names
		.map((name) => readEntry(join(folder, name)))
		.filter((entry) => entry !== undefined)
		.filter(({ path }) => isTrusted(home, path))
		.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function fileOf(home: string, root: string): string {
	return join(home, "trust", `${projectKey(root)}.json`);
}

function readEntry(file: string): TrustedProject | undefined {
	if (!isOurs(file) || !isOurs(join(file, ".."))) return undefined;
	const reading = readBounded(file, MAX_BYTES);
	if (reading.kind !== "bytes") return undefined;
	try {
		const { path, since } = JSON.parse(reading.bytes.toString("utf8")) as Partial<TrustedProject>;
		return typeof path === "string" && typeof since === "number" ? { path, since } : undefined;
	} catch {
		return undefined;
	}
}

/** Only this user can have written it. */
function isOurs(path: string): boolean {
	const stat = statSync(path, { throwIfNoEntry: false });
	if (!stat) return false;
	return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o022) === 0);
}

function isInside(home: string, root: string): boolean {
	const base = root.endsWith(sep) ? root : root + sep;
	return [home, realPath(home)].some((path) => path === root || path.startsWith(base));
}

function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
