/**
 * Reads events by any mix of conditions, in bounded steps, so that a reader never holds back the WAL. Every payload is
 * checked: by its pack's checksum, or, without one or if something looks odd, by the hash chain. An event with other bytes
 * than were written is lost; the rest of the log stays readable.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { EngineError } from "../base/error/engine-error.ts";
import { all } from "../base/sqlite/rows.ts";
import { translateSqliteError } from "../base/sqlite/sqlite-error.ts";
import { isReadable, wrongIn } from "./event/check.ts";
import type { AnyPayload, EventRecord } from "./event/types.ts";
import type { Blobs } from "./store/blob.ts";
import { chainHash, GENESIS, hashFromBytes } from "./store/chain.ts";
import { lostBytes, type PackedText, type Packs, type PlainRow, type PlainSource } from "./store/pack.ts";
import type { RecentEvents } from "./store/recent-events.ts";
import { formatUuid } from "./store/uuid.ts";
import type { WordDictionary } from "./store/word-dictionary.ts";
import type { Loss, ReadQuery } from "./types.ts";

const STEP_ROWS = 256;
const FIRST_STEP_ROWS = 8;
const STEP_GROWTH = 4;
const COLUMNS = "seq, id, origin, session, host, ts, type, v, cause, entry, size, payload, hash";
/** In place of an offset: the payload was lost, and `weft repair` moved its remains aside. */
export const ISOLATED = -1;
/** In place of an offset, while reading: the row itself is damaged. */
const NOT_A_ROW = -2;

type EventRow = [
	seq: number,
	id: Uint8Array,
	origin: number,
	session: number,
	host: number,
	ts: number,
	type: number,
	v: number,
	cause: number | null,
	entry: string | null,
	size: number,
	payload: string | number | Uint8Array,
	hash: Uint8Array,
	/** Hash of the event before it, if that one was read just before. */
	previous?: Uint8Array | undefined,
];

/** A record with its payload's text and its chain hash, for copying or checking the log. */
export interface StoredRecord extends Omit<EventRecord, "payload"> {
	readonly text: string;
	/** SHA-256, hex. */
	readonly hash: string;
	/** Set if the text is not what was written; it is then empty. */
	readonly lost?: string | undefined;
}

export interface EventReaderParts {
	readonly db: DatabaseSync;
	readonly recent: RecentEvents;
	readonly path: string;
	readonly words: WordDictionary;
	readonly packs: Packs;
	readonly blobs: Blobs;
	/** Called for each event that turns out to be lost. */
	readonly onLoss: (loss: Loss) => void;
}

type UnreadFields = Omit<EventRecord, "payload">;
/** `isProved`: the chain proved it, fields included. */
type OpenedPayload = { readonly text: string; readonly isProved: boolean } | { readonly lost: string };

const NOTHING: AnyPayload = Object.freeze({});

/** SQL conditions on the events of a range of seqs. */
interface Conditions {
	readonly after: number;
	readonly upTo: number;
	readonly sql: string;
	readonly values: readonly SQLInputValue[];
}

export class EventReader {
	readonly #db: DatabaseSync;
	readonly #path: string;
	readonly #words: WordDictionary;
	readonly #packs: Packs;
	readonly #blobs: Blobs;
	readonly #recent: RecentEvents;
	readonly #onLoss: (loss: Loss) => void;
	readonly #statements = new Map<string, StatementSync>();

	constructor(parts: EventReaderParts) {
		this.#db = parts.db;
		this.#path = parts.path;
		this.#words = parts.words;
		this.#packs = parts.packs;
		this.#blobs = parts.blobs;
		this.#recent = parts.recent;
		this.#onLoss = parts.onLoss;
	}

	/** Events that were just written come from memory, unless another process has written since. */
	read(query: ReadQuery = {}): Iterable<EventRecord> {
		return this.#recent.read(query) ?? this.#readRows(query);
	}

	*#readRows(query: ReadQuery): Generator<EventRecord> {
		let left = query.limit ?? Number.POSITIVE_INFINITY;
		for (const row of this.#rows(query)) {
			const record = this.#record(row);
			if (!record || !(query.everything || isReadable(record))) continue;
			yield record;
			if (--left <= 0) return;
		}
	}

	/** Includes lost events. */
	*readStored(query: ReadQuery = {}): Generator<StoredRecord> {
		let left = query.limit ?? Number.POSITIVE_INFINITY;
		for (const row of this.#rows(query)) {
			const stored = this.#stored(row);
			if (!stored) continue;
			yield stored;
			if (--left <= 0) return;
		}
	}

	/** See `PlainSource`. */
	readPlain(after: number, limit: number): ReturnType<PlainSource> {
		const sql = `SELECT ${COLUMNS} FROM event WHERE seq > ? AND typeof(payload) = 'text' ORDER BY seq LIMIT ?`;
		const found = this.#all(sql, after, limit).map(sane);
		const rows: PlainRow[] = [];
		for (const [at, row] of found.entries()) {
			const before = found[at - 1];
			if (before?.[0] === row[0] - 1) row[13] = before[12];
			const opened = this.#prove(row, this.#fields(row), true);
			if ("text" in opened) rows.push({ seq: row[0], payload: opened.text });
		}
		return { rows, found: found.length };
	}

	/** By seq, by id, or by the first characters of an id if they name one event only. */
	get(handle: number | string): EventRecord | undefined {
		const fresh = typeof handle === "number" ? this.#recent.get(handle) : undefined;
		if (fresh) return fresh;
		const row = this.#find(handle);
		return row && this.#record(row);
	}

	getStored(handle: number | string): StoredRecord | undefined {
		const row = this.#find(handle);
		return row && this.#stored(row);
	}

	#find(handle: number | string): EventRow | undefined {
		const row =
			typeof handle === "string"
				? this.#byId(handle)
				: this.#all(`SELECT ${COLUMNS} FROM event WHERE seq = ?`, handle)[0];
		return row && sane(row);
	}

	/** Ids rise with seq, so a binary search finds one. An id that came with an export may be anywhere. */
	#byId(text: string): EventRow | undefined {
		const prefix = text.replaceAll("-", "").toLowerCase();
		if (!/^[0-9a-f]{6,32}$/.test(prefix)) return undefined;
		const low = Buffer.from(prefix.padEnd(32, "0"), "hex");
		const high = Buffer.from(prefix.padEnd(32, "f"), "hex");
		const from = this.#seqOfId(low);
		let rows = this.#all(`SELECT ${COLUMNS} FROM event WHERE seq >= ? ORDER BY seq LIMIT 2`, from).filter(
			(row) => Buffer.compare(row[1], low) >= 0 && Buffer.compare(row[1], high) <= 0,
		);
		if (rows.length === 0) rows = this.#all(`SELECT ${COLUMNS} FROM event WHERE id BETWEEN ? AND ? LIMIT 2`, low, high);
		if (rows.length > 1)
			throw new EngineError("usage", `More than one event's id starts with ${text}. Give more of it.`);
		return rows[0];
	}

	/** The seq of the first event whose id is not below this one. */
	#seqOfId(id: Uint8Array): number {
		const step = "SELECT seq, id FROM event WHERE seq >= ? ORDER BY seq LIMIT 1";
		let low = 0;
		let high = (this.#all("SELECT max(seq) FROM event")[0]?.[0] ?? 0) + 1;
		while (low < high) {
			const middle = Math.floor((low + high) / 2);
			const row = this.#all(step, middle)[0];
			if (row && Buffer.compare(row[1], id) < 0) low = row[0] + 1;
			else high = middle;
		}
		return low;
	}

	*#rows(query: ReadQuery): Generator<EventRow> {
		const conditions = this.#conditions(query);
		if (!conditions) return;
		const newest = query.order === "newest";
		const sql = `SELECT ${COLUMNS} FROM event WHERE seq > ? AND seq <= ?${conditions.sql}
			ORDER BY seq ${newest ? "DESC" : "ASC"} LIMIT ?`;
		const most = Math.min(query.limit ?? STEP_ROWS, STEP_ROWS);
		// A reader without `upTo` often stops early, and a step reads its rows whole.
		let step = query.upTo === undefined ? Math.min(most, FIRST_STEP_ROWS) : most;
		let { after, upTo } = conditions;
		let before: EventRow | undefined;
		while (step > 0 && after < upTo) {
			const rows = this.#all(sql, after, upTo, ...conditions.values, step).map(sane);
			for (const row of rows) {
				if (before?.[0] === row[0] - 1) row[13] = before[12];
				yield row;
				before = row;
			}
			if (!before || rows.length < step) return;
			step = Math.min(most, step * STEP_GROWTH);
			if (newest) upTo = before[0] - 1;
			else after = before[0];
		}
	}

	/**
	 * Undefined: the log has never seen a name, so nothing can match. The range of seqs is one, computed here: of two limits on
	 * one side SQLite may choose the wider one, and walk through all earlier sessions.
	 */
	#conditions(query: ReadQuery): Conditions | undefined {
		let after = query.after ?? 0;
		let upTo = Math.min(query.upTo ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
		let sql = "";
		const values: SQLInputValue[] = [];
		const add = (condition: string, ...given: SQLInputValue[]) => {
			sql += ` AND ${condition}`;
			values.push(...given);
		};
		const types = query.types?.map((type) => this.#words.find(type)).filter((id) => id !== undefined);
		if (types?.length === 0) return undefined;
		if (query.session !== undefined) {
			const bounds = this.#sessionBounds(query.session, types);
			if (!bounds) return undefined;
			after = Math.max(after, bounds[0] - 1);
			upTo = Math.min(upTo, bounds[1]);
		}
		if (query.since !== undefined) add("ts >= ?", query.since);
		if (query.until !== undefined) add("ts < ?", query.until);
		for (const column of ["session", "host", "tool"] as const) {
			const name = query[column];
			if (name === undefined) continue;
			const id = this.#words.find(name);
			if (id === undefined) return undefined;
			// "+" keeps SQLite on seq and off other indexes: the rows come in steps, in order.
			add(`+${column} = ?`, id);
		}
		if (types) add(`+type IN (${types.map(() => "?").join(", ")})`, ...types);
		if (query.file?.endsWith("/")) {
			add("file IN (SELECT id FROM word WHERE text >= ? AND text < ?)", query.file, `${query.file.slice(0, -1)}0`);
		} else if (query.file !== undefined) {
			const id = this.#words.find(query.file);
			if (id === undefined) return undefined;
			add("file = ?", id);
		}
		return { after, upTo, sql, values };
	}

	/**
	 * The first and last seq of a session's events, or of those of some types. Each type is two steps in an index, so a long session
	 * takes no longer.
	 */
	#sessionBounds(session: string, types: readonly number[] | undefined): [number, number] | undefined {
		const id = this.#words.find(session);
		if (id === undefined) return undefined;
		const own = "FROM event WHERE session = ? AND type = ?";
		const sql = `SELECT (SELECT min(seq) ${own}), (SELECT max(seq) ${own})`;
		let bounds: [number, number] | undefined;
		for (const type of types ?? this.#typesIn(id)) {
			const [[first, last] = [null, null]] = this.#all<[number | null, number | null]>(sql, id, type, id, type);
			if (first === null || last === null) continue;
			bounds = bounds ? [Math.min(bounds[0], first), Math.max(bounds[1], last)] : [first, last];
		}
		return bounds;
	}

	/** The types of a session's events, each found from the one before it. */
	*#typesIn(session: number): Generator<number> {
		const sql = "SELECT min(type) FROM event WHERE session = ? AND type > ?";
		for (let type = -1; ; ) {
			const [[next] = [null]] = this.#all<[number | null]>(sql, session, type);
			if (next === null) return;
			yield next;
			type = next;
		}
	}

	/** Undefined: the event was pruned after its row was read. */
	#record(row: EventRow, byChain = false): EventRecord | undefined {
		const fields = this.#fields(row);
		const opened = this.#open(row, fields, byChain);
		if (!opened) return undefined;
		if ("lost" in opened) return { ...fields, payload: NOTHING, wrong: opened.lost };
		const payload = parse(opened.text);
		const wrong = payload ? wrongIn(fields.type, fields.v, payload) : "its payload is not JSON";
		if (payload && wrong === undefined) return { ...fields, payload };
		// Was it written like this, or is its row damaged?
		if (!opened.isProved) return this.#record(row, true);
		return { ...fields, payload: payload ?? NOTHING, wrong: `is malformed: ${wrong}` };
	}

	#stored(row: EventRow): StoredRecord | undefined {
		const fields = this.#fields(row);
		const opened = this.#open(row, fields, false);
		if (!opened) return undefined;
		const hash = hashFromBytes(row[12]);
		return "lost" in opened ? { ...fields, text: "", hash, lost: opened.lost } : { ...fields, text: opened.text, hash };
	}

	/** The text of a payload, or why it is lost. */
	#open(row: EventRow, fields: UnreadFields, byChain: boolean): OpenedPayload | undefined {
		const first = this.#prove(row, fields, byChain);
		if ("text" in first) return first;
		// Another process may have pruned the event since its row was read.
		this.#packs.forget();
		const now = this.#find(row[0]);
		const second = now && this.#prove(now, fields, byChain);
		if (second && "lost" in second) {
			this.#onLoss({ seq: fields.seq, session: fields.session, host: fields.host, why: second.lost });
		}
		return second;
	}

	#prove(row: EventRow, fields: UnreadFields, byChain: boolean): OpenedPayload {
		let stored: PackedText;
		try {
			stored = this.#text(row);
		} catch (error) {
			if (!(error instanceof EngineError) || error.code !== "damaged") throw error;
			return { lost: error.message };
		}
		const { text } = stored;
		// A damaged row that points elsewhere seldom hits a whole object.
		const looksWhole = text.startsWith("{") && text.endsWith("}");
		if (stored.isChecked && looksWhole && !byChain) return { text, isProved: false };
		const previous = row[13] ? hashFromBytes(row[13]) : this.#hashBefore(row[0]);
		const fits = previous === undefined || chainHash(previous, fields, text) === hashFromBytes(row[12]);
		if (fits || this.#isProvedAround(row, fields, text)) return { text, isProved: true };
		return { lost: "is not what was written: its hash does not fit" };
	}

	/**
	 * The stored hash itself may be the damaged part: that of the event before, which can be computed again from its bytes, or
	 * the event's own, which the next event proves.
	 */
	#isProvedAround(row: EventRow, fields: UnreadFields, text: string): boolean {
		const seq = row[0];
		const before = this.#computedHash(seq - 1);
		if (before !== undefined && chainHash(before, fields, text) === hashFromBytes(row[12])) return true;
		const previous = this.#hashBefore(seq);
		const next = this.#all(`SELECT ${COLUMNS} FROM event WHERE seq = ?`, seq + 1)[0];
		if (previous === undefined || !next) return false;
		return this.#computedHash(seq + 1, chainHash(previous, fields, text)) === hashFromBytes(next[12]);
	}

	/** Computes an event's hash from its bytes, after the stored hash before it or another one. */
	#computedHash(seq: number, after = this.#hashBefore(seq)): string | undefined {
		const row = this.#all(`SELECT ${COLUMNS} FROM event WHERE seq = ?`, seq)[0];
		if (!row || after === undefined) return undefined;
		try {
			return chainHash(after, this.#fields(row), this.#text(row).text);
		} catch {
			return undefined;
		}
	}

	/** The chain hash before an event: its neighbour's, or what pruning left of it. */
	#hashBefore(seq: number): string | undefined {
		if (seq === 1) return GENESIS;
		const found =
			this.#all<[Uint8Array]>("SELECT hash FROM event WHERE seq = ?", seq - 1)[0] ??
			this.#all<[Uint8Array]>("SELECT hash FROM gap WHERE seq = ? LIMIT 1", seq - 1)[0];
		return found && hashFromBytes(found[0]);
	}

	#fields(row: EventRow): Omit<EventRecord, "payload"> {
		return {
			seq: row[0],
			id: formatUuid(row[1]),
			origin: this.#words.text(row[2]),
			session: this.#words.text(row[3]),
			host: this.#words.text(row[4]),
			ts: row[5],
			type: this.#words.text(row[6]),
			v: row[7],
			cause: row[8],
			entry: row[9],
		};
	}

	#text(row: EventRow): PackedText {
		const payload = row[11];
		if (typeof payload === "string") return { text: payload, isChecked: false };
		if (payload === NOT_A_ROW) throw lostBytes("cannot be read: its row is damaged");
		if (payload === ISOLATED) throw lostBytes("was lost: its bytes were damaged, and no copy of them was found");
		if (typeof payload === "number") return this.#packs.text(row[0], payload, row[10]);
		// The chain proves the text, so the blob is not compared with its own hash.
		const opened = this.#blobs.open(payload);
		if ("lost" in opened) throw lostBytes(`cannot be read: its blob ${opened.lost}`);
		return { text: opened.bytes.toString("utf8"), isChecked: false };
	}

	#all<Result = EventRow>(sql: string, ...values: SQLInputValue[]): Result[] {
		try {
			return all<Result>(this.#statement(sql), ...values);
		} catch (error) {
			throw translateSqliteError(error, this.#path);
		}
	}

	#statement(sql: string): StatementSync {
		let statement = this.#statements.get(sql);
		if (!statement) {
			statement = this.#db.prepare(sql);
			statement.setReturnArrays(true);
			if (this.#statements.size >= 64) this.#statements.clear();
			this.#statements.set(sql, statement);
		}
		return statement;
	}
}

/** A damaged page may give a row columns of any type: keeps those that make sense. */
function sane(row: EventRow): EventRow {
	const [seq, id, origin, session, host, ts, type, v, cause, entry, size, payload, hash] = row;
	const numbers = [origin, session, host, ts, type, v, size];
	const isSane =
		id instanceof Uint8Array &&
		hash instanceof Uint8Array &&
		payload !== null &&
		numbers.every((column) => typeof column === "number") &&
		(cause === null || typeof cause === "number") &&
		(entry === null || typeof entry === "string");
	if (isSane) return row;
	const number = (column: unknown): number => (typeof column === "number" ? column : 0);
	const name = typeof entry === "string" ? entry : null;
	const fields = [number(origin), number(session), number(host), number(ts), number(type), number(v)] as const;
	return [seq, id, ...fields, typeof cause === "number" ? cause : null, name, number(size), NOT_A_ROW, hash];
}

function parse(text: string): AnyPayload | undefined {
	try {
		return JSON.parse(text) as AnyPayload;
	} catch {
		return undefined;
	}
}
