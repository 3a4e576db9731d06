/**
 * One name for one entry. An id is unique in a session, except where a program or a person has made a mistake. Then nothing
 * may get lost: another entry under the same id is named `<id>#2`. The same entry once more adds nothing.
 */
import { crc32 } from "node:zlib";
import { NameMap } from "./name-map.ts";

export class EntryNames {
	/** Name to fingerprint of the entry that bears it. */
	readonly #taken = new NameMap();

	/** Undefined when this very entry has been named before. */
	name(id: string, rawText: string): string | undefined {
		const print = printOf(rawText);
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

/** Length and checksum: two entries under one id that differ have the same by one chance in thousands of millions. */
function printOf(text: string): number {
	return (text.length & 0xfffff) * 0x1_0000_0000 + crc32(text);
}
