/** Maps whose keys are names of lines: to a number, to another name, and a list of names. See `name-table.ts`. */
import { NameTable } from "./name-table.ts";

/** To any number. */
export class NameMap {
	readonly #table = new NameTable((length) => new Float64Array(length));

	get(name: string): number | undefined {
		return this.#table.get(name);
	}

	set(name: string, value: number): void {
		this.#table.set(name, value);
	}
}

const NOTHING = 0;
const ITSELF = 1;
const FIRST_PLACE = 2;

/** To a name, which comes back: another one, the same, or none. */
export class NameLinks {
	readonly #table = new NameTable((length) => new Uint32Array(length));
	readonly #names: NameList;

	/** `names`: what the names are kept in, where several maps give the same ones. */
	constructor(names = new NameList()) {
		this.#names = names;
	}

	has(name: string): boolean {
		return this.#table.has(name);
	}

	get(name: string): string | undefined {
		const value = this.#table.get(name) ?? NOTHING;
		if (value === NOTHING) return undefined;
		return value === ITSELF ? name : this.#names.at(value - FIRST_PLACE);
	}

	set(name: string, to: string | undefined): void {
		if (to === undefined || to === name) {
			this.#table.set(name, to === undefined ? NOTHING : ITSELF);
			return;
		}
		// Lines that follow each other have the same message before them.
		if (this.#names.last !== to) this.#names.push(to);
		this.#table.set(name, this.#names.length - 1 + FIRST_PLACE);
	}
}

const CHUNK_BYTES = 256 * 1_024;
/** Most sessions are short. */
const FIRST_CHUNK_BYTES = 1_024;
const HEAD_BYTES = 4;

/** Names by their number, from 0. */
export class NameList {
	/** Each name as its bytes, after their number and whether they are Latin-1. */
	readonly #chunks: Buffer[] = [];
	/** Where the last chunk is free. */
	#free = 0;
	#starts = new Uint32Array(256);
	#length = 0;

	get length(): number {
		return this.#length;
	}

	get last(): string | undefined {
		return this.at(this.#length - 1);
	}

	at(number: number): string | undefined {
		if (number < 0 || number >= this.#length) return undefined;
		const start = this.#starts[number]!;
		const chunk = this.#chunks[Math.floor(start / CHUNK_BYTES)]!;
		const from = (start % CHUNK_BYTES) + HEAD_BYTES;
		const head = chunk.readUInt32LE(from - HEAD_BYTES);
		return chunk.toString(head % 2 === 0 ? "latin1" : "utf16le", from, from + (head >>> 1));
	}

	push(name: string): void {
		if (this.#length === this.#starts.length) {
			const starts = new Uint32Array(this.#length + (this.#length >> 1));
			starts.set(this.#starts);
			this.#starts = starts;
		}
		this.#starts[this.#length++] = this.#write(name);
	}

	/** Gives another name to a number that is there. */
	replace(number: number, name: string): void {
		if (this.at(number) !== name) this.#starts[number] = this.#write(name);
	}

	#write(name: string): number {
		const isLatin = !NOT_LATIN.test(name);
		const bytes = isLatin ? name.length : name.length * 2;
		const chunk = this.#chunkFor(HEAD_BYTES + bytes);
		const start = this.#free;
		chunk.writeUInt32LE(bytes * 2 + (isLatin ? 0 : 1), start);
		chunk.write(name, start + HEAD_BYTES, isLatin ? "latin1" : "utf16le");
		this.#free += HEAD_BYTES + bytes;
		return (this.#chunks.length - 1) * CHUNK_BYTES + start;
	}

	/** The last chunk, with room for so many bytes. */
	#chunkFor(bytes: number): Buffer {
		const last = this.#chunks.at(-1);
		const end = this.#free + bytes;
		if (last && end <= last.length) return last;
		if (last && end <= CHUNK_BYTES) {
			const larger = Buffer.alloc(Math.min(CHUNK_BYTES, Math.max(last.length * 2, end)));
			last.copy(larger);
			this.#chunks[this.#chunks.length - 1] = larger;
			return larger;
		}
		const next = Buffer.alloc(Math.max(last ? CHUNK_BYTES : FIRST_CHUNK_BYTES, bytes));
		this.#chunks.push(next);
		this.#free = 0;
		return next;
	}
}

const NOT_LATIN = /[\u0100-\uffff]/;
