/**
 * Keeps the bytes of the user's files before something can overwrite or remove them. It reads only files whose stat differs
 * from the last time, and stores each content once. It never changes a file of the user's.
 */
import { hash } from "node:crypto";
import { type BigIntStats, existsSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { linkStatOf, readBounded } from "../base/file/regular-file.ts";
import { keptRef } from "../base/git/linked-objects.ts";
import { commitFolderOf, readObjects, type Stash, stashesOf } from "../base/git/work-tree.ts";
import { cutStart } from "../base/text/cut.ts";
import { type GivenPayload, isA } from "../log/event/types.ts";
import { projectRoot } from "../log/home.ts";
import type { KeptBytes } from "../log/store/kept-bytes.ts";
import { commandText } from "../state/session/shell-command.ts";
import {
	applyKept,
	type KeptFolder,
	type KeptRecords,
	type KeptStaged,
	type KeptVersion,
	keptFolderAt,
	MAX_DELTAS,
} from "./kept-files.ts";
import type { GuardCall, GuardEvent } from "./types.ts";
import { type HeldTree, listUnheldFiles, type StagedText, type UnheldFile } from "./unheld-files.ts";

export interface FileKeeperOptions {
	readonly log: KeptRecords & {
		readonly kept: KeptBytes;
		readonly getBlob: (sha256: string) => Buffer | undefined;
		readonly transaction: <T>(work: () => T) => T;
	};
	/** Space for all that is kept, in bytes. */
	readonly maxBytes: number;
	readonly now: () => number;
}

/** What was kept before a call. */
export interface Keeping {
	/** The folder, absolute. */
	readonly root: string;
	readonly events: readonly GuardEvent[];
	/** Every kept version of a file that is there now. */
	readonly files: ReadonlyMap<string, KeptVersion>;
	/** Files that could not be kept. */
	readonly left: readonly LeftFile[];
	/** All files below the root that git does not hold were looked at. */
	readonly isAll: boolean;
	/** seq of its event; undefined: this process has just made it. */
	readonly seq?: number | undefined;
}

export type LeftFile = NonNullable<GivenPayload<"FilesKept">["left"]>[number];

type KeepReason = GivenPayload<"FilesKept">["why"];

interface KeepTreeOptions {
	readonly isMoment?: boolean;
	readonly isGitAtRisk?: boolean;
	readonly taken?: readonly string[];
}

const MAX_BLOB_BYTES = 32 * 1024 * 1024;
/** Of one look at a folder. */
const MAX_NEW_BYTES = 256 * 1024 * 1024;
/** All of a large folder without a repository. */
const MAX_FILES = 60_000;
/** Of those that git holds too, where its commits are linked. */
const MAX_TRACKED = 5_000;
/** Stats before a command that names the files it writes. */
const MAX_ABSENT_LOOKS = 500;
const MAX_LEFT = 20;
const MAX_COMMAND_CHARS = 500;
const MAX_ROOTS = 16;
/** The disk's clock may tick more slowly than files can be written. */
const TICK_MS = 20;

interface OpenFolder extends KeptFolder {
	/** Path → the stat of its newest version. Empty for those of earlier processes. */
	readonly stats: Map<string, string>;
}

export class Keeper {
	readonly #options: FileKeeperOptions;
	readonly #folders = new Map<string, OpenFolder>();
	/** Linking takes time, so it is tried once for each list. */
	#triedStashes = "";

	constructor(options: FileKeeperOptions) {
		this.#options = options;
	}

	/**
	 * Keeps every file below the folder's project that git does not hold. `isMoment`: records it even if nothing differs.
	 * `isGitAtRisk`: those that git holds too, by links to its commits and, if they are few, as they are on disk. `taken`: files
	 * and folders that are about to go, absolute.
	 */
	keepTree(
		call: GuardCall,
		folder: string,
		why: KeepReason,
		{ isMoment = false, isGitAtRisk = false, taken }: KeepTreeOptions = {},
	): Keeping {
		const root = projectRoot(folder);
		const isLinked = isGitAtRisk && this.#linkCommits(call, commitFolderOf(root) ?? join(root, ".git"));
		const tracked = !isGitAtRisk ? 0 : isLinked ? MAX_TRACKED : Number.POSITIVE_INFINITY;
		const { head, trees, files, staged, missing, tooLarge = [] } = listUnheldFiles(root, { tracked, taken });
		const index = head === undefined ? undefined : { staged: staged ?? [], stashes: this.#keepStashes(call, root) };
		for (const { commits } of isGitAtRisk ? trees : [])
			if (commits.startsWith(`${root}/.git/`)) this.#linkCommits(call, commits);
		const left = tooLarge.map((path) => ({ path, size: 0, why: "too many ignored files" }));
		const isAll = missing === undefined;
		return this.#keep(call, root, { files, head, trees, index, missing, left, why, isAll, isMoment });
	}

	/** Links the commits if a stash is new. If they cannot be linked, git itself keeps a dropped stash for some weeks. */
	#keepStashes(call: GuardCall, root: string): readonly Stash[] {
		const gitFolder = commitFolderOf(root) ?? join(root, ".git");
		const stashes = stashesOf(gitFolder);
		const linked = this.#options.log.kept.linkedCommits(gitFolder);
		const commits = stashes.map(({ commit }) => commit);
		const isNew = commits.some((commit) => linked === undefined || !existsSync(join(linked, keptRef(commit))));
		const tried = `${gitFolder} ${commits.join(" ")}`;
		if (isNew && this.#triedStashes !== tried) this.#linkCommits(call, gitFolder, commits);
		this.#triedStashes = tried;
		return stashes;
	}

	#linkCommits({ session }: GuardCall, gitFolder: string, named?: readonly string[]): boolean {
		const { log, maxBytes, now } = this.#options;
		return log.kept.linkCommits(gitFolder, maxBytes / 2, { session, now: now() }, named);
	}

	/** Keeps single files: absolute paths. `isMoment`: records them even if none differs. */
	keepFiles(call: GuardCall, paths: readonly string[], why: KeepReason, isMoment = false): Keeping {
		const root = projectRoot(call.cwd);
		const files = paths.map((path) => ({ path: pathIn(root, path), tracked: false }));
		return this.#keep(call, root, {
			files,
			head: undefined,
			trees: [],
			missing: undefined,
			left: [],
			why,
			isAll: false,
			isMoment,
		});
	}

	#keep(
		call: GuardCall,
		root: string,
		found: {
			readonly files: readonly UnheldFile[];
			readonly head: string | null | undefined;
			readonly trees: readonly HeldTree[];
			/** What git alone has; undefined: not looked at. */
			readonly index?: { readonly staged: readonly StagedText[]; readonly stashes: readonly Stash[] } | undefined;
			readonly missing: string | undefined;
			readonly left: readonly LeftFile[];
			readonly why: KeepReason;
			readonly isAll: boolean;
			readonly isMoment: boolean;
		},
	): Keeping {
		const folder = this.#open(root);
		const look = new FolderLook(this.#options, folder, root, call, found.why);
		const staged = this.#options.log.transaction(() => {
			for (const file of found.files) look.take(file);
			return found.index && look.takeStaged(found.index.staged);
		});
		const isIndexNews = {
			staged: staged !== undefined && !isDeepStrictEqual(staged, folder.staged),
			stashes: found.index !== undefined && !isDeepStrictEqual(found.index.stashes, folder.stashes),
		};
		if (staged && found.index) {
			folder.staged = staged;
			folder.stashes = found.index.stashes;
		}
		const isSingle = !found.isAll && found.missing === undefined;
		const unseen = [...folder.files.keys()].filter((path) => !look.seen.has(path) && !path.startsWith("/"));
		const gone = found.isAll ? unseen : found.isMoment && isSingle ? look.takeAbsent(unseen) : [];
		look.left.push(...found.left);
		if (found.missing !== undefined) look.left.push({ path: root, size: 0, why: found.missing });
		for (const path of gone) {
			folder.files.delete(path);
			folder.stats.delete(path);
		}
		const isMoved = found.head !== undefined && (found.head !== folder.head || !isSameTrees(found.trees, folder.trees));
		if (found.head !== undefined) {
			folder.head = found.head;
			folder.trees = found.trees;
		}
		// A full list does not say which of its files were looked at now; one of the whole folder need not.
		const isFull = folder.deltas >= (found.isAll ? MAX_DELTAS - 1 : MAX_DELTAS * 3);
		const events: GuardEvent[] = [];
		// A list of single files has each, so that the event says which were looked at.
		const looked = [...look.seen].flatMap((path) => folder.files.get(path) ?? []);
		const listed = found.isMoment && isSingle ? looked : look.fresh;
		const isNews = listed.length + gone.length > 0 || isMoved || isIndexNews.staged || isIndexNews.stashes;
		if (isNews || (found.isMoment && !isSingle)) {
			const { session, host, tool, callId } = call;
			const command = commandText(call.input);
			const payload: GivenPayload<"FilesKept"> = {
				path: root,
				why: found.why,
				head: found.head,
				trees: found.trees.length === 0 ? undefined : [...found.trees],
				full: isFull ? true : undefined,
				whole: found.isAll ? true : undefined,
				files: isFull ? [...folder.files.values()] : listed,
				staged: isFull || isIndexNews.staged ? [...folder.staged] : undefined,
				stashes: isFull || isIndexNews.stashes ? [...folder.stashes] : undefined,
				gone: isFull || gone.length === 0 ? undefined : gone,
				left: look.left.length === 0 ? undefined : look.left.slice(0, MAX_LEFT),
				command: command === undefined ? undefined : cutStart(command, MAX_COMMAND_CHARS),
				tool,
				callId,
			};
			events.push({ type: "FilesKept", session, host, ts: this.#options.now(), payload });
		}
		if (look.newBytes > 0) this.#options.log.kept.evict(this.#options.maxBytes, this.#options.now());
		const files = new Map(looked.filter(hasBytes).map((version) => [version.path, version]));
		return { root, events, files, left: look.left, isAll: found.isAll };
	}

	/** What another process kept before this call. */
	keepingsOf({ session, host, callId }: GuardCall): Keeping[] {
		const { log } = this.#options;
		const query = { session, types: ["FilesKept"], order: "newest", limit: MAX_ROOTS } as const;
		return [...log.read(query)].flatMap((event): Keeping[] => {
			if (!isA(event, "FilesKept") || event.host !== host || event.payload.callId !== callId) return [];
			const { path: root, whole: isAll = false, files, left = [] } = event.payload;
			const versions = isAll ? keptFolderAt(log, root, event.seq).files.values() : files;
			const kept = [...versions].filter(hasBytes);
			const byPath = new Map(kept.map((version) => [version.path, version]));
			return [{ root, events: [], files: byPath, left, isAll, seq: event.seq }];
		});
	}

	/** Undefined: a copy beside the log holds them, or they are gone. */
	bytesOf({ hash: name }: KeptVersion): Buffer | undefined {
		return name === undefined ? undefined : this.#options.log.getBlob(name);
	}

	/** seq of the newest event that kept files of this folder. */
	momentOf(root: string): number | undefined {
		return this.#open(root).seq || undefined;
	}

	/** Another process may have kept files of this folder since. */
	#open(root: string): OpenFolder {
		const known = this.#folders.get(root);
		if (!known) {
			const folder = { ...keptFolderAt(this.#options.log, root), stats: new Map<string, string>() };
			if (this.#folders.size >= MAX_ROOTS) this.#folders.clear();
			this.#folders.set(root, folder);
			return folder;
		}
		for (const event of this.#options.log.read({ file: root, types: ["FilesKept"], after: known.seq })) {
			applyKept(known, event);
		}
		return known;
	}
}

/** One look at a folder's files. */
class FolderLook {
	readonly seen = new Set<string>();
	readonly fresh: KeptVersion[] = [];
	readonly left: LeftFile[] = [];
	newBytes = 0;
	readonly #options: FileKeeperOptions;
	readonly #folder: OpenFolder;
	readonly #root: string;
	readonly #call: GuardCall;
	readonly #why: KeepReason;

	constructor(options: FileKeeperOptions, folder: OpenFolder, root: string, call: GuardCall, why: KeepReason) {
		this.#why = why;
		this.#options = options;
		this.#folder = folder;
		this.#root = root;
		this.#call = call;
	}

	take({ path, tracked }: UnheldFile): void {
		const absolute = path.startsWith("/") ? path : join(this.#root, path);
		const stat = linkStatOf(absolute);
		const isGone = !stat || (stat.isDirectory() && this.#why === "rewind");
		if (isGone && (tracked || this.#why === "rewind")) this.#noteAbsent(path, tracked);
		if (!stat || !(stat.isFile() || stat.isSymbolicLink())) return;
		this.seen.add(path);
		const key = keyOf(stat);
		const before = this.#folder.files.get(path);
		if (before && this.#folder.stats.get(path) === key && this.#isStored(before)) return;
		const size = Number(stat.size);
		const why = this.#refusal(size);
		const content = why === undefined ? this.#store(absolute, stat) : undefined;
		if (!content) {
			const unreadable = size > MAX_BLOB_BYTES ? "no room for a copy" : "it cannot be read";
			this.left.push({ path, size, why: why ?? unreadable });
		}
		const at = changedAt(stat);
		const version: KeptVersion = {
			path,
			...content,
			size,
			mode: Number(stat.mode & 0o7777n),
			...(stat.isSymbolicLink() && { link: true }),
			...(tracked && { tracked: true }),
			at,
		};
		if (content && at < this.#options.now() - TICK_MS) this.#folder.stats.set(path, key);
		else this.#folder.stats.delete(path);
		if (before && isSameVersion(before, version)) return;
		this.#folder.files.set(path, version);
		this.fresh.push(version);
	}

	/** Reads only those that are new. */
	takeStaged(texts: readonly StagedText[]): KeptStaged[] {
		const known = new Map(this.#folder.staged.map((text) => [text.object, text]));
		const isKnown = ({ object }: StagedText) => {
			const name = known.get(object)?.hash;
			return name !== undefined && this.#options.log.kept.has(name);
		};
		const bytes = new Map<string, Buffer>();
		for (const tree of new Set(texts.map((text) => text.tree))) {
			const objects = texts.filter((text) => text.tree === tree && !isKnown(text)).map(({ object }) => object);
			for (const [object, read] of readObjects(join(this.#root, tree), objects)) bytes.set(object, read);
		}
		return texts.map((text): KeptStaged => {
			const { path, object, mode } = text;
			const of = { path, object, mode: mode & 0o777 };
			const before = isKnown(text) ? known.get(object) : undefined;
			if (before) return { ...before, ...of };
			const read = bytes.get(object);
			const size = read?.byteLength ?? 0;
			if (!read || size > MAX_BLOB_BYTES || this.newBytes + size > MAX_NEW_BYTES) return { ...of, size };
			this.newBytes += size;
			const hash = this.#options.log.kept.put(read, { session: this.#call.session, now: this.#options.now() });
			return { ...of, hash, size };
		});
	}

	/** Which of these were kept earlier and are gone? Returns those that git does not track. */
	takeAbsent(paths: readonly string[]): string[] {
		const gone: string[] = [];
		for (const path of paths.slice(0, MAX_ABSENT_LOOKS)) {
			const version = this.#folder.files.get(path);
			if (!version || version.absent || linkStatOf(join(this.#root, path))) continue;
			if (version.tracked) this.#noteAbsent(path, true);
			else gone.push(path);
		}
		return gone;
	}

	/** Undefined: its version has no bytes, so that a rewind leaves the file instead of taking an older version. */
	#store(absolute: string, stat: BigIntStats): { readonly hash: string } | { readonly copy: string } | undefined {
		const { kept } = this.#options.log;
		const of = { session: this.#call.session, now: this.#options.now() };
		if (stat.isFile() && stat.size > MAX_BLOB_BYTES) {
			const name = hash("sha256", `${absolute}\0${keyOf(stat)}`, "hex").slice(0, 32);
			const copy = kept.copy(absolute, name, of);
			this.newBytes += copy === undefined ? 0 : 1;
			return copy === undefined ? undefined : { copy };
		}
		const bytes = readAsIs(absolute, stat);
		if (!bytes) return undefined;
		this.newBytes += bytes.byteLength;
		return { hash: kept.put(bytes, of) };
	}

	#isStored({ hash: name, copy }: KeptVersion): boolean {
		const { kept } = this.#options.log;
		return name === undefined ? copy !== undefined && kept.copyPath(copy) !== undefined : kept.has(name);
	}

	#noteAbsent(path: string, tracked: boolean): void {
		this.seen.add(path);
		this.#folder.stats.delete(path);
		if (this.#folder.files.get(path)?.absent || this.#isTooMany()) return;
		const version: KeptVersion = { path, size: 0, mode: 0, absent: true, ...(tracked && { tracked }), at: 0 };
		this.#folder.files.set(path, version);
		this.fresh.push(version);
	}

	/** A rewind that a person asked for may be large; without what is there now it would be refused. */
	#isTooMany(): boolean {
		return this.#why !== "rewind" && this.seen.size > MAX_FILES;
	}

	#refusal(size: number): string | undefined {
		if (this.#isTooMany()) return `more than ${MAX_FILES} files`;
		const isMuch = this.#why !== "rewind" && size <= MAX_BLOB_BYTES && this.newBytes + size > MAX_NEW_BYTES;
		return isMuch ? "too many bytes" : undefined;
	}
}

/** The bytes of a file, or the target of a link; undefined: they cannot be read. */
function readAsIs(absolute: string, stat: BigIntStats): Buffer | undefined {
	try {
		if (stat.isSymbolicLink()) return readlinkSync(absolute, { encoding: "buffer" });
		const reading = readBounded(absolute, MAX_BLOB_BYTES);
		return reading.kind === "bytes" ? reading.bytes : undefined;
	} catch {
		return undefined;
	}
}

/** Relative inside the root, absolute outside it. */
export function pathIn(root: string, absolute: string): string {
	return absolute.startsWith(`${root}/`) ? relative(root, absolute) : absolute;
}

function hasBytes({ hash: name, copy }: KeptVersion): boolean {
	return name !== undefined || copy !== undefined;
}

function isSameVersion(a: KeptVersion, b: KeptVersion): boolean {
	return (
		a.absent === b.absent &&
		a.hash === b.hash &&
		a.copy === b.copy &&
		a.mode === b.mode &&
		a.link === b.link &&
		a.tracked === b.tracked
	);
}

function isSameTrees(a: readonly HeldTree[], b: readonly HeldTree[]): boolean {
	return a.length === b.length && a.every(({ path, head }, at) => path === b[at]?.path && head === b[at]?.head);
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
	return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** ms since the epoch. */
export function changedAt({ mtimeMs, ctimeMs }: BigIntStats): number {
	return Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs);
}
