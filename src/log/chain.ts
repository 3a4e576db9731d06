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
	return hash("sha256", `${previous}\n${chainedText(event)}\n${payload}`, "hex");
}

/** The fields as JSON.stringify writes an array of them; by hand, because every append pays for it. */
export function chainedText(event: ChainedFields): string {
	const { seq, id, origin, session, host, ts, type, v, cause, entry } = event;
	const quotedEntry = entry === null ? "null" : JSON.stringify(entry);
	return `[${seq},${JSON.stringify(id)},${quoted(origin)},${quoted(session)},${quoted(host)},${ts},${quoted(type)},${v},${cause},${quotedEntry}]`;
}

const MAX_QUOTED = 1_000;
const QUOTED = new Map<string, string>();

/** A name as JSON. A log has few of them, again and again. */
function quoted(name: string): string {
	let text = QUOTED.get(name);
	if (text === undefined) {
		text = JSON.stringify(name);
		if (QUOTED.size >= MAX_QUOTED) QUOTED.clear();
		QUOTED.set(name, text);
	}
	return text;
}

export function hashFromBytes(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
