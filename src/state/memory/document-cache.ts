/**
 * Memory files as documents. A file is parsed once per change, and read again only while its time stamps cannot prove that
 * it is unchanged: whatever the user edits is seen at the next read.
 */
import { type BigIntStats, statSync } from "node:fs";
import { BoundedMap } from "../../base/collection/bounded.ts";
import { type FileReading, readBounded } from "../../base/file/regular-file.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { type MemoryDocument, parseDocument } from "./document.ts";

/** weft leaves a larger file alone. */
export const MAX_BYTES = 4_000_000;
const MAX_FILES = 32;
/** Larger files are parsed at each read, so that the cache stays small. */
const MAX_CACHED_BYTES = 512_000;
/** File systems count time in steps of up to two seconds: within one step two writes may have the same stamp. */
const STAMP_STEP_MS = 2_000;

export interface ParsedFile {
	readonly kind: "parsed";
	/** SHA-256 of what it says. */
	readonly hash: string;
	readonly document: MemoryDocument;
	/** False: some bytes are not UTF-8. The document has replacement characters in their place. */
	readonly isText: boolean;
}

export type DocumentReading = ParsedFile | Exclude<FileReading, { kind: "bytes" }>;

interface CachedFile {
	readonly stamp: string;
	/** The stamp alone proves that the file is unchanged. */
	readonly isSettled: boolean;
	readonly file: ParsedFile;
}

export class DocumentCache {
	/** How often a file was read from disk, and how often one was parsed. */
	readonly counts = { reads: 0, parses: 0 };
	readonly #files = new BoundedMap<string, CachedFile>(MAX_FILES);

	read(path: string): DocumentReading {
		const stats = statsOf(path);
		const stamp = stats && stampOf(stats);
		const cached = this.#files.get(path);
		if (cached?.isSettled && cached.stamp === stamp) return cached.file;
		this.counts.reads++;
		const reading = readBounded(path, MAX_BYTES);
		if (reading.kind !== "bytes") {
			this.#files.delete(path);
			return reading;
		}
		const file = this.#parse(reading.bytes, cached?.file);
		if (stats && stamp !== undefined && reading.bytes.length <= MAX_CACHED_BYTES) {
			const isSettled = Date.now() - Number(stats.mtimeMs) > STAMP_STEP_MS;
			this.#files.set(path, { stamp, isSettled, file });
		}
		return file;
	}

	#parse(bytes: Buffer, before: ParsedFile | undefined): ParsedFile {
		const text = decode(bytes);
		const hash = sha256(text ?? bytes.toString("latin1"));
		if (before?.hash === hash) return before;
		this.counts.parses++;
		return {
			kind: "parsed",
			hash,
			document: parseDocument(text ?? bytes.toString("utf8")),
			isText: text !== undefined,
		};
	}
}

/** One for the process: the keeper and recall read the same files. */
export const memoryDocuments = new DocumentCache();

/** Undefined: the file is missing or out of reach. */
function statsOf(path: string): BigIntStats | undefined {
	try {
		return statSync(path, { bigint: true, throwIfNoEntry: false });
	} catch {
		return undefined;
	}
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
	return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function decode(bytes: Buffer): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}
