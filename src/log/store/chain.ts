import { hash } from "node:crypto";
import type { EventRecord } from "../event/types.ts";

/** The hash that the first event builds on. */
export const GENESIS = "0".repeat(64);

/** Everything of an event but its payload, whose text is hashed as it is stored. */
export type ChainedFields = Omit<EventRecord, "payload">;

/** Texts up to a third of it are written here, one after the other. */
const room = Buffer.allocUnsafe(0x40000);

/**
 * The hash of an event, in hex: over the hash before it, its fields and the text of its payload. How the payload is
 * stored (plain, packed, as a blob) is no part of it.
 */
export function chainHash(previous: string, event: ChainedFields, payload: string): string {
	return link(previous, event, payload).hash;
}

/** The same, with the bytes of the payload's text, which are there until the next one is asked for. */
export function link(
	previous: string,
	event: ChainedFields,
	payload: string,
): { readonly hash: string; readonly bytes: Buffer } {
	const before = `${previous}\n${chainedText(event)}\n`;
	const most = 3 * (before.length + payload.length);
	const to = most <= room.length ? room : Buffer.allocUnsafe(Buffer.byteLength(before) + Buffer.byteLength(payload));
	const start = to.write(before);
	const end = start + to.write(payload, start);
	return { hash: hash("sha256", to.subarray(0, end), "hex"), bytes: to.subarray(start, end) };
}

/**
 * The fields as JSON.stringify writes an array of them; by hand, because every append pays for it. An id is hex digits
 * and dashes: nothing that JSON would escape.
 */
export function chainedText(event: ChainedFields): string {
	const { seq, id, ts, type, v, cause, entry } = event;
	const end = entry === null ? "null" : JSON.stringify(entry);
	return `[${seq},"${id}",${whence(event)},${ts},${JSON.stringify(type)},${v},${cause},${end}]`;
}

let last = { origin: "", session: "", host: "", text: '"","",""' };

/** Where an event comes from, which is nearly always where the one before it came from. */
function whence({ origin, session, host }: ChainedFields): string {
	if (last.session !== session || last.host !== host || last.origin !== origin) {
		const text = `${JSON.stringify(origin)},${JSON.stringify(session)},${JSON.stringify(host)}`;
		last = { origin, session, host, text };
	}
	return last.text;
}

/** Of a damaged row: a hash that nothing has. */
export function hashFromBytes(bytes: Uint8Array): string {
	if (!(bytes instanceof Uint8Array)) return "";
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
