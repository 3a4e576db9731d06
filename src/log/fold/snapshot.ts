/**
 * Snapshots of the state as files beside the log, so that a start folds only the events since. A snapshot counts only if its
 * body is whole, its folds have our versions and the log still has its event, by chain hash. Any of them can be deleted at any
 * time.
 */

import { hash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { namesIn } from "../../base/file/regular-file.ts";
import { translateSqliteError } from "../../base/sqlite/sqlite-error.ts";
import type { Log } from "../log.ts";

export type SnapshotSource = Pick<Log, "folder" | "hashAt">;

export interface Snapshot {
	readonly seq: number;
	readonly unknown: number;
	readonly malformed: number;
	readonly complete: boolean;
	readonly state: unknown;
}

export interface WrittenSnapshot {
	readonly path: string;
	readonly seq: number;
	readonly bytes: number;
	readonly base: boolean;
}

interface SnapshotHead {
	readonly format: 2;
	readonly versions: Readonly<Record<string, number>>;
	readonly seq: number;
	/** Chain hash of the event at seq. */
	readonly hash: string;
	/** SHA-256 of the body. */
	readonly body: string;
	readonly unknown: number;
	readonly malformed: number;
	readonly complete: boolean;
}

interface SnapshotFile {
	readonly name: string;
	readonly seq: number;
	readonly base: boolean;
	readonly versions: string;
}

const NAME = /^(base|state)-(\d{1,15})-([0-9a-f]{8})\.json(?:\.zst)?$/;
const COMPRESS_FROM_BYTES = 16_384;
/** A sixth smaller than zstd's own level, for some milliseconds more per megabyte. */
const SMALLER = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };
const MAX_SNAPSHOT_BYTES = 256 * 1024 * 1024;
const STALE_TEMP_MS = 3_600_000;

export class Snapshots {
	readonly folder: string;
	readonly #log: SnapshotSource;
	readonly #versions: Readonly<Record<string, number>>;
	/** Part of the file name, so that two versions of weft on one log keep their own snapshots. */
	readonly versionsKey: string;

	constructor(log: SnapshotSource, versions: Readonly<Record<string, number>>) {
		this.folder = join(log.folder, "snapshots");
		this.#log = log;
		this.#versions = Object.fromEntries(Object.entries(versions).sort(([one], [other]) => (one < other ? -1 : 1)));
		this.versionsKey = hash("sha256", JSON.stringify(this.#versions), "hex").slice(0, 8);
	}

	/** The newest valid snapshot up to this seq. */
	newest(upTo: number): Snapshot | undefined {
		for (const named of this.list()) {
			if (named.seq > upTo || named.versions !== this.versionsKey) continue;
			const snapshot = this.#read(named);
			if (snapshot) return snapshot;
		}
		return undefined;
	}

	/** Atomic: written to a temporary file and renamed. */
	write(snapshot: Snapshot, { base = false }: { readonly base?: boolean | undefined }): WrittenSnapshot {
		const { seq, unknown, malformed, complete } = snapshot;
		const body = JSON.stringify(snapshot.state);
		const head: SnapshotHead = {
			format: 2,
			versions: this.#versions,
			seq,
			hash: this.#log.hashAt(seq) ?? "",
			body: hash("sha256", body, "hex"),
			unknown,
			malformed,
			complete,
		};
		const text = Buffer.from(`${JSON.stringify(head)}\n${body}\n`);
		const packed = text.length >= COMPRESS_FROM_BYTES;
		const bytes = packed ? zstdCompressSync(text, SMALLER) : text;
		const name = `${base ? "base" : "state"}-${String(seq).padStart(12, "0")}-${this.versionsKey}.json${packed ? ".zst" : ""}`;
		const path = join(this.folder, name);
		const temporary = `${path}.${process.pid}.tmp`;
		try {
			mkdirSync(this.folder, { recursive: true, mode: 0o700 });
			writeFileSync(temporary, bytes, { mode: 0o600 });
			renameSync(temporary, path);
		} catch (error) {
			rmSync(temporary, { force: true });
			throw translateSqliteError(error, path);
		}
		return { path, seq, bytes: bytes.length, base };
	}

	/** Deletes all but the newest `keep` and our base; returns how many. */
	prune(keep: number): number {
		const leaving = this.surplus(keep);
		for (const { name } of leaving) rmSync(join(this.folder, name), { force: true });
		this.#removeStaleTemporaries();
		return leaving.length;
	}

	/** Call after a restore: incomplete snapshots would hide the restored events. */
	dropIncomplete(): void {
		for (const named of this.list()) {
			if (named.versions === this.versionsKey && this.#read(named)?.complete === false) {
				rmSync(join(this.folder, named.name), { force: true });
			}
		}
	}

	/** The files that `prune` deletes. A base of other versions stays: its build may come back. */
	surplus(keep: number): SnapshotFile[] {
		const files = this.list();
		const states = files.filter((file) => !file.base);
		const bases = files.filter((file) => file.base && file.versions === this.versionsKey);
		return [...states.slice(Math.max(0, keep)), ...bases.slice(1)];
	}

	/** Newest first; at one event the base first. */
	list(): SnapshotFile[] {
		const found: SnapshotFile[] = [];
		for (const name of namesIn(this.folder)) {
			const [, kind, seq, versions] = NAME.exec(name) ?? [];
			if (versions) found.push({ name, base: kind === "base", seq: Number(seq), versions });
		}
		return found.sort(
			(one, other) => other.seq - one.seq || Number(other.base) - Number(one.base) || (one.name < other.name ? -1 : 1),
		);
	}

	#read({ name, seq }: SnapshotFile): Snapshot | undefined {
		try {
			const bytes = readFileSync(join(this.folder, name));
			const text = (
				name.endsWith(".zst") ? zstdDecompressSync(bytes, { maxOutputLength: MAX_SNAPSHOT_BYTES }) : bytes
			).toString("utf8");
			const end = text.indexOf("\n");
			const head = JSON.parse(text.slice(0, end)) as SnapshotHead;
			const body = text.slice(end + 1, -1);
			const ours =
				head.format === 2 &&
				head.seq === seq &&
				JSON.stringify(head.versions) === JSON.stringify(this.#versions) &&
				head.body === hash("sha256", body, "hex") &&
				head.hash !== "" &&
				head.hash === this.#log.hashAt(seq);
			if (!ours) return undefined;
			return {
				seq,
				unknown: head.unknown,
				malformed: head.malformed,
				complete: head.complete,
				state: JSON.parse(body),
			};
		} catch {
			// Damaged or deleted meanwhile: the caller takes an older one, or folds the log from its start.
			return undefined;
		}
	}

	#removeStaleTemporaries(): void {
		for (const name of namesIn(this.folder)) {
			if (!name.endsWith(".tmp")) continue;
			const path = join(this.folder, name);
			const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
			if (age > STALE_TEMP_MS) rmSync(path, { force: true });
		}
	}
}
