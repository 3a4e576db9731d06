/** The history of pruning: a log's Pruned events, their archives, and which of them the user has seen. */
import { isAbsolute, join } from "node:path";
import { all, one } from "../../base/sqlite/rows.ts";
import { databaseOf } from "../database.ts";
import type { Log } from "../log.ts";
import { archiveFolder } from "./archive.ts";

const NOTIFIED = "prunes notified";

export interface PrunedPart {
	readonly seq: number;
	readonly events: number;
	readonly first: number;
	readonly last: number;
	/** The archive, an absolute path. */
	readonly archive: string;
	/** SHA-256 of its lines. */
	readonly hash: string;
}

/** This log's Pruned events, oldest first; not those that came with another log's export. */
export function prunedParts(log: Log, after = 0): PrunedPart[] {
	// By the index of entries: they are few among many events.
	const seqs = databaseOf(log).prepare(
		`SELECT seq FROM event INDEXED BY event_entry WHERE session = (SELECT id FROM word WHERE text = 'weft')
			AND type = (SELECT id FROM word WHERE text = 'Pruned') AND seq > ? ORDER BY seq`,
	);
	const isForeign = databaseOf(log).prepare("SELECT 1 FROM arrival WHERE seq = ?");
	const parts: PrunedPart[] = [];
	for (const { seq } of all<{ seq: number }>(seqs, after)) {
		const { count, first, last, archive, archiveHash } = log.get(seq)?.payload ?? {};
		if (isForeign.get(seq) || typeof archive !== "string") continue;
		const path = isAbsolute(archive) ? archive : join(archiveFolder(log), archive);
		parts.push({
			seq,
			events: Number(count),
			first: Number(first),
			last: Number(last),
			archive: path,
			hash: String(archiveHash),
		});
	}
	return parts;
}

/** How many events are only in archives: seqs have no holes but those that pruning makes. */
export function countPruned(log: Log, upTo = Number.MAX_SAFE_INTEGER): number {
	const sql = "SELECT min(?, (SELECT ifnull(max(seq), 0) FROM event)) - count(*) AS n FROM event WHERE seq <= ?";
	return one<{ n: number }>(databaseOf(log).prepare(sql), upTo, upTo)?.n ?? 0;
}

/** The last event that came with an id from elsewhere, and when. */
export function newestArrival(log: Log): { readonly seq: number; readonly at: number } | undefined {
	return one(databaseOf(log).prepare("SELECT seq, at FROM arrival ORDER BY at DESC, seq DESC LIMIT 1"));
}

export interface UnseenPrunes {
	readonly events: number;
	/** Newest first. */
	readonly archives: readonly string[];
}

/** Prunes since the user was last notified. Only the first process that asks gets them. */
export function takeUnseenPrunes(log: Log): UnseenPrunes | undefined {
	if (log.readOnly) return undefined;
	const notified = () => Number(log.meta(NOTIFIED) ?? 0);
	if (prunedParts(log, notified()).length === 0) return undefined;
	return log.transaction(() => {
		const parts = prunedParts(log, notified());
		const last = parts.at(-1);
		if (!last) return undefined;
		log.setMeta(NOTIFIED, String(last.seq));
		const events = parts.reduce((sum, part) => sum + part.events, 0);
		return { events, archives: [...new Set(parts.map(({ archive }) => archive).reverse())] };
	});
}
