/**
 * The versions of files that were kept, by folder: what a FilesKept event adds to those before it. A plain fold over the
 * events of one folder, oldest first.
 */
import type { Stash } from "../base/git/work-tree.ts";
import type { EventRecord, Payload } from "../log/event/types.ts";
import { isA } from "../log/event/types.ts";
import type { ReadQuery } from "../log/types.ts";
import type { HeldTree } from "./unheld-files.ts";

export type KeptVersion = Payload<"FilesKept">["files"][number];
export type KeptStaged = NonNullable<Payload<"FilesKept">["staged"]>[number];

export interface KeptFolder {
	/** seq of the newest event in it. */
	seq: number;
	head: string | null | undefined;
	trees: readonly HeldTree[];
	/** Texts that only git's index had. */
	staged: readonly KeptStaged[];
	stashes: readonly Stash[];
	readonly files: Map<string, KeptVersion>;
	/** Events since the newest full one. */
	deltas: number;
}

export interface KeptRecords {
	read(query: ReadQuery): Iterable<EventRecord>;
}

/** Each list of changes builds on at most this many others. */
export const MAX_DELTAS = 64;

/** The folder's kept files as an event left them. */
export function keptFolderAt(log: KeptRecords, root: string, upTo?: number): KeptFolder {
	const events: EventRecord[] = [];
	const query = { file: root, types: ["FilesKept"], order: "newest", limit: MAX_DELTAS * 4 } as const;
	for (const event of log.read(upTo === undefined ? query : { ...query, upTo })) {
		events.push(event);
		if (event.payload["full"] === true) break;
	}
	const folder: KeptFolder = {
		seq: 0,
		head: undefined,
		trees: [],
		staged: [],
		stashes: [],
		files: new Map(),
		deltas: 0,
	};
	for (const event of events.reverse()) applyKept(folder, event);
	return folder;
}

export function applyKept(folder: KeptFolder, event: EventRecord): void {
	if (!isA(event, "FilesKept")) return;
	const { full, head, trees = [], files, gone, staged, stashes } = event.payload;
	if (full) folder.files.clear();
	if (staged || full) folder.staged = staged ?? [];
	if (stashes || full) folder.stashes = stashes ?? [];
	if (head !== undefined) {
		folder.head = head;
		folder.trees = trees;
	}
	for (const path of gone ?? []) folder.files.delete(path);
	for (const version of files) folder.files.set(version.path, version);
	folder.deltas = full ? 0 : folder.deltas + 1;
	folder.seq = Math.max(folder.seq, event.seq);
}
