/** The real disk for the guard. Nothing throws: errors of the file system are values. */

import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { BoundedMap } from "../base/collection/bounded.ts";
import { countByteLines, isBinary, withPlainLineEnds } from "../base/text/lines.ts";
import { isRacy, sameStat } from "./compare.ts";
import type { Digest, DiskContent, DiskLook, FileDigest, FilePort, FileStat, Fragility } from "./types.ts";

/** Larger files are judged by their stat alone. */
const MAX_READ_BYTES = 32 * 1024 * 1024;
const MAX_REMEMBERED_DIGESTS = 256;
const MAX_KEPT_FILE_BYTES = 1024 * 1024;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** A file that changes while it is read is read again. */
const READ_ATTEMPTS = 3;

export interface DiskOptions {
	readonly platform?: NodeJS.Platform;
	readonly clock?: () => number;
	readonly maxBytes?: number;
}

export class DiskFiles implements FilePort {
	readonly #clock: () => number;
	readonly #foldsCase: boolean;
	readonly #maxBytes: number;
	/** Keyed by the whole stat, so that a digest is never returned for other bytes. */
	readonly #digests = new BoundedMap<string, FileDigest>(MAX_REMEMBERED_DIGESTS);

	readonly #bytes = new Map<string, Buffer>();
	#keptBytes = 0;

	constructor(options: DiskOptions = {}) {
		this.#clock = options.clock ?? Date.now;
		const platform = options.platform ?? process.platform;
		this.#foldsCase = platform === "darwin" || platform === "win32";
		this.#maxBytes = options.maxBytes ?? MAX_READ_BYTES;
	}

	stat(path: string): DiskLook {
		try {
			const found = statSync(path, { bigint: true, throwIfNoEntry: false });
			if (!found) return { kind: "absent" };
			return found.isFile() ? { kind: "file", stat: this.#toStat(found) } : { kind: "other" };
		} catch (error) {
			return problem(error);
		}
	}

	read(path: string, stat?: FileStat): DiskContent {
		const known = stat && this.#digests.get(keyOf(stat));
		const kept = known && this.#bytes.get(known.hash);
		if (kept) return { kind: "bytes", bytes: kept };
		let file: number | undefined;
		try {
			// Without O_NONBLOCK, a pipe in the file's place would make us wait for a writer.
			file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
			const found = fstatSync(file);
			if (!found.isFile()) return { kind: "unreadable", code: "ENOTFILE" };
			if (found.size > this.#maxBytes) return { kind: "too-large", size: found.size };
			return { kind: "bytes", bytes: readFileSync(file) };
		} catch (error) {
			return problem(error);
		} finally {
			if (file !== undefined) closeSync(file);
		}
	}

	digest(path: string, stat?: FileStat): Digest {
		const seen = stat && this.#digests.get(keyOf(stat));
		if (seen) return { ...seen, stat };
		for (let attempt = 1; ; attempt++) {
			const before = this.stat(path);
			if (before.kind === "other") return { kind: "unreadable", code: "ENOTFILE" };
			if (before.kind !== "file") return before;
			const key = keyOf(before.stat);
			const known = this.#digests.get(key);
			if (known) return { ...known, stat: before.stat };
			const content = this.read(path);
			if (content.kind !== "bytes") return content;
			const after = this.stat(path);
			const steady = after.kind === "file" && sameStat(before.stat, after.stat);
			if (!steady && attempt < READ_ATTEMPTS) continue;
			const digest = digestBytes(content.bytes, before.stat);
			this.#keepBytes(digest.hash, content.bytes);
			if (steady && !isRacy(before.stat)) this.#digests.set(key, digest);
			return digest;
		}
	}

	remembered(hash: string): Buffer | undefined {
		return this.#bytes.get(hash);
	}

	list(folder: string): readonly string[] {
		try {
			return readdirSync(folder);
		} catch {
			return [];
		}
	}

	realpath(path: string): string | undefined {
		try {
			const real = realpathSync.native(path);
			return this.#foldsCase ? real.normalize("NFC").toLowerCase() : real;
		} catch {
			return undefined;
		}
	}

	#toStat(found: { size: bigint; mtimeNs: bigint; ctimeNs: bigint; ino: bigint; dev: bigint }): FileStat {
		return {
			size: Number(found.size),
			mtimeNs: String(found.mtimeNs),
			ctimeNs: String(found.ctimeNs),
			ino: String(found.ino),
			dev: String(found.dev),
			at: this.#clock(),
		};
	}

	/** Texts for diffs: the log can rebuild most of them, but not all. */
	#keepBytes(hash: string, bytes: Buffer): void {
		if (bytes.length > MAX_KEPT_FILE_BYTES || this.#bytes.has(hash)) return;
		this.#bytes.set(hash, bytes);
		this.#keptBytes += bytes.length;
		for (const [oldest, old] of this.#bytes) {
			if (this.#keptBytes <= MAX_KEPT_BYTES) return;
			this.#bytes.delete(oldest);
			this.#keptBytes -= old.length;
		}
	}
}

export function digestBytes(bytes: Buffer, stat: FileStat): FileDigest {
	const plain = withPlainLineEnds(bytes);
	const whole = hash("sha256", bytes, "hex");
	const textHash = plain === bytes ? whole : hash("sha256", plain, "hex");
	return { kind: "digest", hash: whole, textHash, lines: countByteLines(bytes), fragility: fragilityOf(bytes), stat };
}

const MAX_CHECKED_BYTES = 4 * 1024 * 1024;

export function fragilityOf(bytes: Buffer): Fragility | undefined {
	if (bytes.length > MAX_CHECKED_BYTES || isBinary(bytes)) return undefined;
	if (!isUtf8(bytes)) return "encoding";
	return hasMixedLineEnds(bytes) ? "line ends" : undefined;
}

function hasMixedLineEnds(bytes: Buffer): boolean {
	if (!bytes.includes("\r\n")) return false;
	for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) if (bytes[at - 1] !== 13) return true;
	return false;
}

/** Looks at each path once. Not for longer than one judgement. */
export function lookOnce(files: FilePort): FilePort {
	const looks = new Map<string, DiskLook>();
	const look = (path: string): DiskLook => {
		const known = looks.get(path) ?? files.stat(path);
		looks.set(path, known);
		return known;
	};
	const statOf = (path: string) => {
		const found = look(path);
		return found.kind === "file" ? found.stat : undefined;
	};
	return {
		stat: look,
		read: (path) => files.read(path, statOf(path)),
		digest: (path) => files.digest(path, statOf(path)),
		realpath: (path) => files.realpath(path),
		remembered: (hash) => files.remembered?.(hash),
		list: (folder) => files.list?.(folder) ?? [],
	};
}

function keyOf(stat: FileStat): string {
	return `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

function problem(error: unknown): { kind: "absent" } | { kind: "unreadable"; code: string } {
	const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? "EUNKNOWN");
	return code === "ENOENT" || code === "ENOTDIR" ? { kind: "absent" } : { kind: "unreadable", code };
}
