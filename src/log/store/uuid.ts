import { randomFillSync } from "node:crypto";

const RANDOM_BYTES = 8;

/** An id as the log stores it, and as people see it. */
export interface Uuid {
	readonly bytes: Uint8Array;
	readonly text: string;
}

/**
 * Makes UUIDv7 ids (RFC 9562) that rise from event to event across processes: the next id is later than the log's newest, by
 * the clock or else by the 12-bit counter after the time. The log is therefore sorted by id, and a binary search finds one
 * without an index that every append would pay for.
 */
export class UuidSource {
	readonly #random = new Uint8Array(RANDOM_BYTES * 256);
	#randomHex = "";
	#used = this.#random.length;
	#ms = -1;
	#msHex = "";

	/** `head`: the id that this one must follow, even if the clock is behind. */
	next(nowMs: number, head: Uint8Array | undefined): Uuid {
		const before = head && isTimed(head) ? timeOf(head) : -1;
		if (!head || before < nowMs) return this.#make(nowMs, 0);
		const counter = counterOf(head);
		return counter === 0xfff ? this.#make(before + 1, 0) : this.#make(before, counter + 1);
	}

	/** Joins pieces of text that many ids share: formatting 16 bytes each time would slow down an append. */
	#make(ms: number, counter: number): Uuid {
		if (this.#used === this.#random.length) this.#draw();
		const at = this.#used;
		this.#used += RANDOM_BYTES;
		const bytes = new Uint8Array(16);
		const high = Math.floor(ms / 0x10000);
		bytes[0] = high >>> 24;
		bytes[1] = high >>> 16;
		bytes[2] = high >>> 8;
		bytes[3] = high;
		bytes[4] = (ms % 0x10000) >>> 8;
		bytes[5] = ms;
		bytes[6] = 0x70 | (counter >>> 8);
		bytes[7] = counter;
		bytes.set(this.#random.subarray(at, at + RANDOM_BYTES), 8);
		const hex = this.#randomHex;
		const text = `${this.#timeText(ms)}-${(0x7000 | counter).toString(16)}-${hex.slice(2 * at, 2 * at + 4)}-${hex.slice(2 * at + 4, 2 * at + 16)}`;
		return { bytes, text };
	}

	#timeText(ms: number): string {
		if (ms === this.#ms) return this.#msHex;
		const hex = ms.toString(16).padStart(12, "0");
		this.#ms = ms;
		this.#msHex = `${hex.slice(0, 8)}-${hex.slice(8)}`;
		return this.#msHex;
	}

	#draw(): void {
		randomFillSync(this.#random);
		// The two bits of the UUID's variant.
		for (const [at, byte] of this.#random.entries()) {
			if (at % RANDOM_BYTES === 0) this.#random[at] = 0x80 | (byte & 0x3f);
		}
		this.#randomHex = Buffer.from(this.#random).toString("hex");
		this.#used = 0;
	}
}

/** Below every id made at this time or later, above all earlier ones. */
export function firstIdAt(ms: number): Uint8Array {
	const id = Buffer.alloc(16);
	id.writeUIntBE(Math.min(ms, 2 ** 48 - 1), 0, 6);
	return id;
}

/** True: the id is more than a day ahead of the clock. The clock was wrong once, or the id was made elsewhere. */
export function isFarAhead(id: Uint8Array, nowMs: number): boolean {
	return isTimed(id) && timeOf(id) >= nowMs + MS_PER_DAY;
}

const MS_PER_DAY = 86_400_000;

function isTimed(id: Uint8Array): boolean {
	return byteAt(id, 6) >>> 4 === 7;
}

function timeOf(id: Uint8Array): number {
	let ms = 0;
	for (let at = 0; at < 6; at++) ms = ms * 0x100 + byteAt(id, at);
	return ms;
}

function counterOf(id: Uint8Array): number {
	return ((byteAt(id, 6) & 0xf) << 8) | byteAt(id, 7);
}

function byteAt(id: Uint8Array, at: number): number {
	return id[at] ?? 0;
}

/** A damaged row may hold anything where its id was. */
export function formatUuid(bytes: Uint8Array): string {
	if (!(bytes instanceof Uint8Array) || bytes.length !== 16) return "00000000-0000-0000-0000-000000000000";
	const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The 16 bytes of a UUID in its usual spelling, or undefined. */
export function parseUuid(text: string): Uint8Array | undefined {
	const hex = text.replaceAll("-", "");
	return /^[0-9a-f]{32}$/i.test(hex) ? new Uint8Array(Buffer.from(hex, "hex")) : undefined;
}
