import { hash } from "node:crypto";

/** The hash that the first event builds on. */
export const GENESIS = "0".repeat(64);

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
 * The hash of an event, in hex: over the hash before it, its fields and the text of its payload. How the payload is
 * stored (plain, packed, as a blob) is no part of it.
 */
export function chainHash(previous: string, event: ChainedFields, payload: string): string {
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
	return hash("sha256", `${previous}\n${fields}\n${payload}`, "hex");
}

export function hashFromBytes(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

export function hashToBytes(hex: string): Uint8Array {
	return Buffer.from(hex, "hex");
}
