/**
 * The one way in which a memory file changes. Under a lock: the file is read, what the user has changed in it since our last
 * write is found and kept, our own operations are applied, the event is appended, the file is replaced. The log has every
 * bullet, so a file that was lost, damaged or left behind by a killed process is made again; and a file that says which
 * revision it is tells what its reader knew when they edited it.
 */
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { writeAtomically } from "../../base/file/atomic-write.ts";
import { readBounded } from "../../base/file/regular-file.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { takeLease } from "../../base/sqlite/lease.ts";
import type { NewEvent, Payload } from "../../log/event/types.ts";
import { makePrivateFolder } from "../../log/home.ts";
import type { Log } from "../../log/log.ts";
import { bulletId, keyOfText } from "./bullet.ts";
import {
	type Bullet,
	bulletsOf,
	editDocument,
	type MemoryDocument,
	parseDocument,
	renderDocument,
	withRevision,
} from "./document.ts";
import { type CurrentBullet, type MemoryOp, planOps, type RefusedOp } from "./operation.ts";
import { FILE_NAMES, keyOf, type MemoryFile, memoryFolder, pathOf, type SessionName } from "./place.ts";
import { type KnownBullet, MemoryStore } from "./store.ts";

export type StoredOp = Payload<"MemoryWrite">["ops"][number];

export interface WriteRequest {
	readonly file: MemoryFile;
	/** What led to it, as the event names it. */
	readonly why: string;
	/** Whose event it is. */
	readonly session: SessionName;
	readonly ts: number;
	/** seq of the newest message that counts in. */
	readonly cause?: number | undefined;
	/** Entry of the Job that made it. */
	readonly job?: string | undefined;
	/** What to change, given what stands there now. */
	readonly build: (current: readonly CurrentBullet[]) => readonly MemoryOp[];
}

export interface Written {
	/** False: nothing was to be done, and nothing was written. */
	readonly isWritten: boolean;
	readonly revision: number;
	readonly path: string;
	/** What was done, the user's own changes among it. */
	readonly ops: readonly StoredOp[];
	/** What was asked for and not done, with the reason. */
	readonly refused: readonly RefusedOp[];
	/** The file was not readable as ours: it was kept in the backup folder and made again from the log. */
	readonly isRestored: boolean;
}

export interface MemoryFilesOptions {
	readonly log: Log;
	readonly append?: ((event: NewEvent) => void) | undefined;
	/** Told before each step, so that a test can end there. */
	readonly onStep?: ((step: string) => void) | undefined;
	readonly lockMs?: number | undefined;
}

/** A file above this is left alone: nobody reads a memory of that size. */
export const MAX_BYTES = 4_000_000;
const LOCK_MS = 1_000;
const LOCK_PAUSE_MS = 10;
const KEPT_BACKUPS = 5;
const MAX_USER_CHARS = 8_000;

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

	/** What is wrong with a file that was written before, in words for people; undefined: nothing. Changes nothing. */
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

	/** Throws where the file cannot be written: it then stays as it is. */
	write(request: WriteRequest): Written {
		const path = this.pathOf(request.file);
		makePrivateFolder(dirname(path));
		using _lock = this.#lock();
		const step = this.#options.onStep ?? (() => {});
		step("read");
		const found = this.#read(path, request.file);
		const users = userChanges(found, keyOf(request.file), this.store);
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
		const text = rendered(found, users, planned.ops, request, next);
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

	#read(path: string, file: MemoryFile): Found {
		const reading = readBounded(path, MAX_BYTES);
		const key = keyOf(file);
		const revision = this.store.revision(key);
		const live = this.store.bullets(key);
		const again = { document: rebuilt(file, live), known: live, live, revision, isCurrent: false, isRestored: false };
		switch (reading.kind) {
			case "absent":
				return { ...again, hash: null };
			case "bytes":
				break;
			case "too-large":
				throw new EngineError(
					"refused",
					`${path} has more than ${MAX_BYTES / 1e6} MB, and is left as it is. Make it smaller, and weft goes on with it.`,
				);
			default:
				throw new EngineError(
					"refused",
					`${path} cannot be read, and is left as it is. Look at the file, or remove it.`,
				);
		}
		const text = decode(reading.bytes);
		const hash = sha256(text ?? reading.bytes.toString("latin1"));
		const document = text === undefined ? undefined : parseDocument(text);
		const at = Math.min(document?.revision ?? revision, revision);
		const known = at === revision ? live : this.store.bullets(key, at);
		if (!document || isDamaged(document, known)) return { ...again, hash, isRestored: true };
		const isCurrent = document.revision === revision && revision > 0;
		return { document, known, live, revision, hash, isCurrent, isRestored: false };
	}

	#append(
		{ file, why, session, ts, cause, job }: WriteRequest,
		payload: Pick<Payload<"MemoryWrite">, "revision" | "before" | "after"> & { readonly ops: readonly StoredOp[] },
	): void {
		const of = file.kind === "session" ? file.of : session;
		const event: NewEvent = {
			type: "MemoryWrite",
			session: of.session,
			host: of.host,
			ts,
			cause,
			entry: `memory ${keyOf(file)} ${payload.revision}`,
			payload: { file: file.kind, why, ...payload, ops: [...payload.ops], job },
		};
		if (this.#options.append) this.#options.append(event);
		else this.#options.log.append([event]);
	}

	#backUp(path: string, file: MemoryFile, revision: number): void {
		const folder = join(dirname(path), "backup");
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		const name = FILE_NAMES[file.kind].replace(".md", "");
		copyFileSync(path, join(folder, `${name}-${String(revision).padStart(6, "0")}.md`));
		const old = readdirSync(folder).filter((each) => each.startsWith(`${name}-`));
		for (const each of old.sort().slice(0, -KEPT_BACKUPS)) rmSync(join(folder, each), { force: true });
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

/** Where the bytes go: a link stays one. What somebody made read-only is not to be written. */
function placeOf(path: string): { readonly place: string; readonly mode?: number | undefined } {
	const state = statSync(path, { throwIfNoEntry: false });
	if (state && (state.mode & 0o200) === 0)
		throw new EngineError(
			"refused",
			`${path} is read-only, and is left as it is. Make it writable, and weft goes on with it.`,
		);
	if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return { place: path };
	if (state) return { place: realpathSync(path), mode: state.mode & 0o777 };
	const place = resolve(dirname(path), readlinkSync(path));
	makePrivateFolder(dirname(place));
	return { place };
}

interface Found {
	readonly document: MemoryDocument;
	/** What stood in the file when it was written. */
	readonly known: readonly KnownBullet[];
	/** What stands in it by the log: a write may not have reached the disk. */
	readonly live: readonly KnownBullet[];
	readonly revision: number;
	/** SHA-256 of what was found; null: no file. */
	readonly hash: string | null;
	/** The file is there and of the newest revision. */
	readonly isCurrent: boolean;
	readonly isRestored: boolean;
}

interface UserChanges {
	readonly ops: readonly StoredOp[];
	readonly current: readonly CurrentBullet[];
	/** The bullet of the file that stands for each of the current ones; undefined: it is not in the file yet. */
	readonly places: ReadonlyMap<string, Bullet>;
	/** What the user took out, word for word. */
	readonly forgotten: readonly string[];
	/** Bullets of the file that are not current any more. */
	readonly gone: readonly Bullet[];
	/** Those that the user wrote or changed, with the id that they have now. */
	readonly renamed: ReadonlyMap<Bullet, string>;
}

/** What the user did to the file since it was written. */
function userChanges({ document, known, live }: Found, file: string, store: MemoryStore): UserChanges {
	const knownById = new Map(known.map((each) => [each.id, each]));
	const liveById = new Map(live.map((each) => [each.id, each]));
	const ops: StoredOp[] = [];
	const current: CurrentBullet[] = [];
	const places = new Map<string, Bullet>();
	const renamed = new Map<Bullet, string>();
	const gone: Bullet[] = [];
	const used = new Set([...knownById.keys(), ...liveById.keys()]);
	const seen = new Set<string>();
	const users = { by: "user", until: null, ts: null } as const;
	// Brought by a write that did not reach the file: what the user wrote there was seen by it already.
	const pending = live.filter(({ id }) => !knownById.has(id));
	const adopted = new Set<string>();
	const adopt = (bullet: Bullet, text: string): boolean => {
		const same = pending.find((each) => each.text === text && each.by === "user" && !adopted.has(each.id));
		if (!same) return false;
		adopted.add(same.id);
		renamed.set(bullet, same.id);
		places.set(same.id, bullet);
		return true;
	};
	/** How many names of a text were tried: a file may say the same thing ten thousand times. */
	const tried = new Map<string, number>();
	const nameFor = (text: string): string => {
		for (let nth = tried.get(text) ?? 0; ; nth++) {
			const id = bulletId(file, text, nth);
			if (used.has(id) || store.isTaken(id, text)) continue;
			used.add(id);
			tried.set(text, nth + 1);
			return id;
		}
	};
	for (const { section, bullet } of bulletsOf(document)) {
		if (bullet.text === "") continue;
		const text = bullet.text.slice(0, MAX_USER_CHARS).toWellFormed();
		const before = bullet.id === undefined || seen.has(bullet.id) ? undefined : knownById.get(bullet.id);
		if (!before) {
			if (adopt(bullet, text)) continue;
			const id = nameFor(text);
			ops.push({ op: "add", id, section, by: "user", text });
			renamed.set(bullet, id);
			places.set(id, bullet);
			current.push({ id, section, text, ...users });
			continue;
		}
		seen.add(before.id);
		if (before.text !== text) {
			if (adopt(bullet, text)) continue;
			const id = nameFor(text);
			ops.push({ op: "supersede", id, section, by: "user", text, replaces: before.id });
			renamed.set(bullet, id);
			places.set(id, bullet);
			current.push({ id, section, text, ...users });
		} else if (!liveById.has(before.id)) {
			// The log has taken it out, and the file did not follow.
			gone.push(bullet);
		} else {
			if (before.section !== section) ops.push({ op: "add", id: before.id, section, by: before.by, text });
			places.set(before.id, bullet);
			const { id, by, until, ts } = before;
			current.push({ id, section, text, by, until, ts });
		}
	}
	const forgotten: string[] = [];
	for (const { id, section, text } of known) {
		if (seen.has(id) || !liveById.has(id)) continue;
		ops.push({ op: "invalidate", id, section, by: "user", isForgotten: true });
		forgotten.push(text);
	}
	for (const { id, section, text, by, until, ts } of pending) current.push({ id, section, text, by, until, ts });
	return { ops, current, places, forgotten, gone, renamed };
}

function rendered(
	found: Found,
	users: UserChanges,
	planned: readonly StoredOp[],
	{ file, ts }: WriteRequest,
	revision: number,
): string {
	const replaced = new Map<Bullet, Bullet | null>(users.gone.map((bullet) => [bullet, null]));
	for (const [bullet, id] of users.renamed) replaced.set(bullet, withMark(bullet, id, dayOf(ts)));
	const fresh = new Map<string, { readonly section: string; readonly bullet: Bullet }>();
	for (const { id, section, text, until, ts: since } of users.current) {
		if (!users.places.has(id)) fresh.set(id, { section, bullet: newBullet(id, text, since ?? ts, until) });
	}
	const remove = (id: string) => {
		const bullet = users.places.get(id);
		if (bullet) replaced.set(bullet, null);
		fresh.delete(id);
	};
	for (const op of planned) {
		switch (op.op) {
			case "invalidate":
				remove(op.id);
				break;
			case "confirm": {
				const bullet = users.places.get(op.id);
				if (bullet) replaced.set(bullet, withMark(bullet, op.id, dayOf(ts)));
				break;
			}
			default: {
				const bullet = newBullet(op.id, op.text ?? "", ts, op.until ?? null);
				const before = op.replaces === undefined ? undefined : users.places.get(op.replaces);
				if (before) replaced.set(before, bullet);
				else {
					if (op.replaces !== undefined) fresh.delete(op.replaces);
					fresh.set(op.id, { section: op.section, bullet });
				}
			}
		}
	}
	const added = Map.groupBy(fresh.values(), ({ section }) => section);
	const edited = editDocument(found.document, file.kind, {
		replaced,
		added: new Map([...added].map(([section, list]) => [section, list.map(({ bullet }) => bullet)])),
	});
	return withFinalBreak(renderDocument(withRevision(edited, revision, nameOf(file))));
}

/** Without a file: the title, and what the log knows. */
function rebuilt(file: MemoryFile, live: readonly KnownBullet[]): MemoryDocument {
	const empty = parseDocument(`${TITLES[file.kind]}\n`);
	const added = Map.groupBy(live, ({ section }) => section);
	return editDocument(empty, file.kind, {
		replaced: new Map(),
		added: new Map(
			[...added].map(([section, list]) => [
				section,
				list.map(({ id, text, ts, until }) => newBullet(id, text, ts, until)),
			]),
		),
	});
}

const TITLES = {
	session: "\n# The work of this session",
	memory: "\n# What stays true of this project",
	history: "\n# What was done here",
} as const;

function newBullet(id: string, text: string, ts: number, until: number | null): Bullet {
	const probation = until === null ? "" : `, on probation until ${dayOf(until)}`;
	const [first = "", ...rest] = text.split("\n");
	const lines = [`- ${first} <!-- ${id} ${dayOf(ts)}${probation} -->`, ...rest.map((line) => `  ${line}`)];
	return { kind: "bullet", id, text, lines };
}

/** The user's own line, with an id at its end. */
function withMark(bullet: Bullet, id: string, day: string): Bullet {
	const [first = "", ...rest] = bullet.lines;
	const words = first.replace(/[ \t]*<!-- f-[0-9a-f]{8}(?: [^<>]*)? -->[ \t]*$/, "");
	return { kind: "bullet", id, text: bullet.text, lines: [`${words} <!-- ${id} ${day} -->`, ...rest] };
}

/** More than this share of what we wrote is gone, and the line with the revision too: nobody edits like that. */
const LOST_SHARE = 0.6;

function isDamaged(document: MemoryDocument, known: readonly KnownBullet[]): boolean {
	if (document.revision !== undefined || known.length === 0) return false;
	const ids = new Set(bulletsOf(document).map(({ bullet }) => bullet.id));
	return known.filter(({ id }) => !ids.has(id)).length > known.length * LOST_SHARE;
}

function decode(bytes: Buffer): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

/** UTC, so that a file says the same wherever it is written. */
export function dayOf(ts: number): string {
	return new Date(ts).toISOString().slice(0, 10);
}

/** As the first line of its file names a session. */
export function nameOf(file: MemoryFile): string {
	return file.kind === "session" ? ` of session ${file.of.session.replace(/[^\w.@+~-]+/g, "-").slice(0, 80)}` : "";
}

function withFinalBreak(text: string): string {
	return `${text.replace(/\n+$/, "")}\n`;
}
