/**
 * What an event looks like when it leaves: with its credentials hidden, or as it is. Hashes are keyed with the machine's
 * secret when the text is masked: the plain hash of a line with a short password would tell it to whoever tries them all. So are
 * names that are made of such hashes: those of entries without an id of their own, and the handles of outputs.
 */
import { hash } from "node:crypto";
import { mapFields } from "../json/map-fields.ts";
import { asObject } from "../json/read.ts";
import { parseHash } from "../log/blob.ts";
import type { StoredRecord } from "../log/read.ts";
import { maskSecrets } from "../text/mask.ts";
import { maskStrings } from "../text/mask-strings.ts";
import { keyedHash } from "./chain.ts";

export interface LeavingBlob {
	/** SHA-256 of the bytes that leave. */
	readonly name: string;
	readonly bytes: () => Buffer | undefined;
}

export interface Leaving {
	/** With the name of its entry as it leaves. */
	readonly record: StoredRecord;
	/** Of the payload, as it leaves. */
	readonly text: string;
	readonly payload: Readonly<Record<string, unknown>>;
	readonly isMasked: boolean;
	readonly blobs: readonly LeavingBlob[];
}

export type Masker = (records: readonly StoredRecord[]) => Promise<Leaving[]>;

type BlobSource = (name: string) => Buffer | undefined;

const BLOB_KEYS = ["blob", "base"] as const;
/** Fields whose value is the hash of a text that may be short. */
const HASH_KEYS = new Set(["sliceHash", "fileHash", "textHash", "inputHash", "hash", "sha256", "before", "after"]);
const HEX_HASH = /^(?:[0-9a-f]{16}|[0-9a-f]{64})$/;
/** The host's own words, and ours: nothing in there is a hash of ours. */
const NOT_LOOKED_AT = new Set(["raw", "diff", "text"]);

/** Everything as it is. */
export function exactMasker(blob: BlobSource): Masker {
	return async (records) =>
		records.map((record) => {
			const payload = asObject(JSON.parse(record.text)) ?? {};
			const blobs = blobNames(payload).map(([, name]) => ({ name, bytes: () => blob(name) }));
			return { record, text: record.text, payload, isMasked: false, blobs };
		});
}

/** `find`: the blob whose name begins so. */
export function secretMasker(
	blob: BlobSource,
	key: Uint8Array,
	find: (start: string) => string | undefined = () => undefined,
): Masker {
	const names = new Map<string, string>();
	const masked = async (name: string): Promise<LeavingBlob | undefined> => {
		const known = names.get(name);
		const made = async () => {
			const bytes = blob(name);
			return bytes && maskBytes(bytes);
		};
		if (known !== undefined) {
			const bytes = await made();
			return { name: known, bytes: () => bytes };
		}
		const bytes = await made();
		if (!bytes) return undefined;
		const own = hash("sha256", bytes);
		if (names.size > 10_000) names.clear();
		names.set(name, own);
		return { name: own, bytes: () => bytes };
	};
	/** Handles of outputs, by what stands for them: the same text has another name once it is masked. */
	const handlesIn = async (records: readonly StoredRecord[]): Promise<ReadonlyMap<string, string>> => {
		const handles = new Map<string, string>();
		for (const { text } of records) {
			for (const [, start] of text.matchAll(BLOB_HANDLE)) {
				if (handles.has(start!)) continue;
				const name = find(start!);
				const left = name === undefined ? undefined : (names.get(name) ?? (await masked(name))?.name);
				handles.set(start!, (left ?? keyed(start!, key)).slice(0, start!.length));
			}
		}
		return handles;
	};
	return async (records) => {
		const handles = await handlesIn(records);
		const originals = records.map(({ text }) => asObject(JSON.parse(text)) ?? {});
		const shown = (await maskStrings(originals)) as readonly Readonly<Record<string, unknown>>[];
		const leaving: Leaving[] = [];
		for (const [at, record] of records.entries()) {
			const original = originals[at]!;
			let payload = keyNames(keyHashes(shown[at]!, key), key, handles);
			const blobs: LeavingBlob[] = [];
			for (const [field, name] of blobNames(original)) {
				const own = await masked(name);
				if (own) blobs.push(own);
				// One that was lost here has no bytes that could tell anything.
				const left = own?.name ?? keyed(name, key);
				if (left !== payload[field]) payload = { ...payload, [field]: left };
			}
			const text = payload === original ? record.text : JSON.stringify(payload);
			const entry = keyEntry(record.entry, key);
			const named = entry === record.entry ? record : { ...record, entry };
			leaving.push({ record: named, text, payload, isMasked: shown[at] !== original, blobs });
		}
		return leaving;
	};
}

function blobNames(payload: Readonly<Record<string, unknown>>): (readonly [field: string, name: string])[] {
	return BLOB_KEYS.flatMap((field) => (parseHash(payload[field]) ? [[field, String(payload[field])] as const] : []));
}

/** What is not text is looked at byte by byte: credentials are ASCII. */
async function maskBytes(bytes: Buffer): Promise<Buffer> {
	const text = bytes.toString("utf8");
	const encoding = Buffer.from(text, "utf8").equals(bytes) ? "utf8" : "latin1";
	const plain = encoding === "utf8" ? text : bytes.toString("latin1");
	const masked = await maskSecrets(plain);
	return masked === plain ? bytes : Buffer.from(masked, encoding);
}

/** The very same value where there is no hash in it. */
function keyHashes<Value>(value: Value, key: Uint8Array, name = ""): Value {
	if (typeof value === "string") {
		return (HASH_KEYS.has(name) && HEX_HASH.test(value) ? keyed(value, key) : value) as Value;
	}
	return mapFields(value, (each, field) =>
		field !== undefined && NOT_LOOKED_AT.has(field) ? each : keyHashes(each, key, field ?? name),
	);
}

const BLOB_HANDLE = /\bb-([0-9a-f]{12})\b/g;
/** How an entry is called that has no id of its own: by the hash of what it says. */
const HASH_NAME = /\b(sha256:|oc:)([0-9a-f]{16}|[0-9a-f]{20})\b/g;
const LINE_NAME = /^(line \d+ )([0-9a-f]{12})$/;

/** The name of an entry as it leaves. */
export function keyEntry(entry: string | null, key: Uint8Array): string | null {
	return entry && hashNames(entry, key).replace(LINE_NAME, (_, line, hash) => line + keyed(hash, key));
}

function hashNames(text: string, key: Uint8Array): string {
	return text.includes(":") ? text.replace(HASH_NAME, (_, kind, hash) => kind + keyed(hash, key)) : text;
}

/** In every text: what the model saw of a handle, and what one event says of another. */
function keyNames<Value>(value: Value, key: Uint8Array, handles: ReadonlyMap<string, string>): Value {
	if (typeof value !== "string") return mapFields(value, (each) => keyNames(each, key, handles));
	const text = hashNames(value, key);
	if (handles.size === 0) return text as Value;
	return text.replace(BLOB_HANDLE, (handle, start: string) => {
		const left = handles.get(start);
		return left === undefined ? handle : `b-${left}`;
	}) as Value;
}

/** Of the same length: whoever reads it takes it for a hash, and equal ones stay equal. */
function keyed(hash: string, key: Uint8Array): string {
	return keyedHash(key, hash).toString("hex").slice(0, hash.length);
}
