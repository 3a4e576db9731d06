/**
 * The handles of messages and events: by them anything that was left out of a context is fetched. They are made from what
 * the host wrote (session, host, type, entry), so that a live log, an imported log and replay show the same bytes.
 */

import { sha256 } from "../base/hash/sha256.ts";
import type { EventRecord } from "./event/types.ts";

/** What a handle is made from. An event that its host did not name goes by its own id. */
export type Named = Pick<EventRecord, "session" | "host" | "type" | "entry"> & { readonly id?: string | undefined };

export const HANDLE_HEX = 12;

/** What makes an event's handle, for a state that may never show it: a hash for every event of a log adds up. */
export function nameOf({ session, host, type, entry, id }: Named): Named {
	return { session, host, type, entry: entry ?? `#${id ?? ""}` };
}

/** `m-` and 12 hex digits for a message, `e-` for any other event. */
export function handleOf({ session, host, type, entry, id }: Named): string {
	const name = entry ?? `#${id ?? ""}`;
	const hex = sha256(JSON.stringify([session, host, type, name])).slice(0, HANDLE_HEX);
	return `${type === "Message" ? "m" : "e"}-${hex}`;
}

/** What a handle says: hex digits, or the seq in one of the old kind. */
export interface EventHandle {
	readonly hex?: string | undefined;
	readonly seq?: number | undefined;
}

/** Undefined: the text is not the handle of a message or an event. Twelve hex digits are never a seq. */
export function parseEventHandle(text: string): EventHandle | undefined {
	const rest = /^[me]-([0-9a-f]+)$/i.exec(text)?.[1]?.toLowerCase();
	if (rest?.length === HANDLE_HEX) return { hex: rest };
	return rest !== undefined && /^\d{1,9}$/.test(rest) ? { seq: Number(rest) } : undefined;
}
