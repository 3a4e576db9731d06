/** The bytes that the proxy holds for all requests together. A request that finds no room passes unseen. */
const MAX_HELD_BYTES = 128 * 1024 * 1024;
/** Of one request: more than a provider takes. */
const MAX_REQUEST_BYTES = 40 * 1024 * 1024;

export class HeldBytes {
	#bytes = 0;

	/** `held`: what the request holds already. False: it may hold no more. */
	take(bytes: number, held: number): boolean {
		if (held + bytes > MAX_REQUEST_BYTES || this.#bytes + bytes > MAX_HELD_BYTES) return false;
		this.#bytes += bytes;
		return true;
	}

	release(bytes: number): void {
		this.#bytes -= bytes;
	}
}
