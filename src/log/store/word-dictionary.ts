import type { DatabaseSync, StatementSync } from "node:sqlite";
import { prepareLater } from "../../base/sqlite/lazy-statement.ts";
import { one } from "../../base/sqlite/rows.ts";

/**
 * The dictionary of names that repeat. Ids never change or go away, so they may be remembered; but one that was
 * interned in a transaction that rolled back is gone, hence `forget`.
 */
export class WordDictionary {
	readonly #ids = new Map<string, number>();
	readonly #texts = new Map<number, string>();
	readonly #selectId: () => StatementSync;
	readonly #selectText: () => StatementSync;
	readonly #insert: () => StatementSync;

	constructor(db: DatabaseSync) {
		this.#selectId = prepareLater(db, "SELECT id FROM word WHERE text = ?");
		this.#selectText = prepareLater(db, "SELECT text FROM word WHERE id = ?");
		this.#insert = prepareLater(db, "INSERT INTO word (text) VALUES (?) RETURNING id");
	}

	/** The id of a name, or undefined when the log has never seen it. */
	find(text: string): number | undefined {
		const known = this.#ids.get(text);
		if (known !== undefined) return known;
		const row = one<{ id: number }>(this.#selectId(), text);
		if (row) this.#remember(row.id, text);
		return row?.id;
	}

	/** The id of a name, making one if needed. Only inside a transaction. */
	intern(text: string): number {
		const known = this.find(text);
		if (known !== undefined) return known;
		const { id } = one<{ id: number }>(this.#insert(), text)!;
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

	/** A log of a hundred thousand files must not be held in memory whole. */
	#remember(id: number, text: string): void {
		if (this.#ids.size >= 20_000) this.forget();
		this.#ids.set(text, id);
		this.#texts.set(id, text);
	}
}
