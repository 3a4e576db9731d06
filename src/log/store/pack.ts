/**
 * Packs: the payloads of neighbouring events compressed together. New payloads are plain text in their rows, so an append
 * does not compress; `settle` packs them later, and a large batch is packed on its way in. A packed row holds an offset. The
 * hash chain covers the text and does not change.
 */
import { hash } from "node:crypto";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { BoundedMap } from "../../base/collection/bounded.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { all, each, one, prepareLazily } from "../../base/sqlite/rows.ts";
import { type DeflateOptions, deflate, type Inflated, inflate } from "./compress.ts";

/** Small enough that reading one event is quick, large enough to compress well. */
const PACK_BYTES = 65_536;
const PACK_EVENTS = 256;
/** A live session repeats itself over longer stretches: four times the pack is a quarter smaller, and takes a third of a millisecond to read. */
const LIVE_PACK_BYTES = 4 * PACK_BYTES;
const LIVE_PACK_EVENTS = 2 * PACK_EVENTS;
/** After this many plain bytes an append also packs, so that a busy process does not pile them up. */
export const MAX_PLAIN_BYTES = LIVE_PACK_BYTES + 32_768;
const SETTLE_ROWS = 1_024;
/** At most 16 MB: the hits of a few searches are in as many packs, and are often read next. */
const MAX_CACHED_PACKS = 64;

/**
 * Packs that this process has inflated, of all logs: an agent that opens the log for every turn reads mostly the same ones. By the
 * hash of what is stored, so a pack that was changed or damaged since is not taken from here.
 */
const inflated = new BoundedMap<string, Inflated>(MAX_CACHED_PACKS);

interface PackRow {
	readonly first: number;
	readonly last: number;
	readonly size: number;
	readonly data: Uint8Array;
}

interface OpenPack extends Inflated {
	readonly first: number;
	readonly last: number;
}

/** `isChecked`: the checksum proves it. Otherwise the chain must. */
export interface PackedText {
	readonly text: string;
	readonly isChecked: boolean;
}

export interface PlainRow {
	readonly seq: number;
	readonly payload: string;
}

/** The first plain payloads after an event: how many there are, and the undamaged ones. */
export type PlainSource = (
	after: number,
	limit: number,
) => { readonly rows: readonly PlainRow[]; readonly found: number };

export class Packs {
	readonly #insert: () => StatementSync;
	readonly #find: () => StatementSync;
	readonly #newest: () => StatementSync;
	readonly #place: () => StatementSync;
	readonly #plainSize: () => StatementSync;
	#tightener: Tightener | undefined;
	readonly #db: DatabaseSync;
	readonly #plain: PlainSource;
	#cached: OpenPack[] = [];

	constructor(db: DatabaseSync, plain: PlainSource) {
		this.#plain = plain;
		this.#insert = prepareLazily(db, "INSERT INTO pack (first, last, size, data) VALUES (?, ?, ?, ?)");
		this.#find = prepareLazily(
			db,
			"SELECT first, last, size, data FROM pack WHERE first <= ? ORDER BY first DESC LIMIT 1",
		);
		this.#newest = prepareLazily(db, "SELECT last FROM pack ORDER BY first DESC LIMIT 1");
		this.#place = prepareLazily(db, "UPDATE event SET payload = ? WHERE seq = ?");
		this.#plainSize = prepareLazily(db, "SELECT SUM(size) AS bytes FROM event WHERE seq > ?");
		this.#db = db;
	}

	/** The text of a packed payload. */
	text(seq: number, offset: number, size: number): PackedText {
		const { bytes, isChecked } = this.#pack(seq);
		return { text: bytes.toString("utf8", offset, offset + size), isChecked };
	}

	/** Starts packs for events about to be written, after packing the plain ones before them. */
	begin(): PackWriter {
		while (this.settle({ all: true }));
		return new PackWriter(this.#insert());
	}

	/** Bytes of the payloads after the newest pack. */
	plainBytes(): number {
		const packed = one<{ last: number }>(this.#newest())?.last ?? 0;
		return one<{ bytes: number | null }>(this.#plainSize(), packed)?.bytes ?? 0;
	}

	/**
	 * Packs plain payloads, oldest first, in one bounded step inside a transaction. The rest that does not fill a pack stays
	 * plain, unless `all`. Damaged payloads stay plain, because a pack's checksum vouches for its content. Returns whether
	 * there may be more.
	 */
	settle(options: { readonly all: boolean }): boolean {
		const packed = one<{ last: number }>(this.#newest())?.last ?? 0;
		const { rows, found } = this.#plain(packed, SETTLE_ROWS);
		const leaving = options.all ? rows : rows.slice(0, fullPacks(rows));
		// A live session writes little at a time, so it can afford the closer packs.
		const writer = new PackWriter(this.#insert(), {
			isCloser: true,
			maxBytes: LIVE_PACK_BYTES,
			maxEvents: LIVE_PACK_EVENTS,
		});
		for (const { seq, payload } of leaving) {
			this.#place().run(asStored(writer.offset), seq);
			writer.add(seq, Buffer.from(payload));
		}
		writer.end();
		this.#tightener ??= new Tightener(this.#db);
		const [first] = leaving;
		// These are the last rows of the table, so writing them again leaves no gap.
		if (first && found < SETTLE_ROWS) this.#tightener.writeAgain(first.seq);
		else this.#tightener.tighten(leaving.map(({ seq, payload }) => ({ seq, size: payload.length })));
		return found === SETTLE_ROWS && leaving.length > 0;
	}

	/**
	 * Removes the payloads of the events in a table from their packs, inside a transaction. Their bytes become spaces, so that
	 * no offset changes: a reader in another process may just have read one.
	 */
	blank(db: DatabaseSync, table: string): void {
		// SQLite stores an offset that was bound as a number as a real.
		const rows = each<{ seq: number; at: number; size: number }>(
			db.prepare(
				`SELECT seq, payload AS at, size FROM ${table} JOIN event USING (seq)
				WHERE typeof(payload) IN ('integer', 'real') AND payload >= 0 ORDER BY seq`,
			),
		);
		const update = db.prepare("UPDATE pack SET data = ? WHERE first = ?");
		let open: OpenPack | undefined;
		const close = () => open && update.run(deflate(open.bytes, open), open.first);
		for (const { seq, at, size } of rows) {
			if (!open || seq > open.last) {
				close();
				open = this.#readable(seq);
			}
			open?.bytes.fill(0x20, at, at + size);
		}
		close();
		this.forget();
	}

	/** Replaces a damaged pack by its proved payloads (`textOf`); the others become spaces. Call inside a transaction. */
	rewrite(first: number, last: number, textOf: (seq: number) => string | undefined): void {
		const db = this.#db;
		const places = all<{ seq: number; at: number }>(
			db.prepare(
				"SELECT seq, payload AS at FROM event WHERE seq BETWEEN ? AND ? AND typeof(payload) IN ('integer', 'real') AND payload >= 0",
			),
			first,
			last,
		);
		const pieces = places.flatMap(({ seq, at }) => {
			const text = textOf(seq);
			return text === undefined ? [] : [{ at, bytes: Buffer.from(text) }];
		});
		const size = pieces.reduce((end, { at, bytes }) => Math.max(end, at + bytes.length), 0);
		const whole = Buffer.alloc(size, 0x20);
		for (const { at, bytes } of pieces) bytes.copy(whole, at);
		if (size === 0) db.prepare("DELETE FROM pack WHERE first = ?").run(first);
		else db.prepare("UPDATE pack SET size = ?, data = ? WHERE first = ?").run(size, deflate(whole), first);
		this.forget();
	}

	forget(): void {
		this.#cached = [];
	}

	/** The pack of an event, to be changed; undefined: it cannot be read. */
	#readable(seq: number): OpenPack | undefined {
		try {
			const row = one<PackRow>(this.#find(), seq);
			return row && row.last >= seq ? { first: row.first, last: row.last, ...decompress(row) } : undefined;
		} catch (error) {
			if (error instanceof EngineError) return undefined;
			throw error;
		}
	}

	#pack(seq: number): OpenPack {
		// A reader in order stays in the pack of the last read.
		const last = this.#cached.at(-1);
		if (last && last.first <= seq && seq <= last.last) return last;
		const cached = this.#cached.find((pack) => pack.first <= seq && seq <= pack.last);
		if (cached) return cached;
		const row = one<PackRow>(this.#find(), seq);
		if (!row || row.last < seq) throw lostBytes("cannot be read: the pack that held it is missing");
		const pack = { first: row.first, last: row.last, ...decompressOnce(row) };
		if (this.#cached.length >= MAX_CACHED_PACKS) this.#cached.shift();
		this.#cached.push(pack);
		return pack;
	}
}

/** For readers that do not change the bytes. */
function decompressOnce(row: PackRow): Inflated {
	const { first, last, size, data } = row;
	const key = `${first} ${last} ${size} ${hash("sha256", data, "hex")}`;
	const known = inflated.get(key);
	if (known) return known;
	const { bytes, isChecked } = decompress(row);
	inflated.set(key, { bytes, isChecked });
	return { bytes, isChecked };
}

function decompress(row: PackRow): Inflated {
	try {
		return inflate(row.data, row.size);
	} catch (cause) {
		throw lostBytes(`cannot be read: the pack of events ${row.first} to ${row.last} is damaged`, cause);
	}
}

/** The message is a predicate: the caller names the event before it. */
export function lostBytes(predicate: string, cause?: unknown): EngineError {
	return new EngineError("damaged", predicate, { cause });
}

/** How many rows, from the first, fill whole packs. */
function fullPacks(rows: readonly { readonly payload: string }[]): number {
	let full = 0;
	let size = 0;
	for (const [index, { payload }] of rows.entries()) {
		size += Buffer.byteLength(payload);
		if (size < LIVE_PACK_BYTES && index + 1 - full < LIVE_PACK_EVENTS) continue;
		full = index + 1;
		size = 0;
	}
	return full;
}

/** Collects payloads in order of seq and writes each full pack. */
export class PackWriter {
	readonly #insert: StatementSync;
	readonly #options: DeflateOptions;
	readonly #maxBytes: number;
	readonly #maxEvents: number;
	#bytes = Buffer.allocUnsafe(2 * PACK_BYTES);
	#events = 0;
	#first = 0;
	#last = 0;
	#size = 0;

	constructor(
		insert: StatementSync,
		options: DeflateOptions & { readonly maxBytes?: number; readonly maxEvents?: number } = {},
	) {
		this.#insert = insert;
		this.#options = options;
		this.#maxBytes = options.maxBytes ?? PACK_BYTES;
		this.#maxEvents = options.maxEvents ?? PACK_EVENTS;
	}

	/** Where the next payload starts in its pack. */
	get offset(): number {
		return this.#size;
	}

	/** Copies the bytes. */
	add(seq: number, bytes: Buffer): void {
		if (this.#events++ === 0) this.#first = seq;
		const size = this.#size + bytes.length;
		if (size > this.#bytes.length) {
			this.#bytes = Buffer.concat([this.#bytes.subarray(0, this.#size)], 2 * size);
		}
		bytes.copy(this.#bytes, this.#size);
		this.#last = seq;
		this.#size = size;
		if (size >= this.#maxBytes || this.#events >= this.#maxEvents) this.end();
	}

	end(): void {
		if (this.#events === 0) return;
		const data = deflate(this.#bytes.subarray(0, this.#size), this.#options);
		this.#insert.run(this.#first, this.#last, this.#size, data);
		this.#events = 0;
		this.#size = 0;
	}
}

/** Node binds a number as a real, which takes eight bytes in a column of any type. */
function asStored(value: SQLInputValue): SQLInputValue {
	return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Half a page of SQLite: one row is moved for each, so that hardly a page is missed. */
const MOVE_EVERY_BYTES = 2_048;

/**
 * Packed rows leave pages of the event table nearly empty. Events only come at the end, so nothing would ever fill them, and a
 * live session would take three times the space of an imported one. SQLite merges half-empty pages when a row is deleted,
 * never when one shrinks. So one row of each page is deleted and inserted again unchanged.
 */
class Tightener {
	readonly #take: StatementSync;
	readonly #put: StatementSync;
	readonly #takeFrom: () => StatementSync;

	constructor(db: DatabaseSync) {
		// Deleting a row that uses a blob would drop the use.
		const rest = `NOT EXISTS (SELECT 1 FROM blob_use WHERE blob_use.seq = event.seq)
			RETURNING seq, id, origin, session, host, ts, type, v, cause, entry, tool, file, size, payload, hash`;
		this.#take = db.prepare(`DELETE FROM event WHERE seq = ? AND ${rest}`);
		this.#take.setReturnArrays(true);
		this.#takeFrom = prepareLazily(db, `DELETE FROM event WHERE seq >= ? AND ${rest}`);
		this.#put = db.prepare(
			`INSERT INTO event (seq, id, origin, session, host, ts, type, v, cause, entry, tool, file, size, payload, hash)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		);
	}

	/**
	 * Deletes all rows from an event on and appends them again: SQLite fills its pages only when rows are appended, and merging
	 * leaves a third of them empty. Call in the transaction in which they shrank.
	 */
	writeAgain(from: number): void {
		const rows = all<{ readonly seq: number }>(this.#takeFrom(), from).sort((one, other) => one.seq - other.seq);
		for (const row of rows) this.#put.run(...(Object.values(row) as SQLInputValue[]).map(asStored));
	}

	/** Call after rows shrank, each by `size` bytes, in the same transaction. */
	tighten(shrunk: readonly { readonly seq: number; readonly size: number }[]): void {
		let bytes = 0;
		for (const { seq, size } of shrunk) {
			bytes += size;
			if (bytes < MOVE_EVERY_BYTES) continue;
			bytes = 0;
			const row = one<SQLInputValue[]>(this.#take, seq);
			if (row) this.#put.run(...row);
		}
	}
}
