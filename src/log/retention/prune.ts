/**
 * Retention. Messages, summaries, decisions and whatever else is not prunable are kept for good; the rest leaves
 * after some days in this log, into an archive first. The chain goes on: where events left, the hash of the last one stays in
 * `gap`, and the Pruned event vouches for all of them.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { takeLease } from "../../base/sqlite/lease.ts";
import { all, one } from "../../base/sqlite/rows.ts";
import { retryWhileBusy } from "../../base/sqlite/sqlite-error.ts";
import { databaseOf } from "../database.ts";
import { makePrivateFolder } from "../home.ts";
import type { Log } from "../log.ts";
import type { StoredRecord } from "../read.ts";
import { firstIdAt } from "../store/uuid.ts";
import { archiveFolder, archiveLines, writeArchive } from "./archive.ts";
import { PRUNABLE_TYPES } from "./prunable-types.ts";

const DEFAULT_PRUNE_DAYS = 7;
const DEFAULT_MIN_EVENTS = 2_000;
const DAY_MS = 86_400_000;
/** Events that leave in one transaction: a fraction of a second, even where each lies in a pack of its own. */
const REMOVE_EVENTS = 500;

export interface PruneOptions {
	readonly now: number;
	/** Only what entered this log more days ago. When it happened does not count: history that was imported is not old. */
	readonly days?: number | undefined;
	/** The log never gets smaller than this. */
	readonly minEvents?: number | undefined;
	/** File to write the archive to; by default one in the log's `archive` folder. */
	readonly archive?: string | undefined;
	readonly gzip?: boolean | undefined;
	/** Everything of these sessions and nothing else, whatever its type and age: they are to be forgotten. */
	readonly sessions?: readonly string[] | undefined;
	/** Give the freed space back to the disk. */
	readonly vacuum?: boolean | undefined;
	/** Called when something will leave, before it does: for a snapshot of the state that it led to. */
	readonly before?: (() => void) | undefined;
	/** Without it nothing is changed. */
	readonly apply: boolean;
}

export interface PruneReport {
	readonly events: number;
	readonly byType: Readonly<Record<string, number>>;
	/** Bytes of JSON that would leave, or left. */
	readonly bytes: number;
	readonly kept: number;
	readonly applied: boolean;
	readonly archive?: string | undefined;
	/** True: another process is pruning this log now, and nothing was done here. */
	readonly busy?: boolean | undefined;
}

export async function prune(log: Log, options: PruneOptions): Promise<PruneReport> {
	if (!options.apply) return plan(log, options).report;
	using lease = takeLease(leasePath(log));
	if (!lease) return { events: 0, byType: {}, bytes: 0, kept: log.count(), applied: false, busy: true };
	const { report, first, last } = plan(log, options);
	if (report.events === 0) return report;
	options.before?.();
	const archive = archivePath(log, options, first, last);
	const digest = createHash("sha256");
	await writeArchive(archive, hashing(archiveLines(log, leaving(log, options)), digest), {
		gzip: options.gzip ?? false,
	});
	const what = { now: options.now, archive, archiveHash: digest.digest("hex") };
	while (log.transaction(() => removeSome(log, what)) === REMOVE_EVENTS);
	if (options.vacuum) vacuum(log);
	return { ...report, applied: true, archive };
}

/** Only one process prunes a log at a time. */
export function leasePath(log: Log): string {
	return join(log.folder, "prune.lock");
}

/** What would leave, and how far it reaches. It is then in the temporary table `leaving`. */
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

/** Fills the temporary table `leaving`: the oldest prunable events, as many as the floor allows. */
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
	// An id says when its event entered this log, unless it was made elsewhere: then `arrival` does.
	db.prepare(
		`INSERT INTO leaving SELECT seq FROM event LEFT JOIN arrival USING (seq)
			WHERE type IN (SELECT id FROM word WHERE text IN (${PRUNABLE_TYPES.map(() => "?").join(", ")}))
			AND CASE WHEN at IS NULL THEN event.id < ? ELSE at < ? END
			ORDER BY seq LIMIT ?`,
	).run(...PRUNABLE_TYPES, firstIdAt(enteredBefore), enteredBefore, most);
}

/** A lost event stays, unless its session is to be forgotten: no archive could bring it back, but a copy may turn up. */
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
		}
		at = rows.at(-1)!.seq;
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
			throw new EngineError("refused", `${path} is there already. Choose another file for the archive.`);
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
 * Removes the first of those that are to leave, in a transaction of their own: who appends meanwhile waits for a part,
 * not for all. Each part has a Pruned event that vouches for its gaps. Returns how many left.
 */
function removeSome(log: Log, { now, archive, archiveHash }: WrittenArchive): number {
	const db = databaseOf(log);
	db.exec(`CREATE TEMP TABLE IF NOT EXISTS part (seq INTEGER PRIMARY KEY); DELETE FROM part;
		INSERT INTO part SELECT seq FROM leaving ORDER BY seq LIMIT ${REMOVE_EVENTS};
		DELETE FROM leaving WHERE seq IN (SELECT seq FROM part)`);
	const part = one<{ n: number; here: number; first: number; last: number }>(
		db.prepare(
			"SELECT count(*) AS n, count(event.seq) AS here, min(part.seq) AS first, max(part.seq) AS last FROM part LEFT JOIN event USING (seq)",
		),
	)!;
	if (part.n === 0) return 0;
	if (part.here !== part.n) {
		throw new EngineError("refused", `Another version of weft is pruning this log too. Run 'weft verify', then again.`);
	}
	db.exec(`CREATE TEMP TABLE IF NOT EXISTS new_gap (seq INTEGER PRIMARY KEY, hash BLOB); DELETE FROM new_gap;
		INSERT INTO new_gap SELECT seq, hash FROM part JOIN event USING (seq)
		WHERE NOT EXISTS (SELECT 1 FROM part AS next WHERE next.seq = part.seq + 1)`);
	const folder = join(archiveFolder(log), "/");
	const { seqs } = log.append([
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
	]);
	db.prepare("INSERT INTO gap (seq, hash, pruned) SELECT seq, hash, ? FROM new_gap").run(seqs[0]!);
	log.clear("part");
	// Only blobs that these events used: one that was just put, for an event still to come, must stay.
	db.exec(`CREATE TEMP TABLE IF NOT EXISTS loose (hash BLOB PRIMARY KEY); DELETE FROM loose;
		INSERT INTO loose SELECT DISTINCT hash FROM blob_use JOIN part USING (seq);
		DELETE FROM event WHERE seq IN (SELECT seq FROM part);
		DELETE FROM arrival WHERE seq IN (SELECT seq FROM part);
		DELETE FROM blob WHERE hash IN (SELECT hash FROM loose) AND hash NOT IN (SELECT hash FROM blob_use)`);
	log.projection?.pruned();
	return part.n;
}

/** Gives freed space back to the disk; nothing of what was removed is left in the file. */
export function vacuum(log: Log): void {
	retryWhileBusy(log.path, () => databaseOf(log).exec("VACUUM"));
	log.flush();
}

export interface PrunedGap {
	readonly seq: number;
	readonly hash: Uint8Array;
}

/** What a Pruned event says of the gaps it left. */
export function gapDigest(gaps: readonly PrunedGap[]): string {
	const digest = createHash("sha256");
	for (const gap of gaps) digest.update(`${gap.seq} ${Buffer.from(gap.hash).toString("hex")}\n`);
	return digest.digest("hex");
}
