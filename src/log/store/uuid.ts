import { randomFillSync } from "node:crypto";

const RANDOM_BYTES = 8;

/** An id as the log stores it, and as people see it. */
export interface Uuid {
	readonly bytes: Uint8Array;
	readonly text: string;
}

/**
 * Makes UUIDv7 ids (RFC 9562) that rise from event to event, whichever process writes: the next id is later than the
 * one at the log's head, by the clock or else by the 12-bit counter after the time. So the log is sorted by id, and an
 * id is found by halving, without an index that every append would have to pay for.
 */
export class UuidSource {
	readonly #random = new Uint8Array(RANDOM_BYTES * 256);
	#randomHex = "";
	#used = this.#random.length;
	#ms = -1;
	#msHex = "";

	/** `head`: the newest id that this one must follow, however far behind the clock may be. */
	next(nowMs: number, head: Uint8Array | undefined): Uuid {
		const before = head && isTimed(head) ? timeOf(head) : -1;
		if (before < nowMs) return this.#make(nowMs, 0);
		const counter = counterOf(head!);
		return counter === 0xfff ? this.#make(before + 1, 0) : this.#make(before, counter + 1);
	}

	/** The text is put together from pieces that many ids share; to spell out 16 bytes each time costs an append more. */
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
		for (let n = 0; n < RANDOM_BYTES; n++) bytes[8 + n] = this.#random[at + n]!;
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
		// The two bits that say which layout this is.
		for (let at = 0; at < this.#random.length; at += RANDOM_BYTES) this.#random[at] = 0x80 | (this.#random[at]! & 0x3f);
		this.#randomHex = Buffer.from(this.#random).toString("hex");
		this.#used = 0;
	}
}

/** Below every id that was made at this time or later, above all that were made before. */
export function firstIdAt(ms: number): Uint8Array {
	const id = Buffer.alloc(16);
	id.writeUIntBE(Math.min(ms, 2 ** 48 - 1), 0, 6);
	return id;
}

/** True for an id that is more than a day ahead of the clock: the clock was wrong once, or it was made elsewhere. */
export function isFarAhead(id: Uint8Array, nowMs: number): boolean {
	return isTimed(id) && timeOf(id) >= nowMs + MS_PER_DAY;
}

const MS_PER_DAY = 86_400_000;

function isTimed(id: Uint8Array): boolean {
	return id[6]! >>> 4 === 7;
}

function timeOf(id: Uint8Array): number {
	return (((id[0]! << 8) | id[1]!) * 0x10000 + ((id[2]! << 8) | id[3]!)) * 0x10000 + ((id[4]! << 8) | id[5]!);
}

function counterOf(id: Uint8Array): number {
	return ((id[6]! & 0xf) << 8) | id[7]!;
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
