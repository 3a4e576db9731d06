/** Searches bytes that come in parts for texts, also across the seam of two parts. */
export class SignScan {
	readonly #signs: readonly Buffer[];
	/** The end of the earlier parts, one byte shorter than the longest text. */
	#seam: Buffer = EMPTY;
	isFound = false;

	constructor(signs: readonly Buffer[]) {
		this.#signs = signs;
	}

	take(chunk: Buffer): void {
		if (this.isFound) return;
		const most = this.#signs.reduce((longest, { length }) => Math.max(longest, length), 1) - 1;
		this.isFound =
			this.#isIn(chunk) || (this.#seam.length > 0 && this.#isIn(Buffer.concat([this.#seam, chunk.subarray(0, most)])));
		// A part may be shorter than a text.
		const end = chunk.length < most ? Buffer.concat([this.#seam, chunk]) : chunk;
		this.#seam = end.subarray(Math.max(0, end.length - most));
	}

	#isIn(bytes: Buffer): boolean {
		return this.#signs.some((sign) => bytes.includes(sign));
	}
}

const EMPTY: Buffer = Buffer.alloc(0);
