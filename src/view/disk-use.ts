/** What does the project's folder weigh, and which part of it is what? */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { countBytes } from "../log/counts.ts";
import type { Log } from "../log/log.ts";

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
	const parts = countBytes(log);
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
