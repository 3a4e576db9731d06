/**
 * Names that are hashes of a text: entries that an agent's adapter hashed, handles of blobs, and handles of events with such an
 * entry. Beside the masked text they would give away a secret to a reader who tries all candidates. So they ship as other
 * names, keyed with the machine's secret, everywhere they occur, in texts too. A reader who fetches the session finds by them
 * what they name.
 */
import { mapFields } from "../base/json/write.ts";
import { HANDLE_HEX, type HandleSource, handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import { keyedHash } from "./chain.ts";
import { serverSession, serverText } from "./server-text.ts";

/** Looks names up in the log that is shipped. */
export interface NameSource {
	/** At most two blobs whose name begins with this. */
	readonly blobs: (start: string) => readonly string[];
	readonly event: (handle: string) => HandleSource | undefined;
}

export const NO_NAMES: NameSource = { blobs: () => [], event: () => undefined };

export function namesIn(log: Log): NameSource {
	return {
		blobs: (start) => log.blobHashes(start, 2),
		event: (handle) => {
			const seq = log.findHandle(handle);
			return seq === undefined ? undefined : log.getStored(seq);
		},
	};
}

/** Hashes that adapters make of a line or a message; recognisable in any text. */
const HASH_NAME = /\b(sha256:|oc:)([0-9a-f]{16}|[0-9a-f]{20})\b/g;
/** Hashes of a message that passed the proxy, or of a line in a file; recognisable only alone. */
const BARE_NAME = /^(line \d+ (?=.{12}$)|(?=.{20}$))([0-9a-f]+)$/;

/** The entry of a masked event. */
export function outgoingEntry(entry: string, key: Uint8Array): string {
	return withRenamed(bareEntry(entry, key), new Map(), key);
}

/** For a text that is nothing but a name. */
export function bareEntry(text: string, key: Uint8Array): string {
	return text.replace(BARE_NAME, (_, kind: string, hex: string) => kind + keyedHex(hex, key));
}

/** The handle of an event on the server, made from its names there. */
function serverHandle({ session, host, type, entry, id }: HandleSource): string {
	return handleOf({
		session: serverSession(session),
		host: serverText(host),
		type: serverText(type),
		entry: entry === null ? null : serverText(entry),
		id,
	});
}

/** The handle on the server of an event of this log. */
export function outgoingHandle(handle: string, names: NameSource, key: Uint8Array): string {
	const named = names.event(handle);
	if (!named) return handle;
	return serverHandle({ ...named, entry: named.entry === null ? null : outgoingEntry(named.entry, key) });
}

const HANDLE_TEXT = `[bme]-[0-9a-f]{${HANDLE_HEX}}(?![0-9a-f])`;
/** In JSON, where a letter of an escape may come before it. Not the end of a UUID. */
const ANY_HANDLE = new RegExp(`(?<!-[0-9a-f]{3})${HANDLE_TEXT}`, "g");
const HANDLE = new RegExp(`(?<![\\w-])${HANDLE_TEXT}`, "g");

export type Renamed = ReadonlyMap<string, string>;

/** The new name of each handle in a text. `blobName`: the outgoing name of a blob. */
export async function renameHandles(
	text: string,
	names: NameSource,
	key: Uint8Array,
	blobName: (name: string) => Promise<string | undefined>,
): Promise<Renamed> {
	const renamed = new Map<string, string>();
	for (const handle of new Set(text.match(ANY_HANDLE))) {
		const left = handle.startsWith("b-")
			? await outgoingBlobHandle(handle, names, key, blobName)
			: outgoingHandle(handle, names, key);
		if (left !== handle) renamed.set(handle, left);
	}
	return renamed;
}

async function outgoingBlobHandle(
	handle: string,
	names: NameSource,
	key: Uint8Array,
	blobName: (name: string) => Promise<string | undefined>,
): Promise<string> {
	const hex = handle.slice(2);
	const [name, another] = names.blobs(hex);
	const left = name === undefined || another !== undefined ? undefined : await blobName(name);
	return `b-${left?.slice(0, HANDLE_HEX) ?? keyedHex(hex, key)}`;
}

export function withRenamed(text: string, renamed: Renamed, key: Uint8Array): string {
	const named = text.replace(HASH_NAME, (_, kind: string, hex: string) => kind + keyedHex(hex, key));
	return renamed.size === 0 ? named : named.replaceAll(HANDLE, (handle) => renamed.get(handle) ?? handle);
}

/** In every text of a value. Returns the same object if nothing changed. */
export function renameIn<Value>(value: Value, renamed: Renamed, key: Uint8Array): Value {
	if (typeof value === "string") return withRenamed(value, renamed, key) as Value;
	return mapFields(value, (each) => renameIn(each, renamed, key));
}

/** Of the same length: it still looks like a hash, and equal ones stay equal. */
export function keyedHex(hex: string, key: Uint8Array): string {
	return keyedHash(key, hex).toString("hex").slice(0, hex.length);
}
