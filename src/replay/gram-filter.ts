/**
 * Could a text stand in any of those that were added? Says no only where it is sure, from the sequences of five and eight
 * characters that occurred. In a long session most of what a model writes is new, and need not be looked for at all.
 */
const SIZES = [5, 8] as const;
const BITS = 24;
/** Of a long text, the beginning tells enough. */
const MAX_GRAMS = 64;

export class GramFilter {
	readonly #seen = SIZES.map(() => new Uint8Array(1 << (BITS - 3)));

	add(text: string): void {
		for (const [at, size] of SIZES.entries()) {
			const seen = this.#seen[at]!;
			for (let from = 0; from + size <= text.length; from++) {
				const bit = hashOf(text, from, size);
				seen[bit >>> 3]! |= 1 << (bit & 7);
			}
		}
	}

	mayHold(text: string): boolean {
		return SIZES.every((size, at) => {
			const seen = this.#seen[at]!;
			const last = Math.min(text.length - size, MAX_GRAMS);
			for (let from = 0; from <= last; from++) {
				const bit = hashOf(text, from, size);
				if ((seen[bit >>> 3]! & (1 << (bit & 7))) === 0) return false;
			}
			return true;
		});
	}
}

function hashOf(text: string, from: number, size: number): number {
	let hash = 0x811c9dc5;
	for (let at = from; at < from + size; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	return (hash ^ (hash >>> 15)) >>> (32 - BITS);
}
