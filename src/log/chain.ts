import { hash } from "node:crypto";

/** The hash that the first event builds on. */
export const GENESIS = new Uint8Array(32);

export interface ChainedFields {
	readonly seq: number;
	readonly id: string;
	readonly origin: string;
	readonly session: string;
	readonly host: string;
	readonly ts: number;
	readonly type: string;
	readonly v: number;
	readonly cause: number | null;
	readonly entry: string | null;
}

/**
 * The hash of an event: over the hash before it, its fields and the text of its payload. How the payload is stored
 * (plain, packed, as a blob) is no part of it.
 */
export function chainHash(previous: Uint8Array, event: ChainedFields, payload: string): Uint8Array {
	const before = Buffer.from(previous.buffer, previous.byteOffset, previous.byteLength).toString("latin1");
	const fields = JSON.stringify([
		event.seq,
		event.id,
		event.origin,
		event.session,
		event.host,
		event.ts,
		event.type,
		event.v,
		event.cause,
		event.entry,
	]);
	return hash("sha256", `${before}\n${fields}\n${payload}`, "buffer");
}
