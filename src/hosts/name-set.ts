const FIRST_SLOTS = 1_024;

/** Names that were seen, in some twelve bytes each: a file may have millions of lines. A `Set` takes five times as much. */
export class NameSet {
	/** Open addressing; 0: nobody is there. */
	#slots = new Float64Array(FIRST_SLOTS);
	#size = 0;

	has(name: string): boolean {
		return this.#slots[this.#placeOf(printOf(name))] !== 0;
	}

	/** False: it was there. */
	add(name: string): boolean {
		const print = printOf(name);
		const at = this.#placeOf(print);
		if (this.#slots[at] !== 0) return false;
		this.#slots[at] = print;
		if (++this.#size * 3 > this.#slots.length * 2) this.#grow();
		return true;
	}

	/** Where it is, or where there is room for it. */
	#placeOf(print: number): number {
		const slots = this.#slots;
		let at = print % slots.length;
		while (slots[at] !== 0 && slots[at] !== print) at = (at + 1) % slots.length;
		return at;
	}

	#grow(): void {
		const before = this.#slots;
		this.#slots = new Float64Array(before.length * 2);
		for (const print of before) if (print !== 0) this.#slots[this.#placeOf(print)] = print;
	}
}

/** 53 bits, as many as a number holds exactly, of two mixes of 32 (cyrb53). Never 0. */
function printOf(name: string): number {
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
