/**
 * One name for one entry. An id is unique in a session, except where a program or a person has made a mistake. Then nothing
 * may get lost: another entry under the same id is named `<id>#2`. The same entry once more adds nothing.
 */
import { sha256 } from "../hash/sha256.ts";

export class EntryNames {
	/** Name to fingerprint of the entry that bears it. */
	readonly #taken = new Map<string, number>();

	/** Undefined when this very entry has been named before. */
	name(id: string, rawText: string): string | undefined {
		const print = Number.parseInt(sha256(rawText).slice(0, 12), 16);
		for (let count = 1; ; count++) {
			const name = count === 1 ? id : `${id}#${count}`;
			const taken = this.#taken.get(name);
			if (taken === print) return undefined;
			if (taken !== undefined) continue;
			this.#taken.set(name, print);
			return name;
		}
	}
}
