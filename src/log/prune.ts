/**
 * Retention. Messages, summaries, decisions and whatever else is not prunable are kept for good; the rest leaves
 * after some days, into an archive first. The chain goes on: where events left, the hash of the last one stays in
 * `gap`, and the Pruned event vouches for all of them.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { EngineError } from "../error/engine-error.ts";
import { all, one } from "../sqlite/rows.ts";
import { archiveLines, writeArchive } from "./archive.ts";
import { databaseOf } from "./database.ts";
import { makePrivateFolder } from "./home.ts";
import type { Log } from "./log.ts";
import { PRUNABLE_TYPES } from "./prunable.ts";
import type { StoredRecord } from "./read.ts";

const DEFAULT_PRUNE_DAYS = 7;
const DEFAULT_MIN_EVENTS = 2_000;
const DAY_MS = 86_400_000;

export interface PruneOptions {
	readonly now: number;
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
}

export async function prune(log: Log, options: PruneOptions): Promise<PruneReport> {
	const total = log.count();
	choose(log, options, total);
	const db = databaseOf(log);
	const rows = all<{ type: string; n: number; bytes: number; first: number; last: number }>(
		db.prepare(
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
	};
	if (!options.apply || events === 0) return { ...report, applied: false };

	options.before?.();
	const first = Math.min(...rows.map((row) => row.first));
	const last = Math.max(...rows.map((row) => row.last));
	const archive = archivePath(log, options, first, last);
	const digest = createHash("sha256");
	await writeArchive(archive, hashing(archiveLines(log, leaving(log)), digest), { gzip: options.gzip ?? false });
	log.transaction(() => remove(log, options.now, { events, first, last, archive, archiveHash: digest.digest("hex") }));
	if (options.vacuum) vacuum(log);
	return { ...report, applied: true, archive };
}

/** Gives freed space back to the disk; nothing of what was removed is left in the file. */
export function vacuum(log: Log): void {
	databaseOf(log).exec("VACUUM");
}

/** Fills the temporary table `leaving`: the oldest prunable events, as many as the floor allows. */
function choose(log: Log, options: PruneOptions, total: number): void {
	const days = options.days ?? DEFAULT_PRUNE_DAYS;
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
	db.prepare(
		`INSERT INTO leaving SELECT seq FROM event
			WHERE type IN (SELECT id FROM word WHERE text IN (${PRUNABLE_TYPES.map(() => "?").join(", ")})) AND ts < ?
			ORDER BY seq LIMIT ?`,
	).run(...PRUNABLE_TYPES, options.now - days * DAY_MS, most);
}

function* leaving(log: Log): Generator<StoredRecord> {
	const next = databaseOf(log).prepare("SELECT seq FROM leaving WHERE seq > ? ORDER BY seq LIMIT 256");
	for (let at = 0; ; ) {
		const rows = all<{ seq: number }>(next, at);
		if (rows.length === 0) return;
		for (const { seq } of rows) {
			const record = log.getStored(seq);
			if (record) yield record;
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
	const folder = join(log.folder, "archive");
	makePrivateFolder(folder);
	const suffix = options.gzip ? ".jsonl.gz" : ".jsonl";
	for (let n = 1; ; n++) {
		const path = join(folder, `events-${first}-${last}${n === 1 ? "" : `-${n}`}${suffix}`);
		if (!existsSync(path)) return path;
	}
}

interface Leaving {
	readonly events: number;
	readonly first: number;
	readonly last: number;
	readonly archive: string;
	readonly archiveHash: string;
}

function remove(log: Log, now: number, what: Leaving): void {
	const db = databaseOf(log);
	const still = one<{ n: number }>(db.prepare("SELECT count(*) AS n FROM leaving JOIN event USING (seq)"));
	if (still?.n !== what.events) {
		throw new EngineError("refused", "Another process pruned at the same time. Nothing was removed; run it again.");
	}
	db.exec(`CREATE TEMP TABLE IF NOT EXISTS new_gap (seq INTEGER PRIMARY KEY, hash BLOB); DELETE FROM new_gap;
		INSERT INTO new_gap SELECT seq, hash FROM leaving JOIN event USING (seq)
		WHERE NOT EXISTS (SELECT 1 FROM leaving AS next WHERE next.seq = leaving.seq + 1)`);
	const folder = join(log.folder, "archive", "/");
	const { seqs } = log.append([
		{
			type: "Pruned",
			session: "weft",
			host: "weft",
			ts: now,
			payload: {
				count: what.events,
				first: what.first,
				last: what.last,
				archive: what.archive.startsWith(folder) ? what.archive.slice(folder.length) : what.archive,
				archiveHash: what.archiveHash,
				gaps: gapDigest(all<Gap>(db.prepare("SELECT seq, hash FROM new_gap ORDER BY seq"))),
			},
		},
	]);
	db.prepare("INSERT INTO gap (seq, hash, pruned) SELECT seq, hash, ? FROM new_gap").run(seqs[0]!);
	log.clear("leaving");
	// Only blobs that these events used: one that was just put, for an event still to come, must stay.
	db.exec(`CREATE TEMP TABLE IF NOT EXISTS loose (hash BLOB PRIMARY KEY); DELETE FROM loose;
		INSERT INTO loose SELECT DISTINCT hash FROM blob_use JOIN leaving USING (seq);
		DELETE FROM event WHERE seq IN (SELECT seq FROM leaving);
		DELETE FROM blob WHERE hash IN (SELECT hash FROM loose) AND hash NOT IN (SELECT hash FROM blob_use)`);
	log.projection?.pruned();
}

export interface Gap {
	readonly seq: number;
	readonly hash: Uint8Array;
}

/** What a Pruned event says of the gaps it left. */
export function gapDigest(gaps: readonly Gap[]): string {
	const digest = createHash("sha256");
	for (const gap of gaps) digest.update(`${gap.seq} ${Buffer.from(gap.hash).toString("hex")}\n`);
	return digest.digest("hex");
}
