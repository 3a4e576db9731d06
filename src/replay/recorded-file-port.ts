/**
 * The files of a recording for the guard: their text as the log knows it, without times. Lines that were never shown are
 * empty; a file that is known only from a successful edit has no text.
 */
import { digestBytes } from "../guard/disk.ts";
import type { Digest, DiskContent, DiskLook, FilePort, FileStat } from "../guard/types.ts";
import { sessionPath } from "../state/session/session-path.ts";
import type { FileSource } from "../state/work/file-source.ts";

/** Older than any read: only the recording itself changes a file. */
const TIMELESS = { mtimeNs: "0", ctimeNs: "0", dev: "0", at: 0 } as const;

export class RecordedFilePort implements FilePort {
	readonly #files: FileSource;
	readonly #cwd: string;
	readonly #proven: ReadonlySet<string>;

	/** `proven`: absolute paths that must exist, because an edit of them succeeded. */
	constructor(files: FileSource, cwd: string, proven: ReadonlySet<string>) {
		this.#files = files;
		this.#cwd = cwd;
		this.#proven = proven;
	}

	stat(path: string): DiskLook {
		const bytes = this.#bytes(path);
		if (bytes) return { kind: "file", stat: statOf(path, bytes) };
		return this.#proven.has(path) ? { kind: "file", stat: statOf(path, Buffer.from("?")) } : { kind: "absent" };
	}

	read(path: string): DiskContent {
		const bytes = this.#bytes(path);
		return bytes ? { kind: "bytes", bytes } : { kind: "absent" };
	}

	digest(path: string): Digest {
		const bytes = this.#bytes(path);
		return bytes ? digestBytes(bytes, statOf(path, bytes)) : { kind: "absent" };
	}

	realpath(path: string): string | undefined {
		return this.stat(path).kind === "file" ? path : undefined;
	}

	#bytes(path: string): Buffer | undefined {
		const content = this.#files.read(sessionPath(path, this.#cwd));
		if (content.kind === "text") return Buffer.from(content.text, "utf8");
		if (content.kind !== "partial") return undefined;
		const lines: string[] = [];
		for (const part of content.parts) {
			while (lines.length < part.from - 1) lines.push("");
			lines.push(...part.lines);
		}
		return Buffer.from(`${lines.join("\n")}\n`, "utf8");
	}
}

function statOf(path: string, bytes: Buffer): FileStat {
	return { ...TIMELESS, ino: path, size: bytes.length };
}
