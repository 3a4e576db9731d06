/**
 * What an event looks like when it leaves: with its credentials hidden, or as it is. Hashes are keyed with the machine's
 * secret when the text is masked: the plain hash of a line with a short password would tell it to whoever tries them all. So are
 * names that are made of such hashes: see `leaving-names.ts`.
 */
import { hash } from "node:crypto";
import { mapFields } from "../base/json/map-fields.ts";
import { asObject } from "../base/json/read.ts";
import { maskSecrets } from "../base/text/mask.ts";
import { maskStrings } from "../base/text/mask-strings.ts";
import type { StoredRecord } from "../log/read.ts";
import { parseHash } from "../log/store/blob.ts";
import {
	bareEntry,
	keyedHex,
	leavingEntry,
	type NameSource,
	NO_NAMES,
	renameHandles,
	renameIn,
	withRenamed,
} from "./outgoing-names.ts";

export interface OutgoingBlob {
	/** SHA-256 of the bytes that leave. */
	readonly name: string;
	readonly bytes: () => Buffer | undefined;
}

export interface OutgoingEvent {
	/** With the entry under which it leaves. */
	readonly record: StoredRecord;
	/** Of the payload, as it leaves. */
	readonly text: string;
	readonly payload: Readonly<Record<string, unknown>>;
	readonly isMasked: boolean;
	readonly blobs: readonly OutgoingBlob[];
}

export type Masker = (records: readonly StoredRecord[]) => Promise<OutgoingEvent[]>;

type BlobSource = (name: string) => Buffer | undefined;

const BLOB_KEYS = ["blob", "base"] as const;
/** Fields whose value is the hash of a text that may be short. */
const HASH_KEYS = new Set(["sliceHash", "fileHash", "textHash", "inputHash", "hash", "sha256", "before", "after"]);
const HEX_HASH = /^(?:[0-9a-f]{16}|[0-9a-f]{64})$/;
/** The host's own words, and ours: nothing in there is a hash of ours. */
const NOT_LOOKED_AT = new Set(["raw", "diff", "text", "callId"]);

/** Everything as it is. */
export function exactMasker(blob: BlobSource): Masker {
	return async (records) =>
		records.map((record) => {
			const payload = asObject(JSON.parse(record.text)) ?? {};
			const blobs = blobNames(payload).map(([, name]) => ({ name, bytes: () => blob(name) }));
			return { record, text: record.text, payload, isMasked: false, blobs };
		});
}

export function secretMasker(blob: BlobSource, key: Uint8Array, names: NameSource = NO_NAMES): Masker {
	const left = new Map<string, string>();
	const masked = async (name: string): Promise<OutgoingBlob | undefined> => {
		const bytes = blob(name);
		const made = bytes && (await maskBytes(bytes, renamed, key));
		if (!made) return undefined;
		const own = left.get(name) ?? hash("sha256", made);
		if (left.size > MAX_NAMES) left.clear();
		left.set(name, own);
		return { name: own, bytes: () => made };
	};
	const renamed = (text: string) =>
		renameHandles(text, names, key, async (name) => left.get(name) ?? (await masked(name))?.name);
	return async (records) => {
		const originals = records.map(({ text }) => asObject(JSON.parse(text)) ?? {});
		const shown = (await maskStrings(originals)) as readonly Readonly<Record<string, unknown>>[];
		const leaving: OutgoingEvent[] = [];
		for (const [at, record] of records.entries()) {
			const original = originals[at]!;
			let payload = renameIn(keyHashes(shown[at]!, key), await renamed(record.text), key);
			const blobs: OutgoingBlob[] = [];
			for (const [field, name] of blobNames(original)) {
				const own = await masked(name);
				if (own) blobs.push(own);
				// One that was lost here has no bytes that could tell anything.
				const known = own?.name ?? keyedHex(name, key);
				if (known !== payload[field]) payload = { ...payload, [field]: known };
			}
			const text = payload === original ? record.text : JSON.stringify(payload);
			const entry = record.entry === null ? null : leavingEntry(record.entry, key);
			leaving.push({ record: { ...record, entry }, text, payload, isMasked: shown[at] !== original, blobs });
		}
		return leaving;
	};
}

const MAX_NAMES = 10_000;

function blobNames(payload: Readonly<Record<string, unknown>>): (readonly [field: string, name: string])[] {
	return BLOB_KEYS.flatMap((field) => (parseHash(payload[field]) ? [[field, String(payload[field])] as const] : []));
}

/** What is not text is looked at byte by byte: credentials are ASCII. */
async function maskBytes(
	bytes: Buffer,
	renamed: (text: string) => ReturnType<typeof renameHandles>,
	key: Uint8Array,
): Promise<Buffer> {
	const text = bytes.toString("utf8");
	const encoding = Buffer.from(text, "utf8").equals(bytes) ? "utf8" : "latin1";
	const plain = encoding === "utf8" ? text : bytes.toString("latin1");
	const masked = withRenamed(await maskSecrets(plain), await renamed(plain), key);
	return masked === plain ? bytes : Buffer.from(masked, encoding);
}

/** The very same value where there is no hash in it. */
function keyHashes<Value>(value: Value, key: Uint8Array, name = ""): Value {
	if (typeof value === "string") {
		return (HASH_KEYS.has(name) && HEX_HASH.test(value) ? keyedHex(value, key) : bareEntry(value, key)) as Value;
	}
	return mapFields(value, (each, field) =>
		field !== undefined && NOT_LOOKED_AT.has(field) ? each : keyHashes(each, key, field ?? name),
	);
}
