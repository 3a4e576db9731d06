/**
 * Proves that an archive's events were in this log: anyone may have changed the file. A missing stretch is restored whole: the
 * log knows the hash before it and the one that pruning left at its end, and only the original events lead from one to the
 * other. An event that claims a seq in a gap without this proof is refused by name.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { one } from "../../base/sqlite/rows.ts";
import { databaseOf } from "../database.ts";
import type { Log } from "../log.ts";
import type { StoredRecord } from "../read.ts";
import { parseHash } from "../store/blob.ts";
import { chainHash, GENESIS } from "../store/chain.ts";
import { formatUuid } from "../store/uuid.ts";
import { type ArchiveLine, isBlob, logId, readArchive } from "./archive.ts";

/** Where lines of an archive belong. */
export type PlacedLines =
	| { readonly kind: "blob"; readonly bytes: Buffer }
	/** The log has it. */
	| { readonly kind: "known"; readonly event: StoredRecord }
	/** All events of a stretch that the log misses, in order. */
	| { readonly kind: "proved"; readonly line: number; readonly events: readonly StoredRecord[] }
	/** An event of another log. */
	| { readonly kind: "stranger"; readonly line: number; readonly event: StoredRecord }
	| ({ readonly kind: "refused" } & ArchiveRefusal);

export interface ArchiveRefusal {
	/** Number of the line in the file. */
	readonly line: number;
	/** The faulty event, or the name of a blob. */
	readonly what: string;
	/** How many events are refused with it: a stretch is restored whole or not at all. */
	readonly events: number;
	readonly reason: string;
}

/** Reads an archive and says where each event belongs. Writes nothing. */
export async function* placeArchive(log: Log, path: string): AsyncGenerator<PlacedLines> {
	const isOurs = await isOfThisLog(log, path);
	const gaps = new Gaps(log);
	const blobs = new BlobsSeen(log);
	let open: MissingStretch | undefined;
	for await (const line of reading(path)) {
		if (open && (line.kind === "end" || (line.kind === "event" && !open.holds(line.event.seq)))) {
			yield open.close(log, blobs, line.kind === "end" ? "the file ends before it is whole" : undefined);
			open = undefined;
		}
		if (line.kind === "end" && line.error) throw line.error;
		if (line.kind === "blob") {
			const { name, bytes } = line;
			const isWhole = bytes === undefined || isBlob(name, bytes);
			if (isWhole) blobs.add(name);
			if (isWhole && bytes) yield { kind: "blob", bytes };
			if (!isWhole) yield refusal(line.line, `blob ${name}`, 0, "its bytes were changed");
		}
		if (line.kind !== "event") continue;
		const { event } = line;
		const place = isOurs ? gaps.around(event.seq) : undefined;
		if (gaps.isHere(event)) yield { kind: "known", event };
		else if (place) {
			open ??= new MissingStretch(place);
			open.add(line.line, event);
			if (!open.isFull) continue;
			yield open.close(log, blobs);
			open = undefined;
		} else if (blobs.lacks(event)) yield refusal(line.line, nameOf(event), 1, NO_BLOB);
		else yield { kind: "stranger", line: line.line, event };
	}
}

const NO_BLOB = "its blob is not in the file as it was";

function nameOf({ seq, type }: StoredRecord): string {
	return `event ${seq} (${type})`;
}

function refusal(line: number, what: string, events: number, reason: string): PlacedLines {
	return { kind: "refused", line, what, events, reason };
}

/** The blobs of an archive whose bytes have their name's hash. */
class BlobsSeen {
	readonly #log: Log;
	readonly #names = new Set<string>();

	constructor(log: Log) {
		this.#log = log;
	}

	add(name: string): void {
		this.#names.add(name);
	}

	/** True: neither the file nor the log has the blob that the event names. */
	lacks({ text }: StoredRecord): boolean {
		if (!text.includes('"blob":"')) return false;
		const name = blobIn(text);
		return name !== undefined && !this.#names.has(name) && this.#log.blobHashes(name, 1).length === 0;
	}
}

function blobIn(text: string): string | undefined {
	try {
		const name = (JSON.parse(text) as { readonly blob?: unknown } | null)?.blob;
		return parseHash(name) && String(name);
	} catch {
		return undefined;
	}
}

type ReadLine = ArchiveLine | { readonly kind: "end"; readonly error?: unknown };

/** Adds the end as a last line, so that a half-collected stretch is still judged. */
async function* reading(path: string): AsyncGenerator<ReadLine> {
	try {
		yield* readArchive(path);
	} catch (error) {
		yield { kind: "end", error };
		return;
	}
	yield { kind: "end" };
}

/** True: the head names this log, or a line has the hash that this log has at its seq. */
async function isOfThisLog(log: Log, path: string): Promise<boolean> {
	try {
		for await (const line of readArchive(path)) {
			if (line.kind === "head" && line.log !== undefined && line.log === logId(log)) return true;
			if (line.kind === "event" && log.hashAt(line.event.seq) === line.event.hash) return true;
		}
	} catch {
		// The real reading throws it again.
	}
	return false;
}

/** Neighbouring missing seqs between two hashes that the log knows. */
interface SeqGap {
	readonly first: number;
	readonly last: number;
}

class Gaps {
	readonly #db: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();

	constructor(log: Log) {
		this.#db = databaseOf(log);
	}

	/** True: the log has this event at its seq. */
	isHere({ seq, id }: StoredRecord): boolean {
		const row = one<{ id: Uint8Array }>(this.#statement("SELECT id FROM event WHERE seq = ?"), seq);
		return row !== undefined && formatUuid(row.id) === id;
	}

	/** Undefined: the log has an event at this seq, or none was pruned there. */
	around(seq: number): SeqGap | undefined {
		const next = this.#seq("SELECT min(seq) AS seq FROM event WHERE seq >= ?", seq);
		if (next === null || next === seq) return undefined;
		const end = this.#seq("SELECT min(seq) AS seq FROM gap WHERE seq >= ?", seq);
		const before = this.#seq("SELECT max(seq) AS seq FROM event WHERE seq < ?", seq) ?? 0;
		const gap = this.#seq("SELECT max(seq) AS seq FROM gap WHERE seq < ?", seq) ?? 0;
		return { first: Math.max(before, gap) + 1, last: Math.min(end ?? next, next - 1) };
	}

	#seq(sql: string, seq: number): number | null {
		return one<{ seq: number | null }>(this.#statement(sql), seq)?.seq ?? null;
	}

	#statement(sql: string): StatementSync {
		const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
		this.#statements.set(sql, known);
		return known;
	}
}

class MissingStretch {
	readonly #gap: SeqGap;
	readonly #found: { readonly line: number; readonly event: StoredRecord }[] = [];

	constructor(gap: SeqGap) {
		this.#gap = gap;
	}

	holds(seq: number): boolean {
		return seq >= this.#gap.first && seq <= this.#gap.last;
	}

	get isFull(): boolean {
		return this.#found.length > this.#gap.last - this.#gap.first;
	}

	add(line: number, event: StoredRecord): void {
		this.#found.push({ line, event });
	}

	close(log: Log, blobs: BlobsSeen, why?: string): PlacedLines {
		let before = this.#gap.first === 1 ? GENESIS : log.hashAt(this.#gap.first - 1);
		for (const [n, { event }] of this.#found.entries()) {
			const seq = this.#gap.first + n;
			if (event.seq !== seq) return this.#refuse(n, why ?? `event ${seq} should come here`);
			if (!before || chainHash(before, event, event.text) !== event.hash) {
				return this.#refuse(n, "it is not what was pruned: its hash does not fit");
			}
			before = event.hash;
		}
		if (!this.isFull) {
			const missing = this.#gap.first + this.#found.length;
			return this.#refuse(this.#found.length - 1, why ?? `event ${missing}, which proves it, is missing in the file`);
		}
		if (!before || !leadsOn(log, this.#gap.last, before)) {
			return this.#refuse(0, `it is a forgery: events ${this.#gap.first} to ${this.#gap.last} do not lead to the next`);
		}
		const lacking = this.#found.findIndex(({ event }) => blobs.lacks(event));
		if (lacking !== -1) return this.#refuse(lacking, NO_BLOB);
		return { kind: "proved", line: this.#found[0]?.line ?? 0, events: this.#found.map(({ event }) => event) };
	}

	#refuse(n: number, reason: string): PlacedLines {
		const faulty = this.#found[n];
		return refusal(faulty?.line ?? 0, faulty ? nameOf(faulty.event) : "", this.#found.length, reason);
	}
}

/** True: pruning left this hash at the seq; if that is lost, the next event builds on it. */
function leadsOn(log: Log, seq: number, hash: string): boolean {
	const kept = log.hashAt(seq);
	if (kept !== undefined) return kept === hash;
	const next = log.getStored(seq + 1);
	return next !== undefined && chainHash(hash, next, next.text) === next.hash;
}
