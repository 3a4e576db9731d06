/** Is the log what it was when it was written? Walks the chain, the gaps and the blobs, and makes the state again. */
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { AnyPayload } from "../event/types.ts";
import { all, each, one } from "../sqlite/rows.ts";
import { chainHash, GENESIS, hashFromBytes } from "./chain.ts";
import { databaseOf } from "./database.ts";
import type { Log } from "./log.ts";
import { type Gap, gapDigest } from "./prune.ts";
import type { StoredRecord } from "./read.ts";

const MOST_PROBLEMS = 100;

export interface VerifyReport {
	readonly events: number;
	readonly blobs: number;
	/** Events that left by pruning and have not come back. */
	readonly pruned: number;
	/** What is wrong, worst first as found; at most a hundred. Empty: all is well. */
	readonly problems: readonly string[];
}

export function verify(log: Log): VerifyReport {
	log.forget();
	const problems: string[] = [];
	const report = (problem: string) => {
		if (problems.length < MOST_PROBLEMS) problems.push(problem);
	};
	const { events, pruned } = walkChain(log, report);
	const blobs = walkBlobs(log, report);
	compareProjection(log, report);
	for (const problem of [...log.checkHandles(), ...log.search.check()]) report(problem);
	for (const row of all<{ integrity_check: string }>(databaseOf(log).prepare("PRAGMA integrity_check(10)"))) {
		if (row.integrity_check !== "ok") report(`SQLite: ${row.integrity_check}`);
	}
	return { events, blobs, pruned, problems };
}

function walkChain(log: Log, report: (problem: string) => void): { events: number; pruned: number } {
	const gapAt = databaseOf(log).prepare("SELECT hash FROM gap WHERE seq = ? LIMIT 1");
	const digests = gapDigests(log);
	let events = 0;
	let pruned = 0;
	let before = { seq: 0, hash: GENESIS };
	for (const record of readEach(log, report)) {
		events++;
		const gap = one<{ hash: Uint8Array }>(gapAt, record.seq - 1);
		const previous = record.seq === before.seq + 1 ? before.hash : gap && hashFromBytes(gap.hash);
		if (previous) pruned += record.seq - before.seq - 1;
		if (!previous) report(`events ${before.seq + 1} to ${record.seq - 1} are missing, and no prune says why`);
		else if (chainHash(previous, record, record.text) !== record.hash) {
			report(`event ${record.seq} is not what was written: its hash does not fit`);
		}
		const payload = parse(record, report);
		if (record.type === "Pruned" && payload) {
			checkGaps(digests, record.seq, payload, report);
		}
		before = record;
	}
	return { events, pruned };
}

/** A payload that cannot be read (damaged pack, missing blob) is a problem, not the end of the walk. */
function* readEach(log: Log, report: (problem: string) => void): Generator<StoredRecord> {
	const seqs = databaseOf(log).prepare("SELECT seq FROM event WHERE seq > ? ORDER BY seq LIMIT 1000");
	for (let at = 0; ; ) {
		const rows = all<{ seq: number }>(seqs, at);
		if (rows.length === 0) return;
		for (const { seq } of rows) {
			try {
				yield log.getStored(seq)!;
			} catch (error) {
				report(`event ${seq} cannot be read: ${(error as Error).message}`);
			}
		}
		at = rows.at(-1)!.seq;
	}
}

function parse(record: StoredRecord, report: (problem: string) => void): AnyPayload | undefined {
	try {
		return JSON.parse(record.text) as AnyPayload;
	} catch {
		report(`the payload of event ${record.seq} is not JSON`);
		return undefined;
	}
}

/** What the gaps that are there say, by the Pruned event that vouches for them. */
function gapDigests(log: Log): Map<number, string> {
	const rows = databaseOf(log).prepare("SELECT pruned, seq, hash FROM gap ORDER BY pruned, seq");
	const digests = new Map<number, string>();
	let of: number | undefined;
	let gaps: Gap[] = [];
	const close = () => of !== undefined && digests.set(of, gapDigest(gaps));
	for (const { pruned, seq, hash } of each<Gap & { readonly pruned: number }>(rows)) {
		if (pruned !== of) {
			close();
			of = pruned;
			gaps = [];
		}
		gaps.push({ seq, hash });
	}
	close();
	return digests;
}

function checkGaps(
	digests: ReadonlyMap<number, string>,
	seq: number,
	payload: AnyPayload,
	report: (problem: string) => void,
): void {
	const digest = digests.get(seq);
	// It came with an export and tells of another log's gaps. If ours were taken away, the events behind them are missed.
	if (digest !== undefined && digest !== payload["gaps"])
		report(`the gaps that event ${seq} vouches for are not those it left`);
}

function walkBlobs(log: Log, report: (problem: string) => void): number {
	const keys = log.blobHashes();
	for (const key of keys) {
		try {
			const bytes = log.getBlob(key);
			if (!bytes || hash("sha256", bytes) !== key) report(`blob ${key} is not what was written`);
		} catch {
			report(`blob ${key} cannot be read`);
		}
	}
	return keys.length;
}

/** Folds the whole log into a database in memory and compares every row. */
function compareProjection(log: Log, report: (problem: string) => void): void {
	const fresh = log.options.projection?.();
	if (!fresh || !log.projection || log.readOnly) return;
	const db = new DatabaseSync(":memory:");
	try {
		fresh.attach({
			db,
			transaction: (work) => work(),
			read: (query) => log.read(query),
			newestSeq: () => log.newestSeq(),
		});
		log.projection.catchUp();
		fresh.catchUp();
		const live = log.projection.dump()[Symbol.iterator]();
		for (const row of fresh.dump()) {
			const other = live.next();
			if (other.value === row) continue;
			report(`the state differs from the log: ${other.done ? "a row is missing" : other.value}; run 'weft rebuild'`);
			return;
		}
		const rest = live.next();
		if (!rest.done) report(`the state differs from the log: ${rest.value} is too much; run 'weft rebuild'`);
	} catch (error) {
		report(`the state cannot be computed from the log: ${(error as Error).message}`);
	} finally {
		db.close();
	}
}
