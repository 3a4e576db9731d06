/**
 * Names that are made from a text: entries that a host's adapter hashed, handles of blobs, and handles of events with such an
 * entry. Beside the masked text they would tell the secret to whoever tries all of them. So they leave as other names, keyed
 * with the machine's secret, and wherever one is written, in a text too: whoever fetches the session finds by them what they name.
 */
import { mapFields } from "../base/json/map-fields.ts";
import { HANDLE_HEX, type HandleSource, handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import { keyedHash } from "./chain.ts";
import { sessionName, textOf } from "./server-text.ts";

/** Where a name is looked up: the log that leaves. */
export interface NameSource {
	/** Blobs whose name begins so, at most two. */
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

/** As adapters make them of a line or a message; such a name is known in any text. */
const HASH_NAME = /\b(sha256:|oc:)([0-9a-f]{16}|[0-9a-f]{20})\b/g;
/** Of a message that passed the proxy, or of a line in a file: nothing else tells that it is one. */
const BARE_NAME = /^(line \d+ (?=.{12}$)|(?=.{20}$))([0-9a-f]+)$/;

/** The entry under which an event leaves when it is masked. */
export function leavingEntry(entry: string, key: Uint8Array): string {
	return withRenamed(bareEntry(entry, key), new Map(), key);
}

/** Of a text that is nothing but a name. */
export function bareEntry(text: string, key: Uint8Array): string {
	return text.replace(BARE_NAME, (_, kind: string, hex: string) => kind + keyedHex(hex, key));
}

/** The handle that an event has on the server: by its names there. */
export function arrivedHandle({ session, host, type, entry, id }: HandleSource): string {
	return handleOf({
		session: sessionName(session),
		host: textOf(host),
		type: textOf(type),
		entry: entry === null ? null : textOf(entry),
		id,
	});
}

/** The handle under which an event of this log is found on the server. */
export function leavingHandle(handle: string, names: NameSource, key: Uint8Array): string {
	const named = names.event(handle);
	if (!named) return handle;
	return arrivedHandle({ ...named, entry: named.entry === null ? null : leavingEntry(named.entry, key) });
}

const HANDLE_TEXT = `[bme]-[0-9a-f]{${HANDLE_HEX}}(?![0-9a-f])`;
/** In JSON, where a letter of an escape may stand before it. Not the end of a UUID. */
const ANY_HANDLE = new RegExp(`(?<!-[0-9a-f]{3})${HANDLE_TEXT}`, "g");
const HANDLE = new RegExp(`(?<![\\w-])${HANDLE_TEXT}`, "g");

export type Renamed = ReadonlyMap<string, string>;

/** What each handle in a text becomes. `blobName`: the name under which a blob leaves. */
export async function renameHandles(
	text: string,
	names: NameSource,
	key: Uint8Array,
	blobName: (name: string) => Promise<string | undefined>,
): Promise<Renamed> {
	const renamed = new Map<string, string>();
	for (const handle of new Set(text.match(ANY_HANDLE))) {
		const left = handle.startsWith("b-")
			? await leavingBlobHandle(handle, names, key, blobName)
			: leavingHandle(handle, names, key);
		if (left !== handle) renamed.set(handle, left);
	}
	return renamed;
}

async function leavingBlobHandle(
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

/** In every text of a value; the very same value where there is none. */
export function renameIn<Value>(value: Value, renamed: Renamed, key: Uint8Array): Value {
	if (typeof value === "string") return withRenamed(value, renamed, key) as Value;
	return mapFields(value, (each) => renameIn(each, renamed, key));
}

/** Of the same length: whoever reads it takes it for a hash, and equal ones stay equal. */
export function keyedHex(hex: string, key: Uint8Array): string {
	return keyedHash(key, hex).toString("hex").slice(0, hex.length);
}
