/**
 * Bytes of the user's files, kept before a command could overwrite or remove them. Small ones are blobs, large ones are
 * copies of the file in a folder beside the log. No event needs them, so the oldest can leave when there are too many.
 */
import { hash } from "node:crypto";
import { constants, copyFileSync, existsSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { linkObjects, writeKeptRef } from "../../base/git/linked-objects.ts";
import { all, one } from "../../base/sqlite/rows.ts";
import { makePrivateFolder } from "../home.ts";
import { parseHash } from "./blob.ts";
import { hashFromBytes } from "./chain.ts";

export interface KeptBytesOptions {
	readonly db: DatabaseSync;
	/** For copies. */
	readonly folder: string;
	readonly put: (bytes: Uint8Array) => Uint8Array;
	readonly transaction: <T>(work: () => T) => T;
}

export interface KeepingFor {
	readonly session: string;
	/** ms since the epoch. */
	readonly now: number;
}

/** A copy must leave this much of the disk free. */
const MIN_FREE_BYTES = 1024 * 1024 * 1024;
const EVICTED_AT_ONCE = 256;

export class KeptBytes {
	readonly #options: KeptBytesOptions;
	#find: StatementSync | undefined;

	constructor(options: KeptBytesOptions) {
		this.#options = options;
	}

	/** Keeps bytes as a blob; returns their SHA-256. */
	put(bytes: Uint8Array, of: KeepingFor): string {
		const { put, db } = this.#options;
		const key = put(bytes);
		const stored = one<{ size: number }>(db.prepare("SELECT length(data) AS size FROM blob WHERE hash = ?"), key);
		this.#note(key, stored?.size ?? bytes.byteLength, of, null);
		return hashFromBytes(key);
	}

	/** Copies a file that is too large for a blob; undefined: the disk has no room for it, or it cannot be read. */
	copy(path: string, name: string, of: KeepingFor): string | undefined {
		const { folder } = this.#options;
		const target = join(folder, name);
		try {
			if (!existsSync(target)) {
				makePrivateFolder(folder);
				const partial = `${target}.${process.pid}`;
				try {
					copyWithRoom(path, partial, folder);
					renameSync(partial, target);
				} finally {
					rmSync(partial, { force: true });
				}
			}
			this.#note(hash("sha256", name, "buffer"), statSync(target).size, of, name);
			return name;
		} catch {
			return undefined;
		}
	}

	/**
	 * Keeps all commits of a git folder, by hard links. `named`: of these, those that no branch has; each gets a ref. False: they
	 * cannot be linked, or take more than `maxBytes`.
	 */
	linkCommits(gitFolder: string, maxBytes: number, of: KeepingFor, named: readonly string[] = []): boolean {
		const name = commitsName(gitFolder);
		makePrivateFolder(this.#options.folder);
		const target = join(this.#options.folder, name);
		const size = linkObjects(gitFolder, target, maxBytes);
		if (size === undefined) return false;
		for (const commit of named) writeKeptRef(target, commit);
		this.#note(hash("sha256", name, "buffer"), size, of, name);
		return true;
	}

	/** The folder with the linked commits of a git folder; undefined: none, or they have left. */
	linkedCommits(gitFolder: string): string | undefined {
		return this.copyPath(commitsName(gitFolder));
	}

	/** False: the bytes have left, to make room. */
	has(sha256: string): boolean {
		this.#find ??= this.#options.db.prepare("SELECT 1 FROM kept WHERE hash = ?");
		const key = parseHash(sha256);
		return key !== undefined && this.#find.get(key) !== undefined;
	}

	/** The path of a copy; undefined: it has left. */
	copyPath(name: string): string | undefined {
		if (!/^[0-9a-f]+$/.test(name)) return undefined;
		const path = join(this.#options.folder, name);
		return existsSync(path) ? path : undefined;
	}

	/** Bytes that they take on disk. */
	size(): number {
		const { db } = this.#options;
		return one<{ size: number | null }>(db.prepare("SELECT sum(size) AS size FROM kept"))?.size ?? 0;
	}

	/** Removes the oldest until the rest takes at most `maxBytes`; none that was kept at `now` or later. */
	evict(maxBytes: number, now: number): void {
		const { db, transaction } = this.#options;
		const oldest = db.prepare("SELECT hash, size, copy FROM kept WHERE at < ? ORDER BY at LIMIT ?");
		for (let size = this.size(); size > maxBytes; ) {
			const leaving: KeptRow[] = [];
			for (const row of all<KeptRow>(oldest, now, EVICTED_AT_ONCE)) {
				if (size <= maxBytes) break;
				leaving.push(row);
				size -= row.size;
			}
			if (leaving.length === 0) return;
			transaction(() => this.#remove(leaving));
		}
	}

	/** Removes all that was kept for these sessions. */
	forget(sessions: readonly string[]): void {
		const { db, transaction } = this.#options;
		const places = sessions.map(() => "?").join(", ");
		const rows = all<KeptRow>(
			db.prepare(`SELECT hash, size, copy FROM kept WHERE session IN (${places})`),
			...sessions,
		);
		transaction(() => this.#remove(rows));
	}

	#remove(rows: readonly KeptRow[]): void {
		const { db, folder } = this.#options;
		const drop = db.prepare("DELETE FROM kept WHERE hash = ?");
		const free = db.prepare("DELETE FROM blob WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM blob_use WHERE hash = ?1)");
		for (const row of rows) {
			drop.run(row.hash);
			if (row.copy === null) free.run(row.hash);
			else rmSync(join(folder, row.copy), { recursive: true, force: true });
		}
	}

	#note(key: Uint8Array, size: number, { session, now }: KeepingFor, copy: string | null): void {
		this.#options.db
			.prepare(
				`INSERT INTO kept (hash, size, at, session, copy) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (hash) DO UPDATE SET size = excluded.size, at = excluded.at, session = excluded.session`,
			)
			.run(key, size, now, session, copy);
	}
}

function commitsName(gitFolder: string): string {
	return hash("sha256", `commits\0${gitFolder}`, "hex").slice(0, 32);
}

interface KeptRow {
	readonly hash: Uint8Array;
	readonly size: number;
	readonly copy: string | null;
}

/** A disk that shares blocks between files copies at once and takes no room. */
function copyWithRoom(from: string, to: string, folder: string): void {
	try {
		copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE);
		return;
	} catch {
		rmSync(to, { force: true });
	}
	const { bavail, bsize } = statfsSync(folder);
	if (bavail * bsize < statSync(from).size + MIN_FREE_BYTES) throw new Error("There is no room for a copy.");
	copyFileSync(from, to);
}
