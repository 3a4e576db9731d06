import { sha256 } from "../hash/sha256.ts";

/** Names that were seen, in a few bytes each: a file may have millions of lines. */
export class NameSet {
	readonly #prints = new Set<number>();

	has(name: string): boolean {
		return this.#prints.has(printOf(name));
	}

	/** False: it was there. */
	add(name: string): boolean {
		const before = this.#prints.size;
		return this.#prints.add(printOf(name)).size > before;
	}
}

/** 52 bits: as many as a number holds exactly, in whole hex digits. */
function printOf(name: string): number {
	return Number.parseInt(sha256(name).slice(0, 13), 16);
}
