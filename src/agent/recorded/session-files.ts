/** The session files in a folder and below it. */
import { readdirSync, realpathSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { statOf } from "../../base/file/regular-file.ts";
import { isDatabase, isPackedArchive } from "./detect.ts";

/**
 * What may hold sessions, by its name, and weft's own packed archives, in a fixed order, sub-agents' files after the others so that a parent comes
 * first. A folder reached a second time by a link is not entered again, nor a file listed twice. What cannot be read is
 * left to whoever opens it. `holds` is asked with the path below the folder.
 */
export function findSessionFiles(folder: string, holds: (path: string) => boolean = () => true): string[] {
	const found: string[] = [];
	const seen = new Set<string>();
	const open = [folder];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		if (!enter(next, seen)) continue;
		for (const name of namesIn(next)) {
			const path = join(next, name);
			const stat = statOf(path);
			if (stat?.isDirectory()) open.push(path);
			else if (stat?.isFile() && isSession(name, path) && holds(below(folder, path)) && enter(path, seen))
				found.push(path);
		}
	}
	return found.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

/** Names under which agents keep a session as one JSON value. Many other files end like this. */
const WHOLE = /(?:\.messages|^session-.*|^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.json$/;

/** A session of opencode before it had a database; its messages lie elsewhere. */
const OPENCODE = /[/\\]storage[/\\]session[/\\][^/\\]+[/\\]ses_[^/\\]+\.json$/;

function isSession(name: string, path: string): boolean {
	if (name.endsWith(".jsonl") || WHOLE.test(name) || OPENCODE.test(path)) return true;
	if (/^(?:opencode|kilo)[^/]*\.db$|^openclaw-agent\.sqlite$/.test(name)) return isDatabase(path);
	return name.endsWith(".gz") && isPackedArchive(path);
}

function below(folder: string, path: string): string {
	return relative(folder, path).split(sep).join("/");
}

function enter(path: string, seen: Set<string>): boolean {
	try {
		const real = realpathSync(path);
		if (seen.has(real)) return false;
		seen.add(real);
		return true;
	} catch {
		return false;
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder).sort();
	} catch {
		return [];
	}
}

/** Sub-agents' files are named `agent-…`, or lie in a folder of their parent. */
function rank(path: string): number {
	return /^agent[-_]/.test(basename(path)) || /[/\\]chats[/\\][^/\\]+[/\\][^/\\]+$/.test(path) ? 1 : 0;
}
