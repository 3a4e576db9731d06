/**
 * Files as they were at an event: from the bytes that were kept, from the commit that held them then, and from the changes
 * that agents made in between. A text that is rebuilt counts only where its changes fit.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { applyPatch } from "diff";
import { linkStatOf } from "../../base/file/regular-file.ts";
import { changedBetween, type GitPlace, type HeldFile, HeldFileReader, heldFiles } from "../../base/git/held-file.ts";
import { keptRef } from "../../base/git/linked-objects.ts";
import { commitFolderOf, type Stash } from "../../base/git/work-tree.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { type EventRecord, isA, type Payload } from "../../log/event/types.ts";
import type { Log } from "../../log/log.ts";
import { pathIn } from "../keeper.ts";
import { type KeptFolder, type KeptStaged, type KeptVersion, keptFolderAt } from "../kept-files.ts";
import type { UnheldFiles } from "../unheld-files.ts";

export type FileAt =
	| {
			readonly kind: "file";
			readonly mode: number;
			readonly isLink: boolean;
			readonly size: number | undefined;
			/** SHA-256 of the bytes, where it is known without reading them. */
			readonly hash: string | undefined;
			/** Undefined: the bytes have left. */
			readonly read: () => Buffer | { readonly copy: string } | undefined;
	  }
	/** `isSure`: the disk said so then. */
	| { readonly kind: "absent"; readonly isSure?: boolean | undefined }
	| { readonly kind: "unknown"; readonly why: string };

/** `from`: a repository that has its commit; undefined: only the user's own, until git drops it. */
export interface KeptStash extends Stash {
	readonly from: string | undefined;
}

const MAX_CHANGES = 500;
/** The disk's clock may lag behind ours. */
const TICK_MS = 20;
const MAX_LATER = 64;

/** A folder's files at an event. */
export class FolderAt {
	readonly root: string;
	readonly seq: number;
	readonly #log: Log;
	readonly #then: KeptFolder;
	readonly #looks: FolderLooks;
	/** The next looks, up to one at the whole folder. */
	readonly #later: LaterLooks;
	readonly #changedLater: ReadonlyMap<string, LaterChange>;
	readonly #ts: number;

	constructor(log: Log, root: string, seq: number) {
		this.#log = log;
		this.root = root;
		this.seq = seq;
		this.#then = keptFolderAt(log, root, seq);
		this.#ts = timeAt(log, seq);
		this.#looks = looksUpTo(log, root, seq);
		this.#later = looksAfter(log, root, seq);
		this.#changedLater = changesLater(log, seq);
	}

	/** The commit then; undefined: no repository was seen. */
	get head(): string | null | undefined {
		return this.#then.head;
	}

	/**
	 * True: a file that last changed at this time, in ms, was so at the event already. `upTo`: seq of the look that found the
	 * time; left out: the disk as it is now. Where the log has a change by an agent in between, the log's order counts: the
	 * clock cannot tell what happened within a millisecond.
	 */
	isBefore(path: string, changedAt: number, upTo = Number.POSITIVE_INFINITY): boolean {
		const changes = this.#changesLater(path).map((change) => change.seq);
		if (Math.min(...changes) < upTo) return false;
		// Within a tick the clocks cannot tell. A file whose bytes were kept at the event comes back; any other stays.
		return changedAt <= (this.#isLookedAt(path) ? this.#ts - TICK_MS : this.#ts);
	}

	/**
	 * True: a file that git does not hold now, and that was not kept, was not there then. `isOtherwiseIgnored`: git ignored other
	 * files then, of which not all were looked at.
	 */
	isNewSince(path: string, bornAt: number, isOtherwiseIgnored: boolean): boolean {
		const { whole } = this.#looks;
		if (whole === undefined) return false;
		const isSure = this.#isLookedAt(path) && !isOtherwiseIgnored && whole.payload.left === undefined;
		return isSure || !(bornAt > 0 && bornAt <= this.#ts);
	}

	/** True: a file that is not there now was gone at the event already. Nothing has left the folder around it since. */
	wasGone(path: string): boolean {
		if (this.#isLookedAt(path)) return false;
		let folder = dirname(resolve(this.root, path));
		while (folder.length > this.root.length && !linkStatOf(folder)) folder = dirname(folder);
		const stat = linkStatOf(folder);
		// Only the clock of the disk sets this time; programs can set back the other.
		return stat !== undefined && Number(stat.ctimeMs) < this.#ts - TICK_MS;
	}

	/**
	 * Of files that are not there now: those that the user, or a command before the event, may have removed by then. Nothing
	 * shows that they were there at the event or after it.
	 */
	mayHaveBeenGone(paths: readonly string[]): ReadonlySet<string> {
		const { newest } = this.#looks;
		const isLook = newest?.seq === this.seq;
		const { whole, versions } = this.#later;
		const unsure = paths.filter((path) => {
			if (this.#isLookedAt(path)) return false;
			// A look at single files asks of those that were kept earlier, too.
			if (this.#then.files.has(path) && (isLook || whole === undefined)) return false;
			const later = versions.get(path);
			if (later && !later.version.absent) return false;
			// A write may have made it anew.
			return !this.#changesLater(path).some(({ kind }) => kind !== "write");
		});
		if (unsure.length === 0 || whole === undefined) return new Set(unsure);
		const next = new FolderAt(this.#log, this.root, whole).files(unsure);
		return new Set(unsure.filter((path) => next.get(path)?.kind === "absent"));
	}

	/** The first change by an agent after the event, by each name of the file. */
	#changesLater(path: string): readonly LaterChange[] {
		return namesOf(this.root, path).flatMap((name) => this.#changedLater.get(name) ?? []);
	}

	/** The event itself is a look at this file. */
	#isLookedAt(path: string): boolean {
		const { newest, whole, files } = this.#looks;
		const look = files.get(path) ?? whole;
		return newest !== undefined && newest.seq === this.seq && look !== undefined && isSameLook(look, newest);
	}

	/** Texts that only git's index had then. */
	get staged(): readonly KeptStaged[] {
		return this.#then.staged;
	}

	/** The stashes then, and where their commits are kept. */
	get stashes(): readonly KeptStash[] {
		const gitFolder = commitFolderOf(this.root) ?? join(this.root, ".git");
		const from = this.#log.kept.linkedCommits(gitFolder);
		return this.#then.stashes.map((stash) => ({
			...stash,
			from: from !== undefined && existsSync(join(from, keptRef(stash.commit))) ? from : undefined,
		}));
	}

	get isKnown(): boolean {
		return this.#then.seq > 0;
	}

	/** Paths that git did not hold then. */
	paths(): string[] {
		return [...new Set([...this.#then.files.keys(), ...this.#later.versions.keys()])].filter(
			(path) => !path.startsWith("/"),
		);
	}

	/** Paths that the commits of then and those of now do not hold alike. */
	pathsHeldOtherwise(now: Pick<UnheldFiles, "head" | "trees">): string[] {
		return this.#heldTrees().flatMap(({ path: below, head, place }) => {
			const current = below === "" ? now.head : now.trees.find(({ path }) => path === below)?.head;
			if (current === head) return [];
			const paths = current ? changedBetween(place, head, current) : [...heldFiles(place, head).keys()];
			return paths.map((path) => join(below, path));
		});
	}

	files(paths: readonly string[]): Map<string, FileAt> {
		const found = new Map<string, FileAt>();
		const rest = new Set(paths);
		// A work tree inside comes before the one around it.
		for (const { path: below, head, place } of this.#heldTrees()) {
			const inside = [...rest].filter(
				(path) => !path.startsWith("/") && (below === "" || path.startsWith(`${below}/`)),
			);
			const nameIn = (path: string) => (below === "" ? path : path.slice(below.length + 1));
			const held = heldFiles(place, head, inside.map(nameIn));
			const reader = new HeldFileReader(place, head, [...held.values()]);
			for (const path of inside) {
				rest.delete(path);
				const file = held.get(nameIn(path));
				found.set(path, this.#file(path, file && fromCommit(file, reader)));
			}
		}
		for (const path of rest) found.set(path, this.#file(path, undefined));
		return found;
	}

	/** The commits that held files then, the innermost work tree first. */
	#heldTrees(): readonly { readonly path: string; readonly head: string; readonly place: GitPlace }[] {
		const { head, trees } = this.#then;
		const isOwn = head && !trees.some(({ path }) => path === "");
		const spareOf = (gitFolder: string) => this.#log.kept.linkedCommits(gitFolder);
		const spare = spareOf(join(this.root, ".git"));
		const own = isOwn ? [{ path: "", head, place: { folder: this.root, spare } }] : [];
		const others = trees.map(({ path, head, commits }) => ({
			path,
			head,
			place: { folder: join(this.root, path), commits, spare: spareOf(commits) },
		}));
		return [...own, ...others].sort((a, b) => b.path.length - a.path.length);
	}

	#file(path: string, held: FileAt | undefined): FileAt {
		const later = this.#later.versions.get(path);
		if (later && !later.version.absent && this.isBefore(path, later.version.at, later.seq))
			return this.#fromVersion(later.version);
		const kept = this.#then.files.get(path);
		const base = kept ? this.#fromVersion(kept) : held;
		const look = this.#looks.files.get(path) ?? this.#looks.whole;
		const changes = look?.seq === this.seq ? [] : this.#changesSince(path, look?.seq ?? 0);
		if (changes.length > 0) return this.#rebuilt(base, changes);
		return base ?? { kind: "absent" };
	}

	#fromVersion({ hash, copy, mode, link, size, absent }: KeptVersion): FileAt {
		if (absent) return { kind: "absent", isSure: true };
		const { kept } = this.#log;
		const read = () => {
			const path = copy === undefined ? undefined : kept.copyPath(copy);
			return path === undefined ? (hash === undefined ? undefined : this.#log.getBlob(hash)) : { copy: path };
		};
		return { kind: "file", mode, isLink: link ?? false, size, hash, read };
	}

	/** Changes by agents' tools up to the event, oldest first. */
	#changesSince(path: string, after: number): EventRecord[] {
		const found: EventRecord[] = [];
		const query = { types: ["FileChanged"], after, upTo: this.seq, order: "newest", limit: MAX_CHANGES } as const;
		for (const name of namesOf(this.root, path)) {
			for (const event of this.#log.read({ ...query, file: name })) {
				const { real } = event.payload;
				const isIt = typeof real === "string" ? real === `${this.root}/${path}` : name.endsWith(path);
				if (isIt) found.push(event);
			}
		}
		return found.sort((a, b) => a.seq - b.seq);
	}

	#rebuilt(base: FileAt | undefined, changes: readonly EventRecord[]): FileAt {
		let text: string | undefined;
		const start = base?.kind === "file" && !base.isLink ? base.read() : undefined;
		if (start instanceof Buffer) text = start.toString("utf8");
		for (const event of changes) {
			if (!isA(event, "FileChanged")) continue;
			const { kind, diff, hash } = event.payload;
			if (kind === "delete") {
				text = undefined;
				continue;
			}
			const isSame = text !== undefined && hash !== undefined && sha256(text) === hash;
			if (isSame) continue;
			const after = diff === undefined ? undefined : patched(text ?? "", diff);
			// A diff may fit a text that a command has changed elsewhere.
			if (after === undefined || (hash !== undefined && sha256(after) !== hash))
				return { kind: "unknown", why: `#${event.seq} changed it, and its bytes then were not kept` };
			text = after;
		}
		if (text === undefined) return { kind: "absent" };
		const bytes = Buffer.from(text);
		const mode = base?.kind === "file" ? base.mode : 0o644;
		return { kind: "file", mode, isLink: false, size: bytes.length, hash: sha256(text), read: () => bytes };
	}
}

function fromCommit(held: HeldFile, reader: HeldFileReader): FileAt {
	const isLink = (held.mode & 0o170000) === 0o120000;
	if (!isLink && reader.isFiltered(held.path))
		return { kind: "unknown", why: "git makes it with a program (filter in .gitattributes), and weft starts none" };
	const read = () => reader.read(held.path);
	return { kind: "file", mode: held.mode & 0o777, isLink, size: undefined, hash: undefined, read };
}

type KeptEvent = EventRecord & { readonly payload: Payload<"FilesKept"> };

/** The newest looks at a folder's files up to an event. */
interface FolderLooks {
	readonly newest: KeptEvent | undefined;
	/** The newest look at all files that git does not hold. */
	readonly whole: KeptEvent | undefined;
	/** Looks at single files since. */
	readonly files: ReadonlyMap<string, KeptEvent>;
}

function looksUpTo(log: Log, root: string, upTo: number): FolderLooks {
	const files = new Map<string, KeptEvent>();
	let newest: KeptEvent | undefined;
	for (const event of log.read({ file: root, types: ["FilesKept"], order: "newest", upTo })) {
		if (!isA(event, "FilesKept")) continue;
		newest ??= event;
		if (event.payload.whole) return { newest, whole: event, files };
		// A full list repeats versions of earlier looks.
		if (event.payload.full) continue;
		for (const { path } of event.payload.files) if (!files.has(path)) files.set(path, event);
	}
	return { newest, whole: undefined, files };
}

/** Before one call, a look at the folder and one at single files are two events. */
function isSameLook(a: KeptEvent, b: KeptEvent): boolean {
	return a.session === b.session && a.payload.callId === b.payload.callId;
}

/** A session names files from its own folder: the path as it is, absolute, and without leading folders. */
function namesOf(root: string, path: string): string[] {
	const parts = path.split("/");
	return [`${root}/${path}`, ...parts.map((_, at) => parts.slice(at).join("/"))];
}

interface LaterVersion {
	readonly version: KeptVersion;
	readonly seq: number;
}

interface LaterLooks {
	/** Of each file, the first version. */
	readonly versions: ReadonlyMap<string, LaterVersion>;
	/** seq of the look at the whole folder. */
	readonly whole: number | undefined;
}

function looksAfter(log: Log, root: string, seq: number): LaterLooks {
	const versions = new Map<string, LaterVersion>();
	for (const event of log.read({ file: root, types: ["FilesKept"], after: seq, limit: MAX_LATER })) {
		if (!isA(event, "FilesKept")) continue;
		for (const version of event.payload.files)
			if (!versions.has(version.path)) versions.set(version.path, { version, seq: event.seq });
		if (event.payload.whole) return { versions, whole: event.seq };
	}
	return { versions, whole: undefined };
}

interface LaterChange {
	readonly seq: number;
	readonly kind: Payload<"FileChanged">["kind"];
}

/** The first change by an agent after an event, by the file's real path, or as the session names it. */
function changesLater(log: Log, seq: number): Map<string, LaterChange> {
	const found = new Map<string, LaterChange>();
	for (const event of log.read({ types: ["FileChanged"], after: seq })) {
		// A change by somebody else is older than its event: only the clock tells when.
		if (!isA(event, "FileChanged") || event.payload.actor === "other") continue;
		const { kind, real, path } = event.payload;
		const name = real ?? path;
		if (!found.has(name)) found.set(name, { seq: event.seq, kind });
	}
	return found;
}

function timeAt(log: Log, seq: number): number {
	for (const event of log.read({ upTo: seq, order: "newest", limit: 1 })) return event.ts;
	return 0;
}

function patched(text: string, diff: string): string | undefined {
	try {
		const after = applyPatch(text, diff);
		return after === false ? undefined : after;
	} catch {
		return undefined;
	}
}

/** The kept folder that a file is in: the innermost. */
export function rootOf(roots: readonly string[], absolute: string): string | undefined {
	const around = roots.filter((root) => pathIn(root, absolute) !== absolute);
	return around.sort((a, b) => b.length - a.length)[0];
}
