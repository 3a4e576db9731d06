import { hash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { all, one, prepareLazily } from "../../base/sqlite/rows.ts";
import { hashFromBytes } from "./chain.ts";
import { deflate, type Inflated, inflate } from "./compress.ts";

/** Blobs that no event names yet are also held in memory, up to this. */
const MAX_HELD_BYTES = 64_000_000;
const MAX_PROVED_BLOBS = 10_000;

/** `lost`: why the bytes cannot be read, as a predicate that follows the blob's name. */
export type OpenedBlob = Inflated | { readonly lost: string; readonly isMissing: boolean };

/** Bytes too big for an event, stored once by SHA-256. `read` returns only bytes with that hash. */
export class Blobs {
	readonly #insert: () => StatementSync;
	readonly #select: () => StatementSync;
	readonly #exists: () => StatementSync;
	readonly #replace: () => StatementSync;
	readonly #use: () => StatementSync;
	readonly #list: () => StatementSync;
	readonly #held = new Map<string, Uint8Array>();
	#heldBytes = 0;
	/** Blobs whose bytes this process has compared with their hash. */
	readonly #proved = new Set<string>();

	constructor(db: DatabaseSync) {
		this.#insert = prepareLazily(db, "INSERT INTO blob (hash, size, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
		this.#select = prepareLazily(db, "SELECT size, data FROM blob WHERE hash = ?");
		this.#exists = prepareLazily(db, "SELECT 1 FROM blob WHERE hash = ?");
		this.#replace = prepareLazily(db, "UPDATE blob SET size = ?, data = ? WHERE hash = ?");
		this.#list = prepareLazily(
			db,
			"SELECT lower(hex(hash)) AS name FROM blob WHERE hash BETWEEN ? AND ? ORDER BY hash LIMIT ?",
		);
		this.#use = prepareLazily(db, "INSERT INTO blob_use (hash, seq) VALUES (?, ?) ON CONFLICT DO NOTHING");
	}

	/** Stores the bytes if they are new or the stored ones are damaged; returns their hash. */
	put(bytes: Uint8Array): Uint8Array {
		const key = hash("sha256", bytes, "buffer");
		if (!this.#exists().get(key)) this.#insert().run(key, bytes.byteLength, deflate(bytes));
		else if ("lost" in this.read(key)) this.#replace().run(bytes.byteLength, deflate(bytes), key);
		return key;
	}

	/** Compares the bytes with their hash once; after that the checksum is enough. */
	read(key: Uint8Array): OpenedBlob {
		const opened = this.open(key);
		if ("lost" in opened) return opened;
		const name = hashFromBytes(key);
		if (opened.isChecked && this.#proved.has(name)) return opened;
		if (hash("sha256", opened.bytes, "hex") !== name) {
			return { lost: "is not what was written: its hash does not fit", isMissing: false };
		}
		if (this.#proved.size >= MAX_PROVED_BLOBS) this.#proved.clear();
		this.#proved.add(name);
		return opened;
	}

	/** Forgets which blobs were compared with their hash. */
	forget(): void {
		this.#proved.clear();
	}

	/** The bytes as stored, for callers that prove them another way. */
	open(key: Uint8Array): OpenedBlob {
		const row = one<{ size: number; data: Uint8Array }>(this.#select(), key);
		if (!row) return { lost: "is missing", isMissing: true };
		if (row.data.length === 0) {
			return { lost: "was lost: its bytes were damaged, and no copy of them was found", isMissing: false };
		}
		try {
			return inflate(row.data, row.size);
		} catch {
			return { lost: "is damaged", isMissing: false };
		}
	}

	/** Hex hashes that begin with these digits, in order. */
	list(prefix: string, limit: number): string[] {
		const pad = (digit: string) => Buffer.from(prefix.padEnd(64, digit), "hex");
		return all<{ name: string }>(this.#list(), pad("0"), pad("f"), limit).map(({ name }) => name);
	}

	/**
	 * Records that an event needs the blob, which is then kept as long as the event. False: there is no such blob. A blob that
	 * another process pruned after `put` is stored again.
	 */
	use(key: Uint8Array, seq: number): boolean {
		const held = this.#held.get(hashFromBytes(key));
		if (!this.#exists().get(key)) {
			if (!held || Buffer.compare(this.put(held), key) !== 0) return false;
		}
		this.#use().run(key, seq);
		this.#release(key);
		return true;
	}

	/** Keeps bytes in memory until an event names them, in case another process prunes them first. */
	hold(key: Uint8Array, bytes: Uint8Array): void {
		this.#release(key);
		this.#held.set(hashFromBytes(key), bytes);
		this.#heldBytes += bytes.byteLength;
		for (const [oldest, { byteLength }] of this.#held) {
			if (this.#heldBytes <= MAX_HELD_BYTES || this.#held.size === 1) return;
			this.#held.delete(oldest);
			this.#heldBytes -= byteLength;
		}
	}

	#release(key: Uint8Array): void {
		const name = hashFromBytes(key);
		this.#heldBytes -= this.#held.get(name)?.byteLength ?? 0;
		this.#held.delete(name);
	}
}

/** The 32 bytes of a SHA-256 in hex, or undefined. */
export function parseHash(text: unknown): Uint8Array | undefined {
	return typeof text === "string" && /^[0-9a-f]{64}$/.test(text) ? new Uint8Array(Buffer.from(text, "hex")) : undefined;
}
