import { randomFillSync } from "node:crypto";

/** Makes UUIDv7 ids (RFC 9562) that rise even within a millisecond: the 12 bits after the time are a counter. */
export class UuidSource {
	readonly #pool = new Uint8Array(8 * 256);
	#used = this.#pool.length;
	#lastMs = 0;
	#counter = 0;

	next(nowMs: number): Uint8Array {
		if (nowMs > this.#lastMs) {
			this.#lastMs = nowMs;
			this.#counter = 0;
		} else if (++this.#counter > 0xfff) {
			this.#lastMs++;
			this.#counter = 0;
		}
		if (this.#used === this.#pool.length) {
			randomFillSync(this.#pool);
			this.#used = 0;
		}
		const id = new Uint8Array(16);
		const high = Math.floor(this.#lastMs / 0x10000);
		const low = this.#lastMs % 0x10000;
		id[0] = high >>> 24;
		id[1] = high >>> 16;
		id[2] = high >>> 8;
		id[3] = high;
		id[4] = low >>> 8;
		id[5] = low;
		id[6] = 0x70 | (this.#counter >>> 8);
		id[7] = this.#counter;
		id.set(this.#pool.subarray(this.#used, this.#used + 8), 8);
		id[8] = 0x80 | (id[8]! & 0x3f);
		this.#used += 8;
		return id;
	}
}

export function formatUuid(bytes: Uint8Array): string {
	const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The 16 bytes of a UUID in its usual spelling, or undefined. */
export function parseUuid(text: string): Uint8Array | undefined {
	const hex = text.replaceAll("-", "");
	return /^[0-9a-f]{32}$/i.test(hex) ? new Uint8Array(Buffer.from(hex, "hex")) : undefined;
}
