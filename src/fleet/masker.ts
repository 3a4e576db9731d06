/**
 * An event as it ships: with its credentials hidden, or as it is. In a masked event, hashes are keyed with the machine's secret:
 * the plain hash of a line with a short password would give it away to a reader who tries them all. So are names made of such
 * hashes: see `outgoing-names.ts`.
 */
import { hash } from "node:crypto";
import { asObject } from "../base/json/read.ts";
import { mapFields } from "../base/json/write.ts";
import { maskSecrets } from "../base/text/mask.ts";
import { maskStrings } from "../base/text/mask-strings.ts";
import type { StoredRecord } from "../log/read.ts";
import { parseHash } from "../log/store/blob.ts";
import {
	bareEntry,
	keyedHex,
	type NameSource,
	NO_NAMES,
	outgoingEntry,
	renameHandles,
	renameIn,
	withRenamed,
} from "./outgoing-names.ts";

export interface OutgoingBlob {
	/** SHA-256 of the shipped bytes. */
	readonly name: string;
	readonly bytes: () => Buffer | undefined;
}

export interface OutgoingEvent {
	/** With its outgoing entry. */
	readonly record: StoredRecord;
	/** Of the outgoing payload. */
	readonly text: string;
	readonly payload: Readonly<Record<string, unknown>>;
	readonly isMasked: boolean;
	readonly blobs: readonly OutgoingBlob[];
}

export type Masker = (records: readonly StoredRecord[]) => Promise<OutgoingEvent[]>;

type BlobSource = (name: string) => Buffer | undefined;

const BLOB_KEYS = ["blob", "base"] as const;
/** Fields that hold the hash of a text that may be short. */
const HASH_KEYS = new Set(["sliceHash", "fileHash", "textHash", "inputHash", "hash", "sha256", "before", "after"]);
const HEX_HASH = /^(?:[0-9a-f]{16}|[0-9a-f]{64})$/;
/** Texts of the agent or ours, without hashes of ours. */
const SKIPPED_KEYS = new Set(["raw", "diff", "text", "callId"]);

/** Ships everything unchanged. */
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
			const original = originals[at] ?? {};
			const visible = shown[at] ?? {};
			let payload = renameIn(keyHashes(visible, key), await renamed(record.text), key);
			const blobs: OutgoingBlob[] = [];
			for (const [field, name] of blobNames(original)) {
				const own = await masked(name);
				if (own) blobs.push(own);
				// A blob that was lost here has no bytes that could give anything away.
				const known = own?.name ?? keyedHex(name, key);
				if (known !== payload[field]) payload = { ...payload, [field]: known };
			}
			const text = payload === original ? record.text : JSON.stringify(payload);
			const entry = record.entry === null ? null : outgoingEntry(record.entry, key);
			leaving.push({ record: { ...record, entry }, text, payload, isMasked: visible !== original, blobs });
		}
		return leaving;
	};
}

const MAX_NAMES = 10_000;

function blobNames(payload: Readonly<Record<string, unknown>>): (readonly [field: string, name: string])[] {
	return BLOB_KEYS.flatMap((field) => (parseHash(payload[field]) ? [[field, String(payload[field])] as const] : []));
}

/** Bytes that are not UTF-8 are searched as latin1: credentials are ASCII. */
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

/** Returns the same object if it has no hash. */
function keyHashes<Value>(value: Value, key: Uint8Array, name = ""): Value {
	if (typeof value === "string") {
		return (HASH_KEYS.has(name) && HEX_HASH.test(value) ? keyedHex(value, key) : bareEntry(value, key)) as Value;
	}
	return mapFields(value, (each, field) =>
		field !== undefined && SKIPPED_KEYS.has(field) ? each : keyHashes(each, key, field ?? name),
	);
}
