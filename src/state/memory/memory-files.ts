/**
 * The only way to change a memory file. Under a lock: reads the file, finds what the user changed since the last write,
 * applies our own operations, appends the event, replaces the file. The log has every bullet, so a file that was lost,
 * damaged or left behind by a killed process is made again. The file names its revision, which tells what the user saw
 * while editing.
 */

import { createHash } from "node:crypto";
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { writeAtomically } from "../../base/file/atomic-write.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { takeLease } from "../../base/sqlite/lease.ts";
import type { NewEvent, Payload } from "../../log/event/types.ts";
import { makePrivateFolder } from "../../log/home.ts";
import type { Log } from "../../log/log.ts";
import type { Scope } from "../session/scope.ts";
import { bulletsOf, keyOfText, type MemoryDocument } from "./document.ts";
import { MAX_BYTES, memoryDocuments } from "./document-cache.ts";
import { rebuildDocument, renderFile } from "./file-text.ts";
import { type CurrentBullet, type MemoryOp, planOps, type RefusedOp, type StoredOp } from "./operation.ts";
import type { MemoryFileKind } from "./section.ts";
import { type KnownBullet, MemoryStore } from "./store.ts";
import { type FileSnapshot, findUserChanges } from "./user-changes.ts";

export interface WriteRequest {
	readonly file: MemoryFile;
	/** The occasion, as the event names it. */
	readonly why: string;
	/** The session of the event. */
	readonly session: SessionName;
	readonly ts: number;
	/** seq of the newest message that was taken into account. */
	readonly cause?: number | undefined;
	/** Entry of the Job that made it. */
	readonly job?: string | undefined;
	/** Returns the changes, given the current bullets. */
	readonly build: (current: readonly CurrentBullet[]) => readonly MemoryOp[];
}

export interface MemoryWriteResult {
	/** False: there was nothing to write. */
	readonly isWritten: boolean;
	readonly revision: number;
	readonly path: string;
	/** All changes, the user's own among them. */
	readonly ops: readonly StoredOp[];
	/** Operations that were refused, each with the reason. */
	readonly refused: readonly RefusedOp[];
	/** The file was damaged: it was moved to the backup folder and made again from the log. */
	readonly isRestored: boolean;
}

export interface MemoryFilesOptions {
	readonly log: Log;
	/** Called before each step, so that a test can stop there. */
	readonly onStep?: ((step: string) => void) | undefined;
	readonly lockMs?: number | undefined;
}

const LOCK_MS = 1_000;
const LOCK_PAUSE_MS = 10;
const MAX_BACKUPS = 5;
/** The log has every revision, so a large file has fewer copies; the newest stays. */
const MAX_BACKUP_BYTES = 32_000;

export class MemoryFiles {
	readonly folder: string;
	readonly store: MemoryStore;
	readonly #options: MemoryFilesOptions;

	constructor(options: MemoryFilesOptions) {
		this.#options = options;
		this.folder = memoryFolder(options.log.folder);
		this.store = new MemoryStore(options.log);
	}

	pathOf(file: MemoryFile): string {
		return pathOf(this.folder, file);
	}

	/** Says, for people, what is wrong with a file that was written before. Undefined: nothing. Changes nothing. */
	complaint(file: MemoryFile): string | undefined {
		const path = this.pathOf(file);
		if (this.store.revision(keyOf(file)) === 0) return undefined;
		try {
			const { hash, isRestored } = this.#read(path, file);
			const again = "It is made again from the log at the next write";
			if (hash === null) return `The file is gone. ${again}.`;
			return isRestored
				? `The file is damaged. ${again}, and what is there now is kept in the folder backup.`
				: undefined;
		} catch (error) {
			return (error as Error).message;
		}
	}

	/** Throws if the file cannot be written. It then stays as it is. */
	write(request: WriteRequest): MemoryWriteResult {
		const path = this.pathOf(request.file);
		makePrivateFolder(dirname(path));
		using _lock = this.#lock();
		const step = this.#options.onStep ?? (() => {});
		step("read");
		const found = this.#read(path, request.file);
		const users = findUserChanges(found, keyOf(request.file), this.store);
		const planned = planOps(request.build(users.current), users.current, {
			kind: request.file.kind,
			file: keyOf(request.file),
			store: this.store,
			forgotten: new Set(users.forgotten.map(keyOfText)),
			taken: new Set([...users.current.map(({ id }) => id), ...found.known.map(({ id }) => id)]),
		});
		const ops = [...users.ops, ...planned.ops];
		const { revision, isRestored } = found;
		const isNothing = ops.length === 0 && found.isCurrent;
		if (isNothing) return { isWritten: false, revision, path, ops, refused: planned.refused, isRestored };
		const next = revision + 1;
		const { file, ts } = request;
		const text = renderFile(found.document, users, planned.ops, { file, ts, revision: next });
		const { place, mode } = placeOf(path);
		step("append");
		this.#append(request, { revision: next, ops, before: found.hash, after: sha256(text) });
		step("backup");
		if (found.hash !== null && (request.file.kind !== "session" || users.ops.length > 0 || isRestored)) {
			this.#backUp(path, request.file, revision);
		}
		step("write");
		writeAtomically(place, text, mode);
		step("done");
		return { isWritten: true, revision: next, path, ops, refused: planned.refused, isRestored };
	}

	#read(path: string, file: MemoryFile): DiskFile {
		const reading = memoryDocuments.read(path);
		const key = keyOf(file);
		const revision = this.store.revision(key);
		const live = this.store.bullets(key);
		const lost = { known: live, live, revision, isCurrent: false };
		switch (reading.kind) {
			case "absent":
				return { ...lost, document: rebuildDocument(file, live), hash: null, isRestored: false };
			case "parsed": {
				const { document, hash, isText } = reading;
				const at = Math.min((isText ? document.revision : undefined) ?? revision, revision);
				const known = at === revision ? live : this.store.bullets(key, at);
				if (!isText || isDamaged(document, known))
					return { ...lost, document: rebuildDocument(file, live), hash, isRestored: true };
				const isCurrent = document.revision === revision && revision > 0;
				return { document, known, live, revision, hash, isCurrent, isRestored: false };
			}
			case "too-large":
				throw new EngineError(
					"refused",
					`weft does not touch ${path}: it is larger than ${MAX_BYTES / 1e6} MB. Make it smaller.`,
				);
			default:
				throw new EngineError("refused", `weft does not touch ${path}: it cannot be read. Repair or remove it.`);
		}
	}

	#append(
		{ file, why, session, ts, cause, job }: WriteRequest,
		payload: Pick<Payload<"MemoryWrite">, "revision" | "before" | "after"> & { readonly ops: readonly StoredOp[] },
	): void {
		const of = file.of ?? session;
		const isOwn = file.kind !== "session" && file.of !== undefined ? true : undefined;
		const event: NewEvent = {
			type: "MemoryWrite",
			session: of.session,
			host: of.host,
			ts,
			cause,
			entry: `memory ${keyOf(file)} ${payload.revision}`,
			payload: { file: file.kind, isOwn, why, ...payload, ops: [...payload.ops], job },
		};
		this.#options.log.append([event]);
	}

	#backUp(path: string, file: MemoryFile, revision: number): void {
		const folder = join(dirname(path), "backup");
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		const name = FILE_NAMES[file.kind].replace(".md", "");
		copyFileSync(path, join(folder, `${name}-${String(revision).padStart(6, "0")}.md`));
		const old = readdirSync(folder).filter((each) => each.startsWith(`${name}-`));
		const most = Math.max(1, Math.min(MAX_BACKUPS, Math.floor(MAX_BACKUP_BYTES / Math.max(1, statSync(path).size))));
		for (const each of old.sort().slice(0, -most)) rmSync(join(folder, each), { force: true });
	}

	/** One writer of a project's memory at a time: a write takes milliseconds. */
	#lock(): Disposable {
		makePrivateFolder(this.folder);
		const path = join(this.folder, ".lock");
		const end = performance.now() + (this.#options.lockMs ?? LOCK_MS);
		for (;;) {
			const lease = takeLease(path);
			if (lease) return lease;
			if (performance.now() > end) {
				throw new EngineError("locked", `Another process writes to ${this.folder}. Try again in a moment.`);
			}
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_PAUSE_MS);
		}
	}
}

/** Where to write: a link stays a link, and a read-only file is refused. */
function placeOf(path: string): { readonly place: string; readonly mode?: number | undefined } {
	const state = statSync(path, { throwIfNoEntry: false });
	if (state && (state.mode & 0o200) === 0)
		throw new EngineError("refused", `weft does not touch ${path}: it is read-only. Make it writable.`);
	if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return { place: path };
	if (state) return { place: realpathSync(path), mode: state.mode & 0o777 };
	const place = resolve(dirname(path), readlinkSync(path));
	makePrivateFolder(dirname(place));
	return { place };
}

/** The file as a write finds it. */
interface DiskFile extends FileSnapshot {
	readonly revision: number;
	/** SHA-256 of what it says; null: no file. */
	readonly hash: string | null;
	/** The file is there and of the newest revision. */
	readonly isCurrent: boolean;
	readonly isRestored: boolean;
}

/** If more than this share of our bullets is gone, and the line with the revision too, the file is damaged and not edited. */
const LOST_SHARE = 0.6;

function isDamaged(document: MemoryDocument, known: readonly KnownBullet[]): boolean {
	if (document.revision !== undefined || known.length === 0) return false;
	const ids = new Set(bulletsOf(document).map(({ bullet }) => bullet.id));
	return known.filter(({ id }) => !ids.has(id)).length > known.length * LOST_SHARE;
}

/** A session as the log names it. */
export interface SessionName {
	readonly session: string;
	readonly host: string;
}

/**
 * A file in the project's data folder. Each session has its own SESSION.md. MEMORY.md and HISTORY.md are the project's, or, with
 * `of`, those of one session that somebody owns.
 */
export type MemoryFile =
	| { readonly kind: "memory" | "history"; readonly of?: SessionName | undefined }
	| { readonly kind: "session"; readonly of: SessionName };

export const MEMORY: MemoryFile = { kind: "memory" };
export const HISTORY: MemoryFile = { kind: "history" };

/** `of` undefined: the project's. */
export function memoryFile(of: SessionName | undefined): MemoryFile {
	return of ? { kind: "memory", of } : MEMORY;
}

export function historyFile(of: SessionName | undefined): MemoryFile {
	return of ? { kind: "history", of } : HISTORY;
}

/** An owner's newest conversations. */
const MAX_HOMES = 8;

/** Whose MEMORY.md and HISTORY.md a scope reads; undefined: the project's. */
export function memoryHomes({ homes }: Pick<Scope, "homes">): readonly (SessionName | undefined)[] {
	return homes?.slice(0, MAX_HOMES) ?? [undefined];
}

export function sessionFile({ session, host }: SessionName): MemoryFile {
	return { kind: "session", of: { session, host } };
}

/** The name of a file in tables and ids. `of` undefined: the project's. */
export function fileKey(kind: string, of: SessionName | undefined): string {
	return of ? `${kind} ${of.host} ${of.session}` : kind;
}

export function keyOf({ kind, of }: MemoryFile): string {
	return fileKey(kind, of);
}

export function memoryFolder(dataFolder: string): string {
	return join(dataFolder, "memory");
}

export function pathOf(folder: string, file: MemoryFile): string {
	const home = file.of ? sessionFolderPath(folder, sessionFolder(file.of)) : folder;
	return join(home, FILE_NAMES[file.kind]);
}

export function sessionFolderPath(folder: string, name: string): string {
	return join(folder, "sessions", name);
}

/** The link to the file of the session that began last. */
export function newestPath(folder: string): string {
	return join(folder, FILE_NAMES.session);
}

export const FILE_NAMES: Readonly<Record<MemoryFileKind, string>> = {
	session: "SESSION.md",
	memory: "MEMORY.md",
	history: "HISTORY.md",
};

const PLAIN = /^[\w][\w.@+~-]{0,79}$/;
const HASH_DIGITS = 12;

/** The session's id if that is a safe name for a folder, else one made from it. */
export function sessionFolder({ session, host }: SessionName): string {
	if (PLAIN.test(session) && !session.endsWith(".")) return session;
	const hash = createHash("sha256").update(`${host}\n${session}`).digest("hex").slice(0, HASH_DIGITS);
	return `${session.replace(/[^\w-]+/g, "-").slice(0, 40)}-${hash}`;
}
