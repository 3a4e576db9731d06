import { NameTable } from "./name-table.ts";

/** Names that were seen, in some twelve bytes each. */
export class NameSet {
	readonly #table = new NameTable();

	has(name: string): boolean {
		return this.#table.has(name);
	}

	/** False: it was there. */
	add(name: string): boolean {
		return this.#table.set(name, 0);
	}
}
