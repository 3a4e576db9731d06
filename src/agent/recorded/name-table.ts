/**
 * What is remembered of each line of a session, in a few bytes outside of the heap: a file may have millions of lines, and
 * a `Map` of texts takes some two hundred bytes for each. Names are known by their prints: none comes back from here.
 */
const FIRST_SLOTS = 256;

type Column = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** `makeColumn`: a number beside each name; undefined: the names alone. */
export class NameTable {
	/** Open addressing; 0: nobody is there. */
	#slots = new Float64Array(FIRST_SLOTS);
	#column: Column | undefined;
	#size = 0;
	readonly #makeColumn: ((length: number) => Column) | undefined;

	constructor(makeColumn?: (length: number) => Column) {
		this.#makeColumn = makeColumn;
		this.#column = makeColumn?.(FIRST_SLOTS);
	}

	has(name: string): boolean {
		return this.#slots[this.#placeOf(printOf(name))] !== 0;
	}

	get(name: string): number | undefined {
		const at = this.#placeOf(printOf(name));
		return this.#slots[at] === 0 ? undefined : this.#column?.[at];
	}

	/** False: it was there; it has this value from now on. */
	set(name: string, value: number): boolean {
		const print = printOf(name);
		const at = this.#placeOf(print);
		if (this.#column) this.#column[at] = value;
		if (this.#slots[at] !== 0) return false;
		this.#slots[at] = print;
		if (++this.#size * 5 > this.#slots.length * 4) this.#grow();
		return true;
	}

	/** Where it is, or where there is room for it. */
	#placeOf(print: number): number {
		const slots = this.#slots;
		let at = print % slots.length;
		while (slots[at] !== 0 && slots[at] !== print) at = at + 1 === slots.length ? 0 : at + 1;
		return at;
	}

	/** By half: a large table is not left half empty. */
	#grow(): void {
		const [slots, column] = [this.#slots, this.#column];
		const length = slots.length + (slots.length >> 1);
		this.#slots = new Float64Array(length);
		this.#column = this.#makeColumn?.(length);
		for (let from = 0; from < slots.length; from++) {
			const print = slots[from]!;
			if (print === 0) continue;
			const to = this.#placeOf(print);
			this.#slots[to] = print;
			if (this.#column) this.#column[to] = column![from]!;
		}
	}
}

/** 53 bits, as many as a number holds exactly, of two mixes of 32 (cyrb53). Never 0. */
export function printOf(name: string): number {
	let one = 0xdeadbeef;
	let other = 0x41c6ce57;
	for (let at = 0; at < name.length; at++) {
		const unit = name.charCodeAt(at);
		one = Math.imul(one ^ unit, 0x9e3779b1);
		other = Math.imul(other ^ unit, 0x5f356495);
	}
	one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
	other = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
	return (other & 0x1fffff) * 0x1_0000_0000 + (one >>> 0) || 1;
}
