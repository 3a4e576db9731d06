/**
 * Retention. Messages, summaries, decisions and all other types that are not prunable are kept for good; the rest is archived
 * and removed after some days in this log. The chain continues: the hash of the last event before each gap stays in `gap`,
 * and a Pruned event vouches for all of them.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { takeLease } from "../../base/sqlite/lease.ts";
import { vacuumWhole } from "../../base/sqlite/open.ts";
import { all, only } from "../../base/sqlite/rows.ts";
import { retryWhileBusy } from "../../base/sqlite/sqlite-error.ts";
import { databaseOf } from "../database.ts";
import { makePrivateFolder } from "../home.ts";
import type { Log } from "../log.ts";
import type { StoredRecord } from "../read.ts";
import { firstIdAt } from "../store/uuid.ts";
import { archiveFolder, archiveLines, leasePath, writeArchive } from "./archive.ts";
import { removeOrphansAlone } from "./orphan-archives.ts";
import { PRUNABLE_TYPES } from "./prunable-types.ts";

const DEFAULT_PRUNE_DAYS = 7;
const DEFAULT_MIN_EVENTS = 2_000;
const DAY_MS = 86_400_000;
/** Events removed in one transaction: a fraction of a second, even if each is in a pack of its own. */
const EVENTS_PER_REMOVAL = 500;

export interface PruneOptions {
	readonly now: number;
	/** Only events that entered this log more days ago. Their own time does not count: imported history is not old. */
	readonly days?: number | undefined;
	/** The log never gets smaller than this. */
	readonly minEvents?: number | undefined;
	/** File to write the archive to; by default one in the log's `archive` folder. */
	readonly archive?: string | undefined;
	readonly gzip?: boolean | undefined;
	/** Forgets these sessions: removes all their events of any type and age, and nothing else. */
	readonly sessions?: readonly string[] | undefined;
	/** Returns the freed space to the disk. */
	readonly vacuum?: boolean | undefined;
	/** Called before events are removed: for a snapshot of the state that they led to. */
	readonly before?: (() => void) | undefined;
	/** Without it nothing is changed. */
	readonly apply: boolean;
}

export interface PruneReport {
	readonly events: number;
	readonly byType: Readonly<Record<string, number>>;
	/** Bytes of JSON that would be removed, or were. */
	readonly bytes: number;
	readonly kept: number;
	readonly applied: boolean;
	readonly archive?: string | undefined;
	/** True: another process is pruning this log, and nothing was done here. */
	readonly busy?: boolean | undefined;
}

export async function prune(log: Log, options: PruneOptions): Promise<PruneReport> {
	if (!options.apply) return plan(log, options).report;
	using lease = takeLease(leasePath(log));
	if (!lease) return { events: 0, byType: {}, bytes: 0, kept: log.count(), applied: false, busy: true };
	// Once their events have left the log, nothing tells that they are copies.
	removeOrphansAlone(log);
	const { report, first, last } = plan(log, options);
	if (report.events === 0) return report;
	options.before?.();
	const archive = archivePath(log, options, first, last);
	const digest = createHash("sha256");
	await writeArchive(archive, hashing(archiveLines(log, leaving(log, options)), digest), {
		gzip: options.gzip ?? false,
	});
	const what = { now: options.now, archive, archiveHash: digest.digest("hex") };
	while (log.transaction(() => removeSome(log, what)) === EVENTS_PER_REMOVAL);
	if (options.sessions) log.kept.forget(options.sessions);
	if (options.vacuum) vacuum(log);
	return { ...report, applied: true, archive };
}

/** Counts what would be removed, and fills the temporary table `leaving` with it. */
function plan(log: Log, options: PruneOptions): { report: PruneReport; first: number; last: number } {
	const total = log.count();
	choose(log, options, total);
	const rows = all<{ type: string; n: number; bytes: number; first: number; last: number }>(
		databaseOf(log).prepare(
			`SELECT word.text AS type, count(*) AS n, sum(event.size) AS bytes, min(event.seq) AS first, max(event.seq) AS last
			FROM leaving JOIN event USING (seq) JOIN word ON word.id = event.type GROUP BY event.type ORDER BY word.text`,
		),
	);
	const events = rows.reduce((sum, row) => sum + row.n, 0);
	const report = {
		events,
		byType: Object.fromEntries(rows.map((row) => [row.type, row.n])),
		bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
		kept: total - events,
		applied: false,
	};
	return {
		report,
		first: Math.min(...rows.map((row) => row.first)),
		last: Math.max(...rows.map((row) => row.last)),
	};
}

/** Fills the temporary table `leaving` with the oldest prunable events, as many as `minEvents` allows. */
function choose(log: Log, options: PruneOptions, total: number): void {
	const days = options.days ?? DEFAULT_PRUNE_DAYS;
	const enteredBefore = Math.max(0, options.now - days * DAY_MS);
	const most = Math.max(0, total - Math.max(0, options.minEvents ?? DEFAULT_MIN_EVENTS));
	const db = databaseOf(log);
	db.exec("CREATE TEMP TABLE IF NOT EXISTS leaving (seq INTEGER PRIMARY KEY); DELETE FROM leaving");
	if (options.sessions) {
		const { sessions } = options;
		db.prepare(
			`INSERT INTO leaving SELECT seq FROM event
			WHERE session IN (SELECT id FROM word WHERE text IN (${sessions.map(() => "?").join(", ")}))`,
		).run(...sessions);
		return;
	}
	// An id says when its event entered this log; for one that was made elsewhere, `arrival` does.
	db.prepare(
		`INSERT INTO leaving SELECT seq FROM event LEFT JOIN arrival USING (seq)
			WHERE type IN (SELECT id FROM word WHERE text IN (${PRUNABLE_TYPES.map(() => "?").join(", ")}))
			AND CASE WHEN at IS NULL THEN event.id < ? ELSE at < ? END
			ORDER BY seq LIMIT ?`,
	).run(...PRUNABLE_TYPES, firstIdAt(enteredBefore), enteredBefore, most);
}

/** Keeps a lost event unless its session is forgotten: no archive could restore it, but a copy may turn up. */
function* leaving(log: Log, { sessions }: PruneOptions): Generator<StoredRecord> {
	const stay = databaseOf(log).prepare("DELETE FROM leaving WHERE seq = ?");
	const next = databaseOf(log).prepare("SELECT seq FROM leaving WHERE seq > ? ORDER BY seq LIMIT 256");
	for (let at = 0; ; ) {
		const rows = all<{ seq: number }>(next, at);
		if (rows.length === 0) return;
		for (const { seq } of rows) {
			const record = log.getStored(seq);
			if (record?.lost !== undefined && !sessions) stay.run(seq);
			else if (record) yield record;
			at = seq;
		}
	}
}

function* hashing(lines: Iterable<string>, digest: ReturnType<typeof createHash>): Generator<string> {
	for (const line of lines) {
		digest.update(`${line}\n`);
		yield line;
	}
}

function archivePath(log: Log, options: PruneOptions, first: number, last: number): string {
	if (options.archive) {
		const path = resolve(options.archive);
		if (existsSync(path))
			throw new EngineError("refused", `${path} already exists. Choose another file for the archive.`);
		return path;
	}
	const folder = archiveFolder(log);
	makePrivateFolder(folder);
	const suffix = options.gzip ? ".jsonl.gz" : ".jsonl";
	for (let n = 1; ; n++) {
		const path = join(folder, `events-${first}-${last}${n === 1 ? "" : `-${n}`}${suffix}`);
		if (!existsSync(path)) return path;
	}
}

interface WrittenArchive {
	readonly now: number;
	readonly archive: string;
	readonly archiveHash: string;
}

/**
 * Removes the first events of `leaving` in a transaction of their own, so that an append waits for one part, not for all. Each
 * part has a Pruned event that vouches for its gaps. Returns how many were removed.
 */
function removeSome(log: Log, { now, archive, archiveHash }: WrittenArchive): number {
	const db = databaseOf(log);
	db.exec(`CREATE TEMP TABLE IF NOT EXISTS part (seq INTEGER PRIMARY KEY); DELETE FROM part;
		INSERT INTO part SELECT seq FROM leaving ORDER BY seq LIMIT ${EVENTS_PER_REMOVAL};
		DELETE FROM leaving WHERE seq IN (SELECT seq FROM part)`);
	const part = only<{ n: number; here: number; first: number; last: number }>(
		db.prepare(
			"SELECT count(*) AS n, count(event.seq) AS here, min(part.seq) AS first, max(part.seq) AS last FROM part LEFT JOIN event USING (seq)",
		),
	);
	if (part.n === 0) return 0;
	if (part.here !== part.n) {
		throw new EngineError("refused", "Another program is pruning this log too. Run 'weft verify', then try again.");
	}
	db.exec(`CREATE TEMP TABLE IF NOT EXISTS new_gap (seq INTEGER PRIMARY KEY, hash BLOB); DELETE FROM new_gap;
		INSERT INTO new_gap SELECT seq, hash FROM part JOIN event USING (seq)
		WHERE NOT EXISTS (SELECT 1 FROM part AS next WHERE next.seq = part.seq + 1)`);
	const folder = join(archiveFolder(log), "/");
	const [pruned] = log.append([
		{
			type: "Pruned",
			session: "weft",
			host: "weft",
			ts: now,
			payload: {
				count: part.n,
				first: part.first,
				last: part.last,
				archive: archive.startsWith(folder) ? archive.slice(folder.length) : archive,
				archiveHash,
				gaps: gapDigest(all<PrunedGap>(db.prepare("SELECT seq, hash FROM new_gap ORDER BY seq"))),
			},
		},
	]).seqs;
	db.prepare("INSERT INTO gap (seq, hash, pruned) SELECT seq, hash, ? FROM new_gap").run(pruned ?? null);
	log.clear("part");
	// Only blobs that these events used: a blob just put for an event still to come must stay.
	db.exec(`CREATE TEMP TABLE IF NOT EXISTS loose (hash BLOB PRIMARY KEY); DELETE FROM loose;
		INSERT INTO loose SELECT DISTINCT hash FROM blob_use JOIN part USING (seq);
		DELETE FROM event WHERE seq IN (SELECT seq FROM part);
		DELETE FROM arrival WHERE seq IN (SELECT seq FROM part);
		DELETE FROM blob WHERE hash IN (SELECT hash FROM loose) AND hash NOT IN (SELECT hash FROM blob_use)
			AND hash NOT IN (SELECT hash FROM kept)`);
	log.projection?.pruned();
	return part.n;
}

/** Returns freed space to the disk, and with it the last bytes of what was removed. */
export function vacuum(log: Log): void {
	retryWhileBusy(log.path, () => vacuumWhole(databaseOf(log)));
	log.flush();
}

export interface PrunedGap {
	readonly seq: number;
	readonly hash: Uint8Array;
}

/** The digest by which a Pruned event vouches for its gaps. */
export function gapDigest(gaps: readonly PrunedGap[]): string {
	const digest = createHash("sha256");
	for (const gap of gaps) digest.update(`${gap.seq} ${Buffer.from(gap.hash).toString("hex")}\n`);
	return digest.digest("hex");
}
