/**
 * Gives each entry of a session a name. Ids are unique unless a program or a person made a mistake; then nothing may get
 * lost: a different entry with the same id is named `<id>#2`. The same entry again adds nothing.
 */
import { crc32 } from "node:zlib";

export class EntryNames {
	/** Name to the checksum of its entry. */
	readonly #checksums = new Map<string, number>();

	/** Undefined: this very entry has a name already. */
	name(id: string, rawText: string): string | undefined {
		const checksum = checksumOf(rawText);
		for (let count = 1; ; count++) {
			const name = count === 1 ? id : `${id}#${count}`;
			const known = this.#checksums.get(name);
			if (known === checksum) return undefined;
			if (known !== undefined) continue;
			this.#checksums.set(name, checksum);
			return name;
		}
	}
}

/** 32 bits, which V8 stores inside the map. Two different entries with one id collide by a chance of one in four billion. */
function checksumOf(text: string): number {
	return crc32(text) | 0;
}
