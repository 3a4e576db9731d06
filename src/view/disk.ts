/** What does the project's folder weigh, and which part of it is what? */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../log/log.ts";
import { BY_TABLE, OWNER_OF_INDEX } from "./sql.ts";

/** Tables that are the log itself; whatever else is in the file is derived from them. */
const LOG_TABLES = new Set(["event", "pack", "blob", "blob_use", "gap", "word", "meta"]);

export interface DiskUse {
	/** The whole folder. */
	readonly total: number;
	/** Events and blobs, with their indexes. */
	readonly log: number;
	readonly search: number;
	/** Other derived tables, and pages that nobody uses now; 0 where that cannot be told because the WAL holds them. */
	readonly state: number;
	/** Written, but not yet moved into the database file. */
	readonly wal: number;
	readonly archive: number;
	readonly other: number;
}

export function diskUse(log: Log): DiskUse {
	const database = sizeOf(log.path);
	const parts = tableParts(log);
	const wal = sizeOf(`${log.path}-wal`);
	const archive = folderSize(join(log.folder, "archive"));
	// SQLite's shared memory file is there only while somebody has the log open.
	const total = folderSize(log.folder) - sizeOf(`${log.path}-shm`);
	return {
		total,
		...parts,
		state: Math.max(0, database - parts.log - parts.search),
		wal,
		archive,
		other: total - database - wal - archive,
	};
}

function tableParts(log: Log): { log: number; search: number } {
	const owners = new Map(
		(log.db.prepare(OWNER_OF_INDEX).all() as { name: string; owner: string }[]).map(({ name, owner }) => [name, owner]),
	);
	const parts = { log: 0, search: 0 };
	for (const { name, bytes } of log.db.prepare(BY_TABLE).all() as { name: string; bytes: number }[]) {
		const table = owners.get(name) ?? name;
		if (LOG_TABLES.has(table)) parts.log += bytes;
		else if (table.startsWith("search")) parts.search += bytes;
	}
	return parts;
}

function folderSize(path: string): number {
	let bytes = 0;
	try {
		for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
			if (entry.isFile()) bytes += sizeOf(join(entry.parentPath, entry.name));
		}
	} catch {
		// Not there: nothing to weigh.
	}
	return bytes;
}

function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
