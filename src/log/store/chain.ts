import { hash } from "node:crypto";
import type { EventRecord } from "../event/types.ts";

/** The hash before the first event. */
export const GENESIS = "0".repeat(64);

/** All fields but the payload, whose text is hashed as stored. */
export type ChainedFields = Omit<EventRecord, "payload">;

/** Shared by all hashes: a character takes at most three bytes of it. */
const room = Buffer.allocUnsafe(0x40000);

/**
 * The hash of an event in hex: over the hash before it, its fields and its payload's text. How the payload is stored (plain,
 * packed, as a blob) does not matter.
 */
export function chainHash(previous: string, event: ChainedFields, payload: string): string {
	return link(previous, event, payload).hash;
}

/** The same, with the bytes of the payload's text. They are valid until the next call. */
export function link(
	previous: string,
	event: ChainedFields,
	payload: string,
): { readonly hash: string; readonly bytes: Buffer } {
	const before = `${previous}\n${chainedText(event)}\n`;
	const maxBytes = 3 * (before.length + payload.length);
	const to =
		maxBytes <= room.length ? room : Buffer.allocUnsafe(Buffer.byteLength(before) + Buffer.byteLength(payload));
	const start = to.write(before);
	const end = start + to.write(payload, start);
	return { hash: hash("sha256", to.subarray(0, end), "hex"), bytes: to.subarray(start, end) };
}

/**
 * The fields as JSON.stringify would write them in an array; by hand, because every append pays for it. An id is hex digits
 * and dashes, which JSON never escapes.
 */
export function chainedText(event: ChainedFields): string {
	const { seq, id, ts, type, v, cause, entry } = event;
	const end = entry === null ? "null" : JSON.stringify(entry);
	return `[${seq},"${id}",${sourceText(event)},${ts},${JSON.stringify(type)},${v},${cause},${end}]`;
}

let last = { origin: "", session: "", host: "", text: '"","",""' };

/** Nearly always the same as for the event before. */
function sourceText({ origin, session, host }: ChainedFields): string {
	if (last.session !== session || last.host !== host || last.origin !== origin) {
		const text = `${JSON.stringify(origin)},${JSON.stringify(session)},${JSON.stringify(host)}`;
		last = { origin, session, host, text };
	}
	return last.text;
}

/** A damaged row gives a hash that nothing has. */
export function hashFromBytes(bytes: Uint8Array): string {
	if (!(bytes instanceof Uint8Array)) return "";
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
