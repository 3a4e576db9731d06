/** How much disk space the project's folder takes, by part. */
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
	/** Other derived tables and unused pages; 0 while the WAL still holds them. */
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
	// SQLite's shared memory file exists only while a process has the log open.
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
		// The folder does not exist.
	}
	return bytes;
}

function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
