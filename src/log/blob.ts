import { hash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { all, one } from "../sqlite/rows.ts";

/** Bytes too big for an event, by SHA-256, stored once. */
export class Blobs {
	readonly #insert: StatementSync;
	readonly #select: StatementSync;
	readonly #exists: StatementSync;
	readonly #use: StatementSync;
	readonly #list: StatementSync;

	constructor(db: DatabaseSync) {
		this.#insert = db.prepare("INSERT INTO blob (hash, size, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
		this.#select = db.prepare("SELECT size, data FROM blob WHERE hash = ?");
		this.#exists = db.prepare("SELECT 1 FROM blob WHERE hash = ?");
		this.#list = db.prepare(
			"SELECT lower(hex(hash)) AS name FROM blob WHERE hash BETWEEN ? AND ? ORDER BY hash LIMIT ?",
		);
		this.#use = db.prepare("INSERT INTO blob_use (hash, seq) VALUES (?, ?) ON CONFLICT DO NOTHING");
	}

	/** Stores the bytes if they are new; returns their hash. */
	put(bytes: Uint8Array): Uint8Array {
		const key = hash("sha256", bytes, "buffer");
		if (!this.#exists.get(key)) this.#insert.run(key, bytes.byteLength, zstdCompressSync(bytes));
		return key;
	}

	get(key: Uint8Array): Buffer | undefined {
		const row = one<{ size: number; data: Uint8Array }>(this.#select, key);
		return row && zstdDecompressSync(row.data, { chunkSize: Math.max(row.size, 64) });
	}

	/** Hashes in hex, in order, of those that begin with these digits. */
	list(prefix: string, limit: number): string[] {
		const [low, high] = ["0", "f"].map((digit) => Buffer.from(prefix.padEnd(64, digit), "hex"));
		return all<{ name: string }>(this.#list, low!, high!, limit).map(({ name }) => name);
	}

	/** Notes that an event needs the blob, so that it is kept as long as the event is. False: there is no such blob. */
	use(key: Uint8Array, seq: number): boolean {
		if (!this.#exists.get(key)) return false;
		this.#use.run(key, seq);
		return true;
	}
}

/** The 32 bytes of a SHA-256 in hex, or undefined. */
export function parseHash(text: unknown): Uint8Array | undefined {
	return typeof text === "string" && /^[0-9a-f]{64}$/.test(text) ? new Uint8Array(Buffer.from(text, "hex")) : undefined;
}
