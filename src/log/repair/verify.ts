/** Checks that the log is what was written: walks the chain, the gaps and the blobs, and folds the state again. */
import { DatabaseSync } from "node:sqlite";
import { EngineError } from "../../base/error/engine-error.ts";
import { all, each, one } from "../../base/sqlite/rows.ts";
import { databaseOf } from "../database.ts";
import { isKnown, wrongIn } from "../event/check.ts";
import type { AnyPayload } from "../event/types.ts";
import { cameFromFleet } from "../fetched-sessions.ts";
import type { Log } from "../log.ts";
import { ISOLATED, type StoredRecord } from "../read.ts";
import { gapDigest, type PrunedGap } from "../retention/prune.ts";
import { parseHash } from "../store/blob.ts";
import { chainHash, GENESIS, hashFromBytes } from "../store/chain.ts";
import type { Projection, ProjectionPart } from "../types.ts";
import { walNotice } from "./loss-notice.ts";

const MAX_PROBLEMS = 100;

export interface VerifyReport {
	readonly events: number;
	readonly blobs: number;
	/** Pruned events that were not restored. */
	readonly pruned: number;
	/** Events and blobs that `weft repair` isolated: a known loss, reported only here. */
	readonly lost: number;
	/** Malformed events, in sentences; at most a hundred. Their bytes are whole, and readers skip them. */
	readonly malformed: readonly string[];
	readonly malformedCount: number;
	/** In the order found; at most a hundred. Empty: the log is whole. */
	readonly problems: readonly string[];
}

/** Looks at one state of the log, while other processes may write. */
export function verify(log: Log): VerifyReport {
	log.forget();
	followUp(log);
	return log.snapshot(() => {
		const findings = new VerifyFindings();
		if (log.walDamage) findings.problem(walNotice(log.walDamage));
		const { events, pruned } = walkChain(log, findings);
		const blobs = walkBlobs(log, findings);
		// The tables may still hold what came from an event that is lost now.
		if (!findings.hasLost) compareProjection(log, findings.problem);
		for (const problem of [...log.checkHandles(), ...log.search.check()]) findings.problem(problem);
		for (const row of all<{ integrity_check: string }>(databaseOf(log).prepare("PRAGMA integrity_check(10)"))) {
			if (row.integrity_check !== "ok") findings.problem(`SQLite: ${row.integrity_check}`);
		}
		const { lost, malformed, malformedCount, problems } = findings;
		return { events, blobs, pruned, lost, malformed, malformedCount, problems };
	});
}

/** Brings the deferred parts up to date, because nothing may be written later. What cannot be is not compared. */
function followUp(log: Log): void {
	if (log.readOnly) return;
	try {
		log.foldMissing();
		log.search.stats();
	} catch (error) {
		if (!(error instanceof EngineError)) throw error;
	}
}

class VerifyFindings {
	readonly problems: string[] = [];
	readonly malformed: string[] = [];
	malformedCount = 0;
	lost = 0;
	hasLost = false;

	readonly problem = (sentence: string): void => {
		if (this.problems.length < MAX_PROBLEMS) this.problems.push(sentence);
	};

	readonly lose = (sentence: string): void => {
		this.hasLost = true;
		this.problem(sentence);
	};

	readonly bad = (sentence: string): void => {
		this.malformedCount++;
		if (this.malformed.length < MAX_PROBLEMS) this.malformed.push(sentence);
	};
}

function walkChain(log: Log, findings: VerifyFindings): { events: number; pruned: number } {
	const gapAt = databaseOf(log).prepare("SELECT hash FROM gap WHERE seq = ? LIMIT 1");
	const hasBlob = databaseOf(log).prepare("SELECT 1 FROM blob WHERE hash = ?");
	const isFromFleet = cameFromFleet(log);
	const report = findings.problem;
	const digests = gapDigests(log);
	let events = 0;
	let pruned = 0;
	let before = { seq: 0, hash: GENESIS };
	for (const record of readEach(log)) {
		events++;
		const gap = one<{ hash: Uint8Array }>(gapAt, record.seq - 1);
		const previous = record.seq === before.seq + 1 ? before.hash : gap && hashFromBytes(gap.hash);
		if (previous) pruned += record.seq - before.seq - 1;
		if (!previous) report(`events ${before.seq + 1} to ${record.seq - 1} are missing, and no prune says why`);
		if (record.lost !== undefined) {
			if (isIsolated(log, record.seq)) findings.lost++;
			else findings.lose(`event ${record.seq} ${record.lost}`);
		} else {
			if (previous && chainHash(previous, record, record.text) !== record.hash) {
				report(`event ${record.seq} is not what was written: its hash does not fit`);
			}
			const payload = checkPayload(record, findings);
			const named = parseHash(payload?.["blob"]);
			if (named && !hasBlob.get(named) && !isFromFleet(record)) {
				report(`event ${record.seq} names the blob ${hashFromBytes(named)}, which is not there`);
			}
			if (record.type === "Pruned" && payload && isKnown(record)) {
				checkGaps(digests, record.seq, payload, report);
			}
		}
		before = record;
	}
	return { events, pruned };
}

function* readEach(log: Log): Generator<StoredRecord> {
	const seqs = databaseOf(log).prepare("SELECT seq FROM event WHERE seq > ? ORDER BY seq LIMIT 1000");
	for (let at = 0; ; ) {
		const rows = all<{ seq: number }>(seqs, at);
		if (rows.length === 0) return;
		for (const { seq } of rows) {
			const record = log.getStored(seq);
			if (record) yield record;
			at = seq;
		}
	}
}

function isIsolated(log: Log, seq: number): boolean {
	return one(databaseOf(log).prepare("SELECT 1 FROM event WHERE seq = ? AND payload = ?"), seq, ISOLATED) !== undefined;
}

/** The payload, unless it is malformed. */
function checkPayload(record: StoredRecord, findings: VerifyFindings): AnyPayload | undefined {
	let payload: AnyPayload;
	try {
		payload = JSON.parse(record.text) as AnyPayload;
	} catch {
		findings.bad(`event ${record.seq} (${record.type}) is malformed: its payload is not JSON`);
		return undefined;
	}
	const wrong = wrongIn(record.type, record.v, payload);
	if (wrong === undefined) return payload;
	findings.bad(`event ${record.seq} (${record.type}) is malformed: ${wrong}`);
	return undefined;
}

/** Digests of the stored gaps, by the Pruned event that vouches for them. */
function gapDigests(log: Log): Map<number, string> {
	const rows = databaseOf(log).prepare("SELECT pruned, seq, hash FROM gap ORDER BY pruned, seq");
	const digests = new Map<number, string>();
	let of: number | undefined;
	let gaps: PrunedGap[] = [];
	const close = () => of !== undefined && digests.set(of, gapDigest(gaps));
	for (const { pruned, seq, hash } of each<PrunedGap & { readonly pruned: number }>(rows)) {
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
	// Without a digest the event came with an export and speaks of another log's gaps. A removed gap of ours shows as missing events.
	if (digest !== undefined && digest !== payload["gaps"])
		report(`the gaps that event ${seq} vouches for are not those it left`);
}

function walkBlobs(log: Log, findings: VerifyFindings): number {
	const isEmpty = databaseOf(log).prepare("SELECT 1 FROM blob WHERE hash = ? AND length(data) = 0");
	const keys = log.blobHashes();
	for (const key of keys) {
		const lost = log.blobLoss(key);
		if (lost === undefined) continue;
		if (isEmpty.get(parseHash(key) ?? null)) findings.lost++;
		else findings.problem(`blob ${key} ${lost}`);
	}
	return keys.length;
}

/** Folds the log into a database in memory, as far as each part includes it, and compares every row. */
function compareProjection(log: Log, report: (problem: string) => void): void {
	const { projection } = log.options;
	if (!projection || !log.projection || log.readOnly) return;
	const live = [...log.projection.parts()];
	try {
		for (const upTo of new Set(live.map((part) => part.upTo))) {
			const problem = compareParts(log, projection(), live, upTo);
			if (problem === undefined) continue;
			report(`the state differs from the log: ${problem}; run 'weft rebuild'`);
			return;
		}
	} catch (error) {
		report(`the state cannot be computed from the log: ${(error as Error).message}`);
	}
}

function compareParts(log: Log, fresh: Projection, live: readonly ProjectionPart[], upTo: number): string | undefined {
	const db = new DatabaseSync(":memory:");
	try {
		fresh.attach({
			db,
			transaction: (work) => work(),
			read: (query = {}) => log.read({ ...query, upTo: Math.min(query.upTo ?? upTo, upTo) }),
			newestSeq: () => upTo,
		});
		fresh.catchUp();
		const made = new Map([...fresh.parts()].map((part) => [part.name, part]));
		for (const part of live) {
			const other = part.upTo === upTo ? made.get(part.name) : undefined;
			const problem = other && firstDifference(other.rows(), part.rows());
			if (problem !== undefined) return problem;
		}
		return undefined;
	} finally {
		db.close();
	}
}

function firstDifference(wanted: Iterable<string>, found: Iterable<string>): string | undefined {
	const rows = found[Symbol.iterator]();
	for (const row of wanted) {
		const other = rows.next();
		if (other.value !== row) return other.done ? "a row is missing" : other.value;
	}
	const rest = rows.next();
	return rest.done ? undefined : `${rest.value} is too much`;
}
