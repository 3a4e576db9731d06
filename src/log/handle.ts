/**
 * Handles of messages and events, by which anything left out of a context is fetched. They are made from what the agent
 * wrote (session, host, type, entry), so a live log, an imported log and replay show the same bytes.
 */

import { sha256 } from "../base/hash/sha256.ts";
import type { EventRecord } from "./event/types.ts";

/** What a handle is made from. An event without an entry is named by its id. */
export type HandleSource = Pick<EventRecord, "session" | "host" | "type" | "entry"> & {
	readonly id?: string | undefined;
};

export const HANDLE_HEX = 12;

/** The source alone, for a state that may never show the handle: hashing every event of a log adds up. */
export function nameOf({ session, host, type, entry, id }: HandleSource): HandleSource {
	return { session, host, type, entry: entry ?? `#${id ?? ""}` };
}

/** `m-` and 12 hex digits for a message, `e-` for any other event. */
export function handleOf({ session, host, type, entry, id }: HandleSource): string {
	const name = entry ?? `#${id ?? ""}`;
	const hex = sha256(JSON.stringify([session, host, type, name])).slice(0, HANDLE_HEX);
	return `${type === "Message" ? "m" : "e"}-${hex}`;
}

/** The hex digits of a message's or an event's handle; undefined: the text is no such handle. */
export function handleDigits(text: string): string | undefined {
	const digits = /^[me]-([0-9a-f]+)$/i.exec(text)?.[1]?.toLowerCase();
	return digits?.length === HANDLE_HEX ? digits : undefined;
}
