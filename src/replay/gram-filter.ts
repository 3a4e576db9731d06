/**
 * A Bloom filter over sequences of five and eight characters: could one of the added texts contain this one? A no is
 * certain. In a long session most of what a model writes is new, and then needs no search at all.
 */
const SIZES = [5, 8] as const;
const BITS = 24;
/** The beginning of a long text is enough. */
const MAX_GRAMS = 64;

export class GramFilter {
	readonly #grams = SIZES.map((size) => ({ size, seen: new Uint8Array(1 << (BITS - 3)) }));

	add(text: string): void {
		for (const { size, seen } of this.#grams) {
			for (let from = 0; from + size <= text.length; from++) {
				const bit = hashOf(text, from, size);
				seen[bit >>> 3] = (seen[bit >>> 3] ?? 0) | (1 << (bit & 7));
			}
		}
	}

	mayHold(text: string): boolean {
		return this.#grams.every(({ size, seen }) => {
			const last = Math.min(text.length - size, MAX_GRAMS);
			for (let from = 0; from <= last; from++) {
				const bit = hashOf(text, from, size);
				if (((seen[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
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
