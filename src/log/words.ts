import type { DatabaseSync, StatementSync } from "node:sqlite";

/**
 * The dictionary of names that repeat. Ids never change or go away, so they may be remembered; but one that was
 * interned in a transaction that rolled back is gone, hence `forget`.
 */
export class Words {
	readonly #ids = new Map<string, number>();
	readonly #texts = new Map<number, string>();
	readonly #selectId: StatementSync;
	readonly #selectText: StatementSync;
	readonly #insert: StatementSync;

	constructor(db: DatabaseSync) {
		this.#selectId = db.prepare("SELECT id FROM word WHERE text = ?");
		this.#selectText = db.prepare("SELECT text FROM word WHERE id = ?");
		this.#insert = db.prepare("INSERT INTO word (text) VALUES (?) RETURNING id");
	}

	/** The id of a name, or undefined when the log has never seen it. */
	find(text: string): number | undefined {
		const known = this.#ids.get(text);
		if (known !== undefined) return known;
		const row = this.#selectId.get(text) as { id: number } | undefined;
		if (row) this.#remember(row.id, text);
		return row?.id;
	}

	/** The id of a name, making one if needed. Only inside a transaction. */
	intern(text: string): number {
		const known = this.find(text);
		if (known !== undefined) return known;
		const { id } = this.#insert.get(text) as { id: number };
		this.#remember(id, text);
		return id;
	}

	text(id: number): string {
		const known = this.#texts.get(id);
		if (known !== undefined) return known;
		const row = this.#selectText.get(id) as { text: string } | undefined;
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
