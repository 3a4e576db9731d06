/**
 * The files that each session knows: the bytes it last saw and the lines it was shown. A fold, so it survives restarts.
 * Its sources are FileRead and FileChanged, from the transcript, and the guard's own refreshes, from the disk. A refresh
 * is written at once, the others when the agent hands over the message: in either order, the bytes of the refresh hold.
 */

import { type EventRecord, isA, type Payload } from "../log/event/types.ts";
import { dropRecent, emptyRecent, getRecent, putRecent, type Recent } from "../log/fold/keyed.ts";
import type { StateFold } from "../log/fold/state-fold.ts";
import { sessionKey } from "../log/session-ref.ts";
import { toolClass } from "../state/session/tool-class.ts";
import {
	addRange,
	afterDiff,
	type LineRange,
	movedByDiff,
	WHOLE,
	withLineCount,
	withoutRanges,
} from "./shown-lines.ts";
import type { FileStat } from "./types.ts";

export interface FileRecord {
	/** As the newest event names it. */
	path: string;
	/** Real path; null: no refresh has set it yet. */
	real: string | null;
	/** SHA-256 of the bytes that the model knows; null: not known as a whole. */
	hash: string | null;
	/** The same with line ends as \n; null: not known to be another. */
	textHash: string | null;
	/** The stat while the file had those bytes. */
	stat: FileStat | null;
	lines: number | null;
	/** Empty: it is not known which. */
	shown: readonly LineRange[];
	/** Lines changed by others or by a command and not shown since. */
	unread: readonly LineRange[];
	/** The shown parts of bytes whose hash is not known. */
	slices: { from: number; to: number | null; hash: string }[];
	/** The newest read or change of our own. */
	seq: number;
	ts: number;
	by: "read" | "change";
	/** A change by others that the session knows about; hash null: the file was deleted. */
	told: { hash: string | null; seq: number } | null;
	/** Bytes that a block has shown as a diff, and the arguments that were refused then. */
	refused: { hash: string; input: string } | null;
}

/** `moved`: it has said where the lines are after the change. */
type Refreshed = "known" | "moved";

export interface SessionFiles {
	/** By real path, or by `?` and the path as events name it. */
	files: Recent<FileRecord>;
	/** Path as events name it → key of the record. */
	names: Recent<string>;
	/** Calls whose refresh came before their event from the transcript. */
	refreshed: Recent<Refreshed>;
	/** Entry of the first message that the newest seal left in the context; null: nothing has left. */
	keptFrom: string | null;
	/** How the newest request was made. */
	mode: string | null;
}

export interface GuardedFiles {
	sessions: Recent<SessionFiles>;
}

const MAX_SESSIONS = 32;
const MAX_FILES = 1_000;
const MAX_NAMES = 2_000;
const MAX_REFRESHED = 256;
const MAX_SLICES = 16;
/** Before the id of a call that showed a file's bytes: it says which bytes a read showed, not which ones a change made. */
const SHOWN = "shown ";

export const guardedFileFold: StateFold<GuardedFiles> = {
	name: "guard-file",
	version: 5,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		if (record.type === "Seal" || record.type === "Request") return noteContext(state, record);
		if (typeof record.payload["path"] !== "string") return;
		if (isA(record, "FileRead")) applyRead(sessionOf(state, record), record, record.payload);
		else if (isA(record, "FileChanged")) applyChange(sessionOf(state, record), record, record.payload);
		else if (isA(record, "Verdict")) applyVerdict(state, record, record.payload);
	},
};

/** The record of a file as this session knows it. */
export function findRecord(
	state: GuardedFiles,
	of: { readonly session: string; readonly host: string },
	path: string,
	real?: string,
): FileRecord | undefined {
	const session = getRecent(state.sessions, sessionKey(of));
	if (!session) return undefined;
	const key = real ?? getRecent(session.names, path);
	return key === undefined ? undefined : getRecent(session.files, key);
}

function noteContext(state: GuardedFiles, record: EventRecord): void {
	const { from, mode } = record.payload;
	const session = getRecent(state.sessions, sessionKey(record));
	if (!session) return;
	if (record.type === "Seal" && typeof from === "string") session.keptFrom = from;
	if (record.type === "Request" && typeof mode === "string") session.mode = mode;
}

/** The session's context: its first kept message, and its mode. */
export function contextOf(
	state: GuardedFiles,
	of: { readonly session: string; readonly host: string },
): Pick<SessionFiles, "keptFrom" | "mode"> | undefined {
	return getRecent(state.sessions, sessionKey(of));
}

function applyRead(session: SessionFiles, event: EventRecord, payload: Payload<"FileRead">): void {
	const { path, from, to, sliceHash, fileHash } = payload;
	const record = openRecord(session, path, payload.real, event);
	const isShown = takeRefresh(session, `${SHOWN}${payload.callId}`, path);
	// A command prints lines, and says nothing of the file's other bytes: those that the guard has seen still count.
	const isPrinted = toolClass(payload.tool) === "shell" && record.hash !== null;
	if (!takeRefresh(session, payload.callId, path) && !isShown && !isPrinted) {
		// The recorded bytes may be gone: only what is shown now is sure.
		const known = fileHash !== undefined && fileHash === record.hash;
		record.stat = payload.stat ?? (known ? record.stat : null);
		record.textHash = payload.textHash ?? (known ? record.textHash : null);
		record.hash = fileHash ?? null;
		record.slices = fileHash === undefined ? [...record.slices, { from, to, hash: sliceHash }].slice(-MAX_SLICES) : [];
		record.lines = known ? record.lines : null;
		record.told = null;
	}
	record.refused = null;
	record.unread = withoutRanges(record.unread, [[from, to]]);
	record.shown = fileHash !== undefined && from === 1 ? WHOLE : addRange(record.shown, [from, to]);
	if (record.lines !== null) record.shown = withLineCount(record.shown, record.lines);
	renew(record, event, "read");
}

function applyChange(session: SessionFiles, event: EventRecord, payload: Payload<"FileChanged">): void {
	const { path, kind, actor } = payload;
	// A deleted file may come back unchanged: by a checkout, or by an undo.
	if (actor === "other" || kind === "delete") noteOthersChange(session, event, { path, hash: payload.hash });
	else applyOwnChange(session, event, payload);
}

function applyOwnChange(session: SessionFiles, event: EventRecord, payload: Payload<"FileChanged">): void {
	const { path, kind, actor } = payload;
	const record = openRecord(session, path, payload.real, event);
	const refreshed = payload.callId === undefined ? undefined : takeRefresh(session, payload.callId, path);
	if (!refreshed) {
		record.hash = payload.hash ?? null;
		record.textHash = payload.textHash ?? null;
		record.stat = payload.stat ?? null;
		record.lines = null;
		record.slices = [];
		record.told = null;
	}
	record.refused = null;
	// For commands, a refresh says what they wrote and showed.
	if (actor === "agent" && kind === "edit" && refreshed !== "moved") {
		record.unread = movedByDiff(record.unread, payload.diff);
		record.shown = afterDiff(record.shown, payload.diff);
	} else if (actor === "agent" && kind === "write") {
		if (!refreshed) record.unread = [];
		record.shown = withoutRanges(WHOLE, record.unread);
	}
	renew(record, event, "change");
}

function noteOthersChange(
	session: SessionFiles,
	event: EventRecord,
	{ path, hash }: { path: string; hash: string | undefined },
): void {
	const key = getRecent(session.names, path);
	const record = key === undefined ? undefined : getRecent(session.files, key);
	if (record) record.told = { hash: hash ?? null, seq: event.seq };
}

function applyVerdict(state: GuardedFiles, event: EventRecord, payload: Payload<"Verdict">): void {
	const { path, hash, verdict } = payload;
	if (path === undefined || hash === undefined) return;
	const session = sessionOf(state, event);
	if (verdict === "block") {
		const record = findRecord(state, event, path, payload.real);
		if (record && payload.inputHash !== undefined) record.refused = { hash, input: payload.inputHash };
		return;
	}
	if (verdict !== "refresh") return;
	const record = openRecord(session, path, payload.real, event);
	if (payload.shown !== undefined) record.shown = payload.shown;
	else if (payload.why === "read" && record.hash !== hash) record.shown = [];
	if (payload.unread !== undefined) record.unread = payload.unread;
	else if (record.hash !== hash && payload.why !== "change") record.unread = [];
	record.hash = hash;
	record.textHash = payload.textHash ?? null;
	record.stat = payload.stat ?? null;
	record.lines = payload.lines ?? null;
	record.slices = [];
	record.told = null;
	if (record.lines !== null && record.shown.length > 0) record.shown = withLineCount(record.shown, record.lines);
	if (payload.why === "same") return;
	renew(record, event, payload.why === "change" ? "change" : "read");
	const of = payload.why === "shown" ? SHOWN : "";
	const isMoved = payload.unread !== undefined && (payload.shown !== undefined || record.shown.length === 0);
	const how = payload.why === "change" && isMoved ? "moved" : "known";
	putRecent(session.refreshed, `${of}${payload.callId} ${path}`, how, MAX_REFRESHED);
}

/** An older event may arrive after a newer one: agents hand over messages when the turn is done. */
function renew(record: FileRecord, event: EventRecord, by: FileRecord["by"]): void {
	record.by = by;
	record.seq = event.seq;
	record.ts = Math.max(record.ts, event.ts);
}

/** Makes the record of the path the newest; creates one if there is none. */
function openRecord(session: SessionFiles, path: string, real: string | undefined, event: EventRecord): FileRecord {
	const oldKey = getRecent(session.names, path);
	const old = oldKey === undefined ? undefined : getRecent(session.files, oldKey);
	const key = real ?? oldKey ?? `?${path}`;
	// A path that now leads to another file takes nothing along; one whose real path was unknown does.
	const same = oldKey === key || oldKey === `?${path}` ? old : undefined;
	const record = getRecent(session.files, key) ?? same ?? newRecord(path, event);
	// The path of a link that leads elsewhere now: the old file keeps its own name.
	if (old && !same && old.path === path && old.real !== null) {
		old.path = old.real;
		putRecent(session.names, old.real, oldKey ?? old.real, MAX_NAMES);
	}
	if (same && oldKey !== key) {
		dropRecent(session.files, `?${path}`);
		for (const range of same.shown) record.shown = addRange(record.shown, range);
	}
	record.path = path;
	if (real !== undefined) record.real = real;
	putRecent(session.files, key, record, MAX_FILES);
	putRecent(session.names, path, key, MAX_NAMES);
	return record;
}

function newRecord(path: string, { seq, ts }: EventRecord): FileRecord {
	return {
		path,
		real: null,
		hash: null,
		textHash: null,
		stat: null,
		lines: null,
		shown: [],
		unread: [],
		slices: [],
		seq,
		ts,
		by: "read",
		told: null,
		refused: null,
	};
}

function takeRefresh(session: SessionFiles, callId: string, path: string): Refreshed | undefined {
	const key = `${callId} ${path}`;
	const taken = getRecent(session.refreshed, key);
	dropRecent(session.refreshed, key);
	return taken;
}

function sessionOf(state: GuardedFiles, event: EventRecord): SessionFiles {
	const key = sessionKey(event);
	const session = getRecent(state.sessions, key) ?? {
		files: emptyRecent(),
		names: emptyRecent(),
		refreshed: emptyRecent(),
		keptFrom: null,
		mode: null,
	};
	putRecent(state.sessions, key, session, MAX_SESSIONS);
	return session;
}
