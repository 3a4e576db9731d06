/**
 * What an event looks like when it leaves: with its credentials hidden, or as it is. Hashes are keyed with the machine's
 * secret when the text is masked: the plain hash of a line with a short password would tell it to whoever tries them all.
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

export function secretMasker(blob: BlobSource, key: Uint8Array): Masker {
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
	return async (records) => {
		const originals = records.map(({ text }) => asObject(JSON.parse(text)) ?? {});
		const shown = (await maskStrings(originals)) as readonly Readonly<Record<string, unknown>>[];
		const leaving: Leaving[] = [];
		for (const [at, record] of records.entries()) {
			const original = originals[at]!;
			let payload = keyHashes(shown[at]!, key);
			const blobs: LeavingBlob[] = [];
			for (const [field, name] of blobNames(original)) {
				const own = await masked(name);
				if (own) blobs.push(own);
				// One that was lost here has no bytes that could tell anything.
				const left = own?.name ?? keyed(name, key);
				if (left !== payload[field]) payload = { ...payload, [field]: left };
			}
			const text = payload === original ? record.text : JSON.stringify(payload);
			leaving.push({ record, text, payload, isMasked: shown[at] !== original, blobs });
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

/** Of the same length: whoever reads it takes it for a hash, and equal ones stay equal. */
function keyed(hash: string, key: Uint8Array): string {
	return keyedHash(key, hash).toString("hex").slice(0, hash.length);
}
