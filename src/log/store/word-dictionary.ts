import type { DatabaseSync, StatementSync } from "node:sqlite";
import { one, only, prepareLazily } from "../../base/sqlite/rows.ts";

const MAX_CACHED_WORDS = 20_000;

/**
 * The ids of names that repeat. An id never changes, so it may be cached; only a rollback takes back those interned in its
 * transaction, hence `forget`.
 */
export class WordDictionary {
	readonly #ids = new Map<string, number>();
	readonly #texts = new Map<number, string>();
	readonly #selectId: () => StatementSync;
	readonly #selectText: () => StatementSync;
	readonly #insert: () => StatementSync;

	constructor(db: DatabaseSync) {
		this.#selectId = prepareLazily(db, "SELECT id FROM word WHERE text = ?");
		this.#selectText = prepareLazily(db, "SELECT text FROM word WHERE id = ?");
		this.#insert = prepareLazily(db, "INSERT INTO word (text) VALUES (?) RETURNING id");
	}

	/** Undefined: the log has never seen the name. */
	find(text: string): number | undefined {
		const known = this.#ids.get(text);
		if (known !== undefined) return known;
		const row = one<{ id: number }>(this.#selectId(), text);
		if (row) this.#remember(row.id, text);
		return row?.id;
	}

	/** Creates the id if needed. Only inside a transaction. */
	intern(text: string): number {
		const known = this.find(text);
		if (known !== undefined) return known;
		const { id } = only<{ id: number }>(this.#insert(), text);
		this.#remember(id, text);
		return id;
	}

	text(id: number): string {
		const known = this.#texts.get(id);
		if (known !== undefined) return known;
		const row = one<{ text: string }>(this.#selectText(), id);
		if (!row) return `?${id}`;
		this.#remember(id, row.text);
		return row.text;
	}

	forget(): void {
		this.#ids.clear();
		this.#texts.clear();
	}

	/** Bounded: a log may name a hundred thousand files. */
	#remember(id: number, text: string): void {
		if (this.#ids.size >= MAX_CACHED_WORDS) this.forget();
		this.#ids.set(text, id);
		this.#texts.set(id, text);
	}
}
