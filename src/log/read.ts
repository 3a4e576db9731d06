/** Reading: events by any mix of conditions, in bounded steps, so that a reader never holds back the WAL. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { EngineError } from "../error/engine-error.ts";
import type { AnyPayload, EventRecord } from "../event/types.ts";
import { translateSqliteError } from "../sqlite/busy.ts";
import { all } from "../sqlite/rows.ts";
import type { Blobs } from "./blob.ts";
import { hashFromBytes } from "./chain.ts";
import type { Packs } from "./pack.ts";
import type { ReadQuery } from "./types.ts";
import { formatUuid } from "./uuid.ts";
import type { Words } from "./words.ts";

const STEP_ROWS = 256;
const COLUMNS = "seq, id, origin, session, host, ts, type, v, cause, entry, size, payload, hash";

type Row = [
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
];

/** A record with the text of its payload and its place in the chain, for those who copy or check the log. */
export interface StoredRecord extends Omit<EventRecord, "payload"> {
	readonly text: string;
	/** SHA-256, hex. */
	readonly hash: string;
}

export interface ReaderParts {
	readonly db: DatabaseSync;
	readonly path: string;
	readonly words: Words;
	readonly packs: Packs;
	readonly blobs: Blobs;
}

export class Reader {
	readonly #db: DatabaseSync;
	readonly #path: string;
	readonly #words: Words;
	readonly #packs: Packs;
	readonly #blobs: Blobs;
	readonly #statements = new Map<string, StatementSync>();

	constructor(parts: ReaderParts) {
		this.#db = parts.db;
		this.#path = parts.path;
		this.#words = parts.words;
		this.#packs = parts.packs;
		this.#blobs = parts.blobs;
	}

	*read(query: ReadQuery = {}): Generator<EventRecord> {
		for (const row of this.#rows(query)) yield this.#record(row);
	}

	*readStored(query: ReadQuery = {}): Generator<StoredRecord> {
		for (const row of this.#rows(query)) yield this.#stored(row);
	}

	/** By seq, by id, or by the first characters of an id if they name one event only. */
	get(handle: number | string): EventRecord | undefined {
		const stored = this.getStored(handle);
		if (!stored) return undefined;
		const { text, hash: _, ...fields } = stored;
		return { ...fields, payload: JSON.parse(text) as AnyPayload };
	}

	getStored(handle: number | string): StoredRecord | undefined {
		const row =
			typeof handle === "number"
				? this.#all(`SELECT ${COLUMNS} FROM event WHERE seq = ?`, handle)[0]
				: this.#byId(handle);
		return row && this.#stored(row);
	}

	/** Ids rise with seq, so halving finds the place; an id that came with an export may stand anywhere. */
	#byId(text: string): Row | undefined {
		const prefix = text.replaceAll("-", "").toLowerCase();
		if (!/^[0-9a-f]{6,32}$/.test(prefix)) return undefined;
		const low = Buffer.from(prefix.padEnd(32, "0"), "hex");
		const high = Buffer.from(prefix.padEnd(32, "f"), "hex");
		let rows = this.#all(`SELECT ${COLUMNS} FROM event WHERE seq >= ? ORDER BY seq LIMIT 2`, this.#seqOfId(low)).filter(
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

	*#rows(query: ReadQuery): Generator<Row> {
		const conditions = this.#conditions(query);
		if (!conditions) return;
		const newest = query.order === "newest";
		const sql = `SELECT ${COLUMNS} FROM event WHERE ${newest ? "seq < ?" : "seq > ?"}${conditions.sql}
			ORDER BY seq ${newest ? "DESC" : "ASC"} LIMIT ?`;
		let left = query.limit ?? Number.POSITIVE_INFINITY;
		let at = newest ? Number.MAX_SAFE_INTEGER : (query.after ?? 0);
		while (left > 0) {
			const step = Math.min(left, STEP_ROWS);
			const rows = this.#all(sql, at, ...conditions.values, step);
			yield* rows;
			if (rows.length < step) return;
			left -= rows.length;
			at = rows.at(-1)![0];
		}
	}

	/** Undefined: a name that the log has never seen, so nothing can match. */
	#conditions(query: ReadQuery): { sql: string; values: SQLInputValue[] } | undefined {
		let sql = "";
		const values: SQLInputValue[] = [];
		const add = (condition: string, ...given: SQLInputValue[]) => {
			sql += ` AND ${condition}`;
			values.push(...given);
		};
		if (query.order === "newest" && query.after !== undefined) add("seq > ?", query.after);
		const types = query.types?.map((type) => this.#words.find(type)).filter((id) => id !== undefined);
		if (types?.length === 0) return undefined;
		if (query.session !== undefined) {
			const bounds = this.#sessionBounds(query.session, types);
			if (!bounds) return undefined;
			add("seq BETWEEN ? AND ?", ...bounds);
		}
		if (query.upTo !== undefined) add("seq <= ?", query.upTo);
		if (query.since !== undefined) add("ts >= ?", query.since);
		if (query.until !== undefined) add("ts < ?", query.until);
		for (const column of ["session", "host", "tool"] as const) {
			const name = query[column];
			if (name === undefined) continue;
			const id = this.#words.find(name);
			if (id === undefined) return undefined;
			// Always along seq, never along another index: the rows come in steps, in order.
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
		return { sql, values };
	}

	/** The first and last seq of a session's events, or of those of some types; between them they lie close together. */
	#sessionBounds(session: string, types: readonly number[] | undefined): [number, number] | undefined {
		const id = this.#words.find(session);
		if (id === undefined) return undefined;
		const only = types ? ` AND type IN (${types.map(() => "?").join(", ")})` : "";
		const sql = `SELECT min(seq), max(seq) FROM event INDEXED BY event_entry WHERE session = ?${only}`;
		const [first, last] = this.#all<[number | null, number | null]>(sql, id, ...(types ?? []))[0]!;
		return first === null || last === null ? undefined : [first, last];
	}

	#record(row: Row): EventRecord {
		return { ...this.#fields(row), payload: JSON.parse(this.#text(row)) as AnyPayload };
	}

	#stored(row: Row): StoredRecord {
		return { ...this.#fields(row), text: this.#text(row), hash: hashFromBytes(row[12]) };
	}

	#fields(row: Row): Omit<EventRecord, "payload"> {
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

	#text(row: Row): string {
		const payload = row[11];
		if (typeof payload === "string") return payload;
		if (typeof payload === "number") return this.#packs.text(row[0], payload, row[10]);
		const bytes = this.#blobs.get(payload);
		if (!bytes) throw new EngineError("damaged", `The blob of event ${row[0]} is missing. Run 'weft verify'.`);
		return bytes.toString("utf8");
	}

	#all<Found = Row>(sql: string, ...values: SQLInputValue[]): Found[] {
		try {
			return all<Found>(this.#statement(sql), ...values);
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
