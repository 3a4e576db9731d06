import { randomFillSync } from "node:crypto";

const MS_PER_DAY = 86_400_000;

/**
 * Makes UUIDv7 ids (RFC 9562) that rise from event to event, whichever process writes: the next id is later than the
 * one at the log's head, by the clock or else by the 12-bit counter behind the time. So the log is sorted by id, and an
 * id is found by halving, without an index that every append would have to pay for.
 */
export class UuidSource {
	readonly #pool = new Uint8Array(8 * 256);
	#used = this.#pool.length;

	next(nowMs: number, head: Uint8Array | undefined): Uint8Array {
		let ms = nowMs;
		let counter = 0;
		const before = head && timeOf(head);
		// An id that claims to be from far ahead came from elsewhere, with an export: ours do not follow it.
		if (before && before.ms >= nowMs && before.ms < nowMs + MS_PER_DAY) {
			ms = before.counter === 0xfff ? before.ms + 1 : before.ms;
			counter = before.counter === 0xfff ? 0 : before.counter + 1;
		}
		return this.#make(ms, counter);
	}

	#make(ms: number, counter: number): Uint8Array {
		if (this.#used === this.#pool.length) {
			randomFillSync(this.#pool);
			this.#used = 0;
		}
		const id = new Uint8Array(16);
		const high = Math.floor(ms / 0x10000);
		id[0] = high >>> 24;
		id[1] = high >>> 16;
		id[2] = high >>> 8;
		id[3] = high;
		id[4] = (ms % 0x10000) >>> 8;
		id[5] = ms;
		id[6] = 0x70 | (counter >>> 8);
		id[7] = counter;
		for (let n = 0; n < 8; n++) id[8 + n] = this.#pool[this.#used++]!;
		id[8] = 0x80 | (id[8]! & 0x3f);
		return id;
	}
}

function timeOf(id: Uint8Array): { ms: number; counter: number } | undefined {
	if (id[6]! >>> 4 !== 7) return undefined;
	const ms = (((id[0]! << 8) | id[1]!) * 0x10000 + ((id[2]! << 8) | id[3]!)) * 0x10000 + ((id[4]! << 8) | id[5]!);
	return { ms, counter: ((id[6]! & 0xf) << 8) | id[7]! };
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
