/** Which sessions of which agents lie on this machine, from the places where each agent keeps them. */
import { homedir } from "node:os";
import { basename } from "node:path";
import { statOf } from "../../base/file/regular-file.ts";
import { type JsonObject, parseObject } from "../../base/json/read.ts";
import { READERS } from "../readers.ts";
import { cutFile } from "./cut-file.ts";
import { detectKind } from "./detect.ts";
import { readLines } from "./line-reader.ts";
import type { Reader } from "./reader.ts";
import { findSessionFiles } from "./session-files.ts";

export interface FoundFile {
	readonly agent: string;
	readonly path: string;
	readonly bytes: number;
	/** ms since the epoch. */
	readonly changed: number;
}

export interface DiscoverOptions {
	readonly env: NodeJS.ProcessEnv;
	/** Only these kinds; by default all. */
	readonly agents?: readonly Reader[] | undefined;
	/** Only files that were written since, ms since the epoch. */
	readonly since?: number | undefined;
}

/** Every file that may hold sessions; nothing of them is read. */
export function discover({ env, agents = READERS, since = 0 }: DiscoverOptions): FoundFile[] {
	const home = env["HOME"] || homedir();
	return agents.flatMap((reader) =>
		reader.places(env, home).flatMap(({ path, holds }) => {
			const stat = statOf(path);
			const files = stat?.isFile() ? [path] : stat?.isDirectory() ? findSessionFiles(path, holds) : [];
			return files.flatMap((file): FoundFile[] => {
				const changed = lastChange(file);
				if (changed === undefined || changed < since) return [];
				return [{ agent: reader.kind, path: file, bytes: sizeOf(file), changed }];
			});
		}),
	);
}

/** A database's newest rows may stand in its WAL. */
export function lastChange(path: string): number | undefined {
	const times = [path, `${path}-wal`].map((file) => statOf(file)?.mtimeMs);
	return times[0] === undefined ? undefined : Math.trunc(Math.max(times[0], times[1] ?? 0));
}

export function sizeOf(path: string): number {
	return [path, `${path}-wal`].reduce((sum, file) => sum + (statOf(file)?.size ?? 0), 0);
}

export interface FoundPlace {
	readonly session: string;
	readonly cwd: string | undefined;
}

const MAX_LINES = 40;
const MAX_BYTES = 4 * 1024 * 1024;

/** Whose sessions a file holds, and where they ran, from its first lines. Empty: it cannot be told. */
export async function peek(path: string): Promise<FoundPlace[]> {
	try {
		const cut = cutFile(path);
		if (cut) {
			try {
				return [...cut.sessions()].map(({ session, cwd }) => ({ session, cwd }));
			} finally {
				cut.close();
			}
		}
		const lines: (JsonObject | undefined)[] = [];
		const file = { path, name: basename(path) };
		for await (const { text, offset } of readLines(path)) {
			lines.push(parseObject(text));
			const isAll = lines.length >= MAX_LINES || offset > MAX_BYTES;
			const kind = detectKind(lines, file, isAll);
			if (kind && "found" in kind) return [{ session: kind.found.session, cwd: kind.found.cwd }];
			if (kind || isAll) return [];
		}
		const kind = detectKind(lines, file, true);
		return kind && "found" in kind ? [{ session: kind.found.session, cwd: kind.found.cwd }] : [];
	} catch {
		// Whoever imports it says what is wrong with it.
		return [];
	}
}
