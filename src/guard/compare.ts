/**
 * Are the bytes on disk those that the model knows? Cheapest proof first: an equal stat, then the hash of the bytes, then
 * that of the text without its line ends. Where the bytes were never known as a whole: that every part that was shown
 * still stands, or that nothing changed since, by the file's own times.
 */
import type { FileRecord } from "./file-record.ts";
import { holdsSlice } from "./slice.ts";
import { changedAfter, isRacy, sameStat, unchangedSince } from "./stat.ts";
import type { Digest, FilePort, FileStat } from "./types.ts";

type Digested = Extract<Digest, { readonly kind: "digest" }>;

export type Comparison =
	/** Nothing to write down. */
	| { readonly kind: "same" }
	/** The same, but the record should know the new stat. */
	| { readonly kind: "refresh"; readonly digest: Digested; readonly proof: "bytes" | "line ends" | "time" | "lines" }
	| { readonly kind: "changed"; readonly digest: Digested }
	| { readonly kind: "absent" }
	/** Too large to compare, or not to be opened. */
	| { readonly kind: "unknown"; readonly why: string };

export function compare(record: FileRecord, path: string, stat: FileStat, files: FilePort): Comparison {
	const statEqual = record.stat !== null && sameStat(record.stat, stat);
	if (statEqual && !isRacy(record.stat!)) return { kind: "same" };
	const digest = files.digest(path);
	if (digest.kind === "absent") return digest;
	if (digest.kind === "too-large") return { kind: "unknown", why: `it is too large to compare (${digest.size} bytes)` };
	if (digest.kind === "unreadable") return { kind: "unknown", why: `it cannot be read (${digest.code})` };
	const proof = record.hash === null ? proofWithoutHash(record, path, digest, files) : proofByHash(record, digest);
	if (proof === undefined) return { kind: "changed", digest };
	return statEqual ? { kind: "same" } : { kind: "refresh", digest, proof };
}

function proofByHash(record: FileRecord, digest: Digested): "bytes" | "line ends" | undefined {
	if (digest.hash === record.hash) return "bytes";
	return digest.textHash === (record.textHash ?? record.hash) ? "line ends" : undefined;
}

function proofWithoutHash(
	record: FileRecord,
	path: string,
	digest: Digested,
	files: FilePort,
): "time" | "lines" | undefined {
	// Without lines to look for, the last that was known is a change of our own: made just before its result was noted.
	if (record.slices.length === 0) return unchangedSince(digest.stat, record.ts) ? "time" : undefined;
	const content = files.read(path);
	if (content.kind !== "bytes") return undefined;
	const text = content.bytes.toString("utf8");
	if (record.slices.every((slice) => holdsSlice(text, slice))) return "lines";
	// Some hosts show long lines or pictures in words of their own, which no file holds.
	return changedAfter(digest.stat, record.ts) ? undefined : "time";
}
