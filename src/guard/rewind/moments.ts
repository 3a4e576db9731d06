/** The moments that a project can be rewound to, in words, newest first. */
import { cutStart } from "../../base/text/cut.ts";
import { oneLine } from "../../base/text/printable.ts";
import { type EventRecord, isA } from "../../log/event/types.ts";
import type { Log } from "../../log/log.ts";

export interface RewindMoment {
	readonly seq: number;
	/** ms since the epoch. */
	readonly ts: number;
	readonly host: string;
	readonly session: string;
	readonly what: string;
	/** Files whose bytes were kept then. */
	readonly files: number;
	/** New texts that only git's index had, and the length of a new list of stashes. */
	readonly staged: number;
	readonly stashes: number;
}

const TYPES = ["FilesKept", "UserIntent", "Seal"];
const MAX_LOOKED = 5_000;
const MAX_CHARS = 100;

export function isMoment({ type }: EventRecord): boolean {
	return TYPES.includes(type);
}

export function listMoments(
	log: Log,
	root: string,
	options: { readonly limit: number; readonly paths?: readonly string[] },
): RewindMoment[] {
	const { limit, paths = [] } = options;
	const found: RewindMoment[] = [];
	let head: string | null | undefined;
	for (const event of log.read({ types: TYPES, order: "newest", limit: MAX_LOOKED })) {
		if (found.length >= limit) break;
		const { seq, ts, host, session } = event;
		if (isA(event, "FilesKept") && event.payload.path !== root) continue;
		const files = isA(event, "FilesKept") ? event.payload.files : [];
		const { staged = [], stashes = [] } = isA(event, "FilesKept") ? event.payload : {};
		const isOf = [...files, ...staged].some(({ path }) => paths.includes(path));
		if (paths.length > 0 && !isOf) continue;
		const counts = { files: files.length, staged: staged.length, stashes: stashes.length };
		found.push({ seq, ts, host, session, what: describe(event, head), ...counts });
		if (isA(event, "FilesKept") && event.payload.head !== undefined) head = event.payload.head;
	}
	return found;
}

function describe(event: EventRecord, laterHead: string | null | undefined): string {
	if (isA(event, "UserIntent")) return `before the run: ${short(event.payload.text)}`;
	if (isA(event, "FilesKept")) {
		const { why, command, head } = event.payload;
		const isCommitted = head !== undefined && laterHead !== undefined && laterHead !== null && laterHead !== head;
		const next = isCommitted ? `; then the commit ${laterHead.slice(0, 10)}` : "";
		if (why === "run") return `before the run's first change${next}`;
		if (why === "rewind") return `before a rewind: ${short(command ?? "")}${next}`;
		return `before: ${short(command ?? "")}${next}`;
	}
	return "at a seal";
}

function short(text: string): string {
	return cutStart(oneLine(text), MAX_CHARS);
}

/** The moment before the newest command that holds this text, or that has this call id. */
export function momentBefore(log: Log, root: string, command: string): number | undefined {
	for (const event of log.read({ file: root, types: ["FilesKept"], order: "newest", limit: MAX_LOOKED })) {
		if (!isA(event, "FilesKept") || event.payload.why === "rewind") continue;
		const { command: line = "", callId } = event.payload;
		if (callId === command || line.includes(command)) return event.seq;
	}
	return undefined;
}

/** Every folder of which files were kept. */
export function keptRoots(log: Log): string[] {
	const roots = new Set<string>();
	for (const event of log.read({ types: ["FilesKept"], order: "newest", limit: MAX_LOOKED })) {
		if (isA(event, "FilesKept")) roots.add(event.payload.path);
	}
	return [...roots];
}
