/**
 * Are the bytes on disk those that the model knows? Cheapest proof first: an equal stat, the hash of the bytes, the hash
 * of the text without line ends. If the whole was never known: every shown part is still there, or the file's own times
 * show no change since.
 */

import { sha256 } from "../base/hash/sha256.ts";
import { plainText } from "../base/text/lines.ts";
import type { FileRecord } from "./file-record.ts";
import type { FileDigest, FilePort, FileStat } from "./types.ts";

export type FileComparison =
	/** Nothing to write down. */
	| { readonly kind: "same" }
	/** Unchanged, but the record needs the new stat. */
	| { readonly kind: "refresh"; readonly digest: FileDigest; readonly proof: "bytes" | "line ends" | "time" | "lines" }
	| { readonly kind: "changed"; readonly digest: FileDigest }
	| { readonly kind: "absent" }
	/** Too large to compare, or unreadable. */
	| { readonly kind: "unknown"; readonly why: string };

export function compare(record: FileRecord, path: string, stat: FileStat, files: FilePort): FileComparison {
	const isSameStat = record.stat !== null && sameStat(record.stat, stat);
	if (isSameStat && record.stat && !isRacy(record.stat)) return { kind: "same" };
	const digest = files.digest(path);
	if (digest.kind === "absent") return digest;
	if (digest.kind === "too-large") return { kind: "unknown", why: `it is too large to compare (${digest.size} bytes)` };
	if (digest.kind === "unreadable") return { kind: "unknown", why: `it cannot be read (${digest.code})` };
	const proof = record.hash === null ? proofWithoutHash(record, path, digest, files) : proofByHash(record, digest);
	if (proof === undefined) return { kind: "changed", digest };
	return isSameStat ? { kind: "same" } : { kind: "refresh", digest, proof };
}

function proofByHash(record: FileRecord, digest: FileDigest): "bytes" | "line ends" | undefined {
	if (digest.hash === record.hash) return "bytes";
	return digest.textHash === (record.textHash ?? record.hash) ? "line ends" : undefined;
}

function proofWithoutHash(
	record: FileRecord,
	path: string,
	digest: FileDigest,
	files: FilePort,
): "time" | "lines" | undefined {
	// Without lines to search for, the record is a change of our own, made just before its result was recorded.
	if (record.slices.length === 0) return unchangedSince(digest.stat, record.ts) ? "time" : undefined;
	const content = files.read(path);
	if (content.kind !== "bytes") return undefined;
	const text = content.bytes.toString("utf8");
	if (record.slices.every((slice) => holdsSlice(text, slice))) return "lines";
	// Some agents describe long lines or pictures in their own words, which no file contains.
	return changedAfter(digest.stat, record.ts) ? undefined : "time";
}

/**
 * The clock of the file system ticks more slowly than files can be written. A file changed just before we looked may
 * change again within the same tick and keep its stat: then only the bytes prove anything (git calls such files racy).
 */
const TICK_MS = 20;
/** FAT, HFS+ and some network disks store whole seconds, FAT even ones. */
const COARSE_TICK_MS = 2_000;

/**
 * Device and inode prove that the path still leads to the same file: a folder replaced by a symlink, or a file renamed
 * into place, has another inode. The change time, which no program can set, reveals a file that was rewritten and given
 * its old modification time.
 */
export function sameStat(a: FileStat, b: FileStat): boolean {
	return a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino && a.ctimeNs === b.ctimeNs && a.dev === b.dev;
}

/** True when an equal stat later on does not prove that the bytes are the same. */
export function isRacy(stat: FileStat): boolean {
	const coarse = stat.mtimeNs.endsWith("000000000") && stat.ctimeNs.endsWith("000000000");
	return changedAtMs(stat) > stat.at - (coarse ? COARSE_TICK_MS : TICK_MS);
}

/** When the file last changed, ms since the epoch. */
export function changedAtMs(stat: FileStat): number {
	return Math.max(Number(stat.mtimeNs), Number(stat.ctimeNs)) / 1e6;
}

/** True when the file has not changed since then, by the clock of the same machine; `ms` is a whole number. */
function unchangedSince(stat: FileStat, ms: number): boolean {
	return Math.floor(changedAtMs(stat)) <= ms;
}

/** True when the file may have changed after `ms`, allowing for the resolution of the disk's clock. */
export function changedAfter(stat: FileStat, ms: number): boolean {
	return changedAtMs(stat) >= ms - TICK_MS;
}

/**
 * True when lines `from` to `to` of the text have the hash of the lines shown. Line ends and the very last one do not
 * count.
 */
function holdsSlice(text: string, slice: { from: number; to: number | null; hash: string }): boolean {
	const lines = linesOf(text, slice.from, slice.to);
	if (lines === undefined) return false;
	const plain = lines.join("\n");
	const crlf = lines.join("\r\n");
	// An agent that splits at \n leaves the \r of the last line.
	return [plain, `${plain}\n`, crlf, `${crlf}\r`, `${crlf}\r\n`].some((spelt) => sha256(spelt) === slice.hash);
}

/** True when the text has the shown lines at line `from`. */
export function holdsText(text: string, from: number, shown: string): boolean {
	const want = withoutLastBreak(plainText(shown)).replace(/\r$/, "");
	const lines = linesOf(text, from, from + want.split("\n").length - 1);
	return lines !== undefined && lines.join("\n") === want;
}

/** Undefined where the file is shorter than that. */
function linesOf(text: string, from: number, to: number | null): string[] | undefined {
	const all = withoutLastBreak(plainText(text)).split("\n");
	if (from < 1 || from > all.length || (to !== null && to > all.length)) return undefined;
	return all.slice(from - 1, to ?? all.length);
}

function withoutLastBreak(text: string): string {
	return text.endsWith("\n") ? text.slice(0, -1) : text;
}
