/** Finds session files: in a folder, or where the agents on this machine keep them. */
import { homedir } from "node:os";
import { basename, relative, sep } from "node:path";
import { filesBelow } from "../../base/file/folder-tree.ts";
import { readPiece, statOf } from "../../base/file/regular-file.ts";
import { type JsonObject, parseObject } from "../../base/json/read.ts";
import { detectKind, isDatabase, isPackedArchive } from "./file-kind.ts";
import { readLines } from "./line-reader.ts";
import type { FoundSession, SessionReader } from "./session-reader.ts";
import { openStore } from "./session-store.ts";

export interface FoundFile {
	readonly agent: string;
	readonly path: string;
	readonly bytes: number;
	/** ms since the epoch. */
	readonly changed: number;
}

export interface DiscoverOptions {
	readonly readers: readonly SessionReader[];
	readonly env: NodeJS.ProcessEnv;
	/** Only files written since then, ms since the epoch. */
	readonly since?: number | undefined;
	/** Called for each link that leads out of the agent's folder: it is not followed. */
	readonly onOutside?: ((link: string) => void) | undefined;
}

/** Every file that may hold sessions of these agents. Reads none of them. */
export function discover({ readers, env, since = 0, onOutside }: DiscoverOptions): FoundFile[] {
	const home = env["HOME"] || homedir();
	return readers.flatMap((reader) =>
		reader.places(env, home).flatMap(({ path, holds }) => {
			const stat = statOf(path);
			const files = stat?.isFile() ? [path] : stat?.isDirectory() ? findSessionFiles(path, holds, onOutside) : [];
			return files.flatMap((file): FoundFile[] => {
				const changed = lastChange(file);
				if (changed === undefined || changed < since) return [];
				return [{ agent: reader.kind, path: file, bytes: sizeOf(file), changed }];
			});
		}),
	);
}

/** Looks at the WAL too: it may hold a database's newest rows. */
export function lastChange(path: string): number | undefined {
	const changed = statOf(path)?.mtimeMs;
	return changed === undefined ? undefined : Math.trunc(Math.max(changed, statOf(`${path}-wal`)?.mtimeMs ?? 0));
}

export function sizeOf(path: string): number {
	return (statOf(path)?.size ?? 0) + (statOf(`${path}-wal`)?.size ?? 0);
}

export type PeekedSession = Pick<FoundSession, "session" | "cwd">;

const MAX_PEEK_LINES = 40;
const MAX_PEEK_BYTES = 4 * 1024 * 1024;

/** The sessions of a file and where they ran, from its first lines. Empty if these do not say, or the file cannot be read. */
export async function peekSessions(path: string, readers: readonly SessionReader[]): Promise<PeekedSession[]> {
	try {
		const store = openStore(path, readers);
		if (!store) return await peekLines(path, readers);
		try {
			return [...store.sessions()].map(({ session, cwd }) => ({ session, cwd }));
		} finally {
			store.close();
		}
	} catch {
		// An import of the file will report the error.
		return [];
	}
}

async function peekLines(path: string, readers: readonly SessionReader[]): Promise<PeekedSession[]> {
	const lines: (JsonObject | undefined)[] = [];
	const file = { path, name: basename(path) };
	const detect = (isAll: boolean) => detectKind(readers, lines, file, isAll);
	for await (const { text, offset } of readLines(path)) {
		lines.push(parseObject(text));
		const isAll = lines.length >= MAX_PEEK_LINES || offset > MAX_PEEK_BYTES;
		const kind = detect(isAll);
		if (kind || isAll) return peekedIn(kind);
	}
	return peekedIn(detect(true));
}

function peekedIn(kind: ReturnType<typeof detectKind>): PeekedSession[] {
	return kind && "found" in kind ? [{ session: kind.found.session, cwd: kind.found.cwd }] : [];
}

/**
 * The session files in a folder and below it, and weft's own packed archives, in a fixed order: a sub-agent's file comes
 * after its parent's. Lists each file once and follows no link out of the folder. `holds` takes the path relative to the
 * folder.
 */
export function findSessionFiles(
	folder: string,
	holds: (path: string) => boolean = () => true,
	onOutside?: (link: string) => void,
): string[] {
	const found = new Map<string, string>();
	for (const { path, real } of filesBelow(folder, onOutside)) {
		if (isSession(basename(path), path) && holds(below(folder, path)) && !found.has(real)) found.set(real, path);
	}
	return [...found.values()].sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

/** Names of sessions that are one JSON value. The extension alone would match many other files. */
const WHOLE = /(?:\.messages|^session-.*|^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.json$/;

/** A session of opencode before it had a database; its messages are in other folders. */
const OPENCODE = /[/\\]storage[/\\]session[/\\][^/\\]+[/\\]ses_[^/\\]+\.json$/;

/** The beginning of a file of `opencode export`, whatever its name is. */
const OPENCODE_EXPORT = /^\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"ses_/;
const EXPORT_HEAD_BYTES = 512;

function isSession(name: string, path: string): boolean {
	if (name.endsWith(".jsonl") || WHOLE.test(name) || OPENCODE.test(path)) return true;
	if (name.endsWith(".json")) return OPENCODE_EXPORT.test(readPiece(path, 0, EXPORT_HEAD_BYTES).toString("utf8"));
	if (/^(?:opencode|kilo)[^/]*\.db$|^openclaw-agent\.sqlite$/.test(name)) return isDatabase(path);
	return name.endsWith(".gz") && isPackedArchive(path);
}

function below(folder: string, path: string): string {
	return relative(folder, path).split(sep).join("/");
}

/** Sub-agents' files are named `agent-…`, or lie in a folder of their parent. */
function rank(path: string): number {
	return /^agent[-_]/.test(basename(path)) || /[/\\]chats[/\\][^/\\]+[/\\][^/\\]+$/.test(path) ? 1 : 0;
}
