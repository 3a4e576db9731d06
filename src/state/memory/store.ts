/** The memory files as the log knows them: current bullets, former bullets, and every write. */
import { asList, asObject, asText } from "../../base/json/read.ts";
import type { Log } from "../../log/log.ts";
import { keyOfText } from "./document.ts";

export interface KnownBullet {
	readonly file: string;
	readonly id: string;
	readonly since: number;
	readonly section: string;
	readonly text: string;
	readonly by: string;
	/** seq of the event that brought it. */
	readonly seq: number;
	readonly ts: number;
	/** On probation until then, ms. */
	readonly until: number | null;
	readonly gone: number | null;
	readonly gone_seq: number | null;
	readonly is_forgotten: number;
	readonly replaced_by: string | null;
}

export interface KnownWrite {
	readonly seq: number;
	readonly file: string;
	readonly revision: number;
	readonly ts: number;
	readonly after: string;
}

const COLUMNS = "file, id, since, section, text, by, seq, ts, until, gone, gone_seq, is_forgotten, replaced_by";

const MAX_FORGOTTEN = 1_000;

export class MemoryStore {
	readonly #log: Log;

	constructor(log: Log) {
		this.#log = log;
	}

	/** The newest revision. 0: the file was never written. */
	revision(file: string): number {
		this.#log.foldMissing();
		const sql = "SELECT max(revision) AS revision FROM memory_write WHERE file = ?";
		return this.#log.tables.one<{ revision: number | null }>("memory_write", sql, file)?.revision ?? 0;
	}

	/** The bullets after a revision; by default the newest. */
	bullets(file: string, at = Number.MAX_SAFE_INTEGER): KnownBullet[] {
		this.#log.foldMissing();
		const sql = `SELECT ${COLUMNS} FROM memory_bullet WHERE file = ? AND since <= ? AND (gone IS NULL OR gone > ?)
			ORDER BY since, place`;
		return this.#log.tables.all<KnownBullet>("memory_bullet", sql, file, at, at);
	}

	/** Tells for the bullets of a file when each was written. */
	writtenAt(file: string): (id: string) => number | undefined {
		const seqs = new Map(this.bullets(file).map(({ id, seq }) => [id, seq]));
		return (id) => seqs.get(id);
	}

	/** Every time that a bullet was in a file, the newest first. */
	byId(given: string): KnownBullet[] {
		this.#log.foldMissing();
		// People leave out the prefix that all ids have.
		const id = /^[0-9a-f]+$/.test(given) ? `f-${given}` : given;
		const sql = `SELECT ${COLUMNS} FROM memory_bullet WHERE id = ? OR id LIKE ? ORDER BY seq DESC, id LIMIT 50`;
		return this.#log.tables.all<KnownBullet>("memory_bullet", sql, id, `${id.replaceAll(/[%_]/g, "")}%`);
	}

	/** The newest time that a bullet was in this file. */
	newestIn(file: string, id: string): KnownBullet | undefined {
		const sql = `SELECT ${COLUMNS} FROM memory_bullet WHERE file = ? AND id = ? ORDER BY since DESC LIMIT 1`;
		this.#log.foldMissing();
		return this.#log.tables.one<KnownBullet>("memory_bullet", sql, file, id);
	}

	/** The bullets that a bullet replaced, the newest first. */
	replaced(file: string, id: string): KnownBullet[] {
		const sql = `SELECT ${COLUMNS} FROM memory_bullet WHERE file = ? AND replaced_by = ? AND id <> ? ORDER BY seq DESC`;
		return this.#log.tables.all<KnownBullet>("memory_bullet", sql, file, id, id);
	}

	/** Bullets that replaced another, the newest first. */
	replacements(file: string, limit: number): KnownBullet[] {
		this.#log.foldMissing();
		const sql = `SELECT ${COLUMNS} FROM memory_bullet AS newer WHERE file = ? AND gone IS NULL AND EXISTS (
				SELECT 1 FROM memory_bullet AS older WHERE older.file = newer.file AND older.replaced_by = newer.id AND older.id <> newer.id
			) ORDER BY seq DESC LIMIT ?`;
		return this.#log.tables.all<KnownBullet>("memory_bullet", sql, file, limit);
	}

	/** Bullets that another one replaced, unless their words are in the file again. The newest first. */
	replacedBullets(file: string, limit: number): KnownBullet[] {
		this.#log.foldMissing();
		const sql = `SELECT ${COLUMNS} FROM memory_bullet AS older WHERE file = ? AND gone IS NOT NULL AND replaced_by <> id
			AND NOT EXISTS (SELECT 1 FROM memory_bullet AS now WHERE now.file = older.file AND now.words = older.words AND now.gone IS NULL)
			ORDER BY seq DESC LIMIT ?`;
		return this.#log.tables.all<KnownBullet>("memory_bullet", sql, file, limit);
	}

	/** The user's bullets that later words of the user took away without another in their place, unless they are in the file again. */
	takenBack(file: string, limit: number): KnownBullet[] {
		this.#log.foldMissing();
		const sql = `SELECT ${COLUMNS} FROM memory_bullet AS older WHERE file = ? AND gone IS NOT NULL AND by = 'user'
			AND replaced_by IS NULL AND is_forgotten = 0
			AND NOT EXISTS (SELECT 1 FROM memory_bullet AS now WHERE now.file = older.file AND now.words = older.words AND now.gone IS NULL)
			ORDER BY seq DESC LIMIT ?`;
		return this.#log.tables.all<KnownBullet>("memory_bullet", sql, file, limit);
	}

	/** The handle of the words that a bullet comes from. Undefined: it was written into the file. */
	sourceOf({ id, seq }: Pick<KnownBullet, "id" | "seq">): string | undefined {
		const record = this.#log.get(seq);
		const op = asList(record?.payload["ops"])
			.map(asObject)
			.find((each) => each?.["id"] === id && each["op"] !== "confirm");
		return asText(op?.["source"]);
	}

	/** seq of the words that a bullet comes from; else of the event that wrote it. */
	saidAt(bullet: Pick<KnownBullet, "id" | "seq">): number {
		const source = this.sourceOf(bullet);
		return (source === undefined ? undefined : this.#log.findHandle(source)) ?? bullet.seq;
	}

	/** seq of the newest event that removed these words from a file: by the user, or for others. Undefined: none did. */
	removedAt(file: string, text: string): number | undefined {
		const sql = `SELECT max(gone_seq) AS seq FROM memory_bullet
			WHERE file = ? AND words = ? AND (is_forgotten = 1 OR replaced_by <> id)`;
		return this.#log.tables.one<{ seq: number | null }>("memory_bullet", sql, file, keyOfText(text))?.seq ?? undefined;
	}

	/** True: the user removed these words, and they must not come back by themselves. */
	isForgotten(file: string, text: string): boolean {
		const sql = "SELECT 1 FROM memory_bullet WHERE file = ? AND words = ? AND is_forgotten = 1 LIMIT 1";
		return this.#log.tables.one("memory_bullet", sql, file, keyOfText(text)) !== undefined;
	}

	/**
	 * Texts that the user removed and has not written again, the newest first. A text that was removed from a session's file
	 * alone still counts if MEMORY.md has it.
	 */
	forgottenTexts(): string[] {
		this.#log.foldMissing();
		const sql = `SELECT text, max(seq) FROM memory_bullet WHERE is_forgotten = 1 AND words NOT IN (
				SELECT words FROM memory_bullet WHERE gone IS NULL AND (by = 'user' OR file = 'memory' OR file LIKE 'memory %')
			) GROUP BY words ORDER BY max(seq) DESC LIMIT ?`;
		return this.#log.tables.all<{ text: string }>("memory_bullet", sql, MAX_FORGOTTEN).map(({ text }) => text);
	}

	/** Current bullets of any file with these words. */
	saying(text: string): KnownBullet[] {
		this.#log.foldMissing();
		const sql = `SELECT ${COLUMNS} FROM memory_bullet WHERE words = ? AND gone IS NULL`;
		return this.#log.tables.all<KnownBullet>("memory_bullet", sql, keyOfText(text));
	}

	/** True: a bullet with this id says something else, in any file. */
	isTaken(id: string, text: string): boolean {
		const sql = "SELECT 1 FROM memory_bullet WHERE id = ? AND text <> ? LIMIT 1";
		return this.#log.tables.one("memory_bullet", sql, id, text) !== undefined;
	}

	/** The newest first. */
	writes(options: { readonly file?: string | undefined; readonly limit: number }): KnownWrite[] {
		this.#log.foldMissing();
		const where = options.file === undefined ? "" : "WHERE file = ?";
		const sql = `SELECT seq, file, revision, ts, after FROM memory_write ${where} ORDER BY seq DESC LIMIT ?`;
		const values = options.file === undefined ? [options.limit] : [options.file, options.limit];
		return this.#log.tables.all<KnownWrite>("memory_write", sql, ...values);
	}

	/** Files that were ever written, the last written first. */
	files(): { readonly file: string; readonly revision: number; readonly ts: number }[] {
		this.#log.foldMissing();
		const sql =
			"SELECT file, max(revision) AS revision, max(ts) AS ts FROM memory_write GROUP BY file ORDER BY max(seq) DESC";
		return this.#log.tables.all("memory_write", sql);
	}
}
