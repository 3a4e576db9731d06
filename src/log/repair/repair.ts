/**
 * Restores lost bytes. Their hash is known: an event's by the chain, a blob's by its name. So a copy may come from anywhere, and
 * only the right one is taken. What has no copy is isolated: its seq stays, and its damaged bytes no longer slow down the
 * reading of whole ones.
 */
import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { all, one, only } from "../../base/sqlite/rows.ts";
import { databaseOf } from "../database.ts";
import { makePrivateFolder } from "../home.ts";
import type { Log } from "../log.ts";
import { ISOLATED, type StoredRecord } from "../read.ts";
import { parseHash } from "../store/blob.ts";
import { chainHash, GENESIS } from "../store/chain.ts";

/** A copy of an event from elsewhere. If its fields are known, they are proved with the text. */
export interface Offer {
	readonly session: string;
	readonly host: string;
	readonly type: string;
	readonly entry: string | null;
	readonly text: string;
	/** The whole event, from an archive. */
	readonly stored?: StoredRecord | undefined;
}

export interface RepairReport {
	/** Events and blobs with other bytes than were written. */
	readonly lost: number;
	/** Restored, proved by the chain or by their hash. */
	readonly restored: number;
	/** Isolated now. A later repair may still restore them. */
	readonly isolated: number;
	/** Damaged chain hashes that were computed again. */
	readonly relinked: number;
	/** What is still lost, in sentences. */
	readonly left: readonly string[];
}

interface LostEvent {
	readonly record: StoredRecord;
	readonly previous: string | undefined;
}

export class Repair {
	readonly #log: Log;
	readonly #events = new Map<number, LostEvent>();
	readonly #byKey = new Map<string, number[]>();
	readonly #blobs = new Set<string>();
	readonly #lost: number;
	readonly #relinked: number;
	/** Events whose payload can be read, but whose other fields are not proved. */
	readonly #unproved = new Set<number>();
	#restored = 0;

	/** Walks the log to find what is lost. */
	constructor(log: Log) {
		this.#log = log;
		log.forget();
		this.#relinked = log.transaction(() => this.#relink());
		for (const record of log.readStored()) {
			if (record.lost === undefined && !this.#unproved.has(record.seq)) continue;
			this.#events.set(record.seq, { record, previous: previousHash(log, record.seq) });
			const key = keyOf(record);
			this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), record.seq]);
		}
		for (const name of new Set([...log.blobHashes(), ...namedBlobs(log)])) {
			if (log.blobLoss(name) !== undefined) this.#blobs.add(name);
		}
		this.#lost = this.#events.size + this.#blobs.size;
	}

	/** True while something is lost. */
	get isNeeded(): boolean {
		return this.#events.size + this.#blobs.size > 0;
	}

	/** The sessions that lost events belong to. */
	sessions(): Set<string> {
		return new Set([...this.#events.values()].map(({ record }) => record.session));
	}

	/** Takes a copy if the chain proves that it is a lost event. */
	offer(offer: Offer): boolean {
		const places =
			offer.stored && this.#events.has(offer.stored.seq) ? [offer.stored.seq] : this.#byKey.get(keyOf(offer));
		for (const seq of places ?? []) {
			const lost = this.#events.get(seq);
			const proved = lost && prove(this.#log, lost, offer);
			if (!proved) continue;
			this.#log.transaction(() => this.#log.putAgain(proved));
			this.#events.delete(seq);
			this.#unproved.delete(seq);
			this.#restored++;
			return true;
		}
		return false;
	}

	/** Takes bytes if they are a lost blob. */
	offerBlob(bytes: Uint8Array): boolean {
		const name = hash("sha256", bytes, "hex");
		if (!this.#blobs.delete(name)) return false;
		const log = this.#log;
		log.putBlob(bytes);
		log.transaction(() => useAgain(log, name));
		this.#restored++;
		return true;
	}

	/** Isolates what has no copy. The damaged bytes are kept as files, for people who may still use them. */
	isolate(): RepairReport {
		const log = this.#log;
		const before = isolatedCount(log);
		const left = [
			...[...this.#events.values()].map(({ record }) => this.#describe(record)),
			...[...this.#blobs].map((name) => `blob ${name}`),
		];
		if (this.#lost > 0) {
			const folder = join(log.folder, "damaged");
			makePrivateFolder(folder);
			log.transaction(() => {
				const packed = new Set<number>();
				for (const seq of this.#events.keys()) {
					if (!this.#unproved.has(seq) && isolateEvent(log, seq, folder) === "packed") packed.add(seq);
				}
				for (const name of this.#blobs) isolateBlob(log, name, folder);
				for (const { first, last, data } of packsOf(log, packed)) {
					writeFileSync(join(folder, `pack-${first}-${last}.zst`), data, { mode: 0o600 });
					log.rewritePack(first, last);
				}
			});
			log.forget();
		}
		log.forgetLosses();
		return {
			lost: this.#lost,
			restored: this.#restored,
			isolated: isolatedCount(log) - before,
			relinked: this.#relinked,
			left,
		};
	}

	#describe({ seq, type, session, host }: StoredRecord): string {
		const whose = `event ${seq}, ${type} of ${host} session ${session}`;
		return this.#unproved.has(seq) ? `${whose}: its payload is there, its time or names may be wrong` : whose;
	}

	/** Computes a damaged hash again, if its event and the next one are whole. */
	#relink(): number {
		const db = databaseOf(this.#log);
		const update = db.prepare("UPDATE event SET hash = ? WHERE seq = ?");
		let mended = 0;
		let waiting: { readonly seq: number; readonly hash: string } | undefined;
		for (const record of this.#log.readStored()) {
			if (waiting?.seq === record.seq - 1 && record.lost === undefined) {
				if (chainHash(waiting.hash, record, record.text) === record.hash) {
					update.run(Buffer.from(waiting.hash, "hex"), waiting.seq);
					this.#unproved.delete(waiting.seq);
					mended++;
				}
			}
			waiting = undefined;
			const previous = previousHash(this.#log, record.seq);
			if (record.lost !== undefined || previous === undefined) continue;
			const computed = chainHash(previous, record, record.text);
			if (computed === record.hash) continue;
			waiting = { seq: record.seq, hash: computed };
			this.#unproved.add(record.seq);
		}
		return mended;
	}
}

/** The event as written, if the offer gives the chain's hash for it. */
function prove(log: Log, { record, previous }: LostEvent, offer: Offer): StoredRecord | undefined {
	if (previous === undefined) return undefined;
	for (const text of variants(log, record.seq, offer.text)) {
		for (const fields of offer.stored ? [offer.stored, record] : [record]) {
			if (fields.seq === record.seq && chainHash(previous, fields, text) === record.hash) {
				return { ...fields, text, hash: record.hash, lost: undefined };
			}
		}
	}
	return undefined;
}

/** A session file does not name the blob that weft kept of a long text; the log does. */
function* variants(log: Log, seq: number, text: string): Generator<string> {
	yield text;
	const uses = databaseOf(log).prepare("SELECT lower(hex(hash)) AS name FROM blob_use WHERE seq = ?");
	for (const { name } of all<{ name: string }>(uses, seq)) {
		const blob = `,"blob":"${name}"`;
		const raw = text.indexOf(',"raw":');
		if (raw !== -1) yield text.slice(0, raw) + blob + text.slice(raw);
		yield text.slice(0, -1) + blob + text.slice(-1);
	}
}

function previousHash(log: Log, seq: number): string | undefined {
	return seq === 1 ? GENESIS : log.hashAt(seq - 1);
}

function keyOf({ session, host, type, entry }: Pick<Offer, "session" | "host" | "type" | "entry">): string {
	return JSON.stringify([session, host, type, entry]);
}

/** Blobs that events name, missing ones too. */
function* namedBlobs(log: Log): Generator<string> {
	for (const record of log.readStored()) {
		if (!record.text.includes('"blob":"')) continue;
		try {
			const name = (JSON.parse(record.text) as { readonly blob?: unknown }).blob;
			if (parseHash(name)) yield String(name);
		} catch {
			// A payload that is not JSON names nothing.
		}
	}
}

/** Records again which events need a blob that was missing. */
function useAgain(log: Log, name: string): void {
	const use = databaseOf(log).prepare("INSERT INTO blob_use (hash, seq) VALUES (?, ?) ON CONFLICT DO NOTHING");
	const key = parseHash(name);
	if (!key) return;
	for (const record of log.readStored()) {
		if (record.text.includes(`"blob":"${name}"`)) use.run(key, record.seq);
	}
}

/** Returns where the payload was. A payload in a blob is isolated with the blob. */
function isolateEvent(log: Log, seq: number, folder: string): "packed" | "plain" | "blob" | "isolated" {
	const db = databaseOf(log);
	const sql = "SELECT payload FROM event WHERE seq = ?";
	const payload = one<{ payload: string | number | Uint8Array }>(db.prepare(sql), seq)?.payload;
	if (payload instanceof Uint8Array) return "blob";
	if (payload === ISOLATED) return "isolated";
	if (typeof payload === "string") writeFileSync(join(folder, `event-${seq}.json`), payload, { mode: 0o600 });
	db.prepare("UPDATE event SET payload = ? WHERE seq = ?").run(ISOLATED, seq);
	return typeof payload === "string" ? "plain" : "packed";
}

function isolateBlob(log: Log, name: string, folder: string): void {
	const db = databaseOf(log);
	const key = parseHash(name);
	if (!key) return;
	const row = one<{ data: Uint8Array }>(db.prepare("SELECT data FROM blob WHERE hash = ?"), key);
	if (!row) {
		db.prepare("INSERT INTO blob (hash, size, data) VALUES (?, 0, x'')").run(key);
		useAgain(log, name);
	} else if (row.data.length > 0) {
		writeFileSync(join(folder, `blob-${name}.zst`), row.data, { mode: 0o600 });
		db.prepare("UPDATE blob SET data = x'' WHERE hash = ?").run(key);
	}
}

interface DamagedPack {
	readonly first: number;
	readonly last: number;
	readonly data: Uint8Array;
}

/** The packs that hold these events. */
function packsOf(log: Log, seqs: ReadonlySet<number>): DamagedPack[] {
	const find = databaseOf(log).prepare("SELECT first, last, data FROM pack WHERE ? BETWEEN first AND last");
	const packs = new Map<number, DamagedPack>();
	for (const seq of seqs) {
		const row = one<DamagedPack>(find, seq);
		if (row) packs.set(row.first, row);
	}
	return [...packs.values()];
}

function isolatedCount(log: Log): number {
	const sql = `SELECT (SELECT count(*) FROM event WHERE typeof(payload) IN ('integer', 'real') AND payload = ${ISOLATED})
		+ (SELECT count(*) FROM blob WHERE length(data) = 0) AS n`;
	return only<{ n: number }>(databaseOf(log).prepare(sql)).n;
}
