/** The session files in a folder and below it. */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { isPackedArchive } from "./detect.ts";

/**
 * All `*.jsonl` and weft's own packed archives, in a fixed order, sub-agents' files after the others so that a parent comes first. A folder reached a
 * second time by a link is not entered again, nor a file listed twice. What cannot be read is left to whoever opens it.
 */
export function findSessionFiles(folder: string): string[] {
	const found: string[] = [];
	const seen = new Set<string>();
	const open = [folder];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		if (!enter(next, seen)) continue;
		for (const name of namesIn(next)) {
			const path = join(next, name);
			const stat = statSync(path, { throwIfNoEntry: false });
			if (stat?.isDirectory()) open.push(path);
			else if (stat?.isFile() && isSession(name, path) && enter(path, seen)) found.push(path);
		}
	}
	return found.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

function isSession(name: string, path: string): boolean {
	return name.endsWith(".jsonl") || (name.endsWith(".gz") && isPackedArchive(path));
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

function rank(path: string): number {
	return basename(path).startsWith("agent-") ? 1 : 0;
}
