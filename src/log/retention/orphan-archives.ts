/**
 * Archives without a Pruned event: a process was killed after it wrote one and before it removed the events. All of them are
 * still in the log, so the file is a second copy and is deleted. A file with anything else stays.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { namesIn, readBounded } from "../../base/file/regular-file.ts";
import { takeLease } from "../../base/sqlite/lease.ts";
import { one } from "../../base/sqlite/rows.ts";
import { databaseOf } from "../database.ts";
import type { Log } from "../log.ts";
import { archiveFolder, leasePath } from "./archive.ts";
import { prunedParts } from "./prune-history.ts";

const NAME = /^events-(\d{1,15})-(\d{1,15})(?:-\d+)?\.jsonl(?:\.gz)?$/;
/** A larger file stays: checking it would delay the start. */
const MAX_ARCHIVE_BYTES = 64 * 1024 * 1024;

/**
 * Deletes the orphans of a log; returns their names. Without any it costs one look at each name. If it fails, the files stay
 * until the next start.
 */
export function removeOrphans(log: Log): string[] {
	try {
		if (suspectsIn(log).length === 0) return [];
		// An archive that is being written looks like an orphan.
		using lease = takeLease(leasePath(log));
		return lease ? findAndRemove(log) : [];
	} catch {
		return [];
	}
}

/** The same for the process that holds the lease. */
export function removeOrphansAlone(log: Log): void {
	try {
		findAndRemove(log);
	} catch {
		// They stay until the next time.
	}
}

/** If the first event is gone, a prune removed it, and the archive is in use. */
function suspectsIn(log: Log): string[] {
	const hasEvent = databaseOf(log).prepare("SELECT 1 FROM event WHERE seq = ?");
	return namesIn(archiveFolder(log)).filter((name) => {
		const first = NAME.exec(name)?.[1];
		return first !== undefined && hasEvent.get(Number(first)) !== undefined;
	});
}

function findAndRemove(log: Log): string[] {
	const suspects = suspectsIn(log);
	if (suspects.length === 0) return [];
	const named = new Set(prunedParts(log).map(({ archive }) => archive));
	const pathOf = (name: string) => join(archiveFolder(log), name);
	const orphans = suspects.filter((name) => !named.has(pathOf(name)) && isCopy(log, pathOf(name)));
	for (const name of orphans) rmSync(pathOf(name), { force: true });
	return orphans;
}

/** True: every event of the file is in the log. The last line may be cut off. */
function isCopy(log: Log, path: string): boolean {
	const hashAt = databaseOf(log).prepare("SELECT lower(hex(hash)) AS hash FROM event WHERE seq = ?");
	try {
		const lines = readText(path).split("\n");
		lines.pop();
		return lines.every((line, n) => {
			const fields = JSON.parse(line) as Record<string, unknown>;
			if (n === 0) return fields["type"] === "weft-archive";
			if (typeof fields["blob"] === "string") return true;
			return one<{ hash: string }>(hashAt, Number(fields["seq"]))?.hash === fields["hash"];
		});
	} catch {
		return false;
	}
}

function readText(path: string): string {
	const reading = readBounded(path, MAX_ARCHIVE_BYTES);
	if (reading.kind !== "bytes") throw new Error(`cannot be looked through: ${reading.kind}`);
	const { bytes } = reading;
	if (!path.endsWith(".gz")) return bytes.toString("utf8");
	const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 4 * MAX_ARCHIVE_BYTES };
	return gunzipSync(bytes, options).toString("utf8");
}
