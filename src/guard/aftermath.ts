/**
 * After a call that may have changed anything: which known files differ now, who wrote them, and which lines did the
 * output show? Writes that the command line shows are its own; any other change comes from elsewhere, and a note shows
 * its diff. Bounded: the files known most recently, and those that the line or its output names.
 */

import { pathsInOutput } from "../base/shell/paths.ts";
import { isBinary } from "../base/text/lines.ts";
import { getRecent, newestFirst } from "../log/fold/keyed.ts";
import { sessionKey } from "../log/session-ref.ts";
import type { ResultBlock } from "../message/view.ts";
import { pathOf } from "../state/session/file-change.ts";
import { commandText } from "../state/session/shell-command.ts";
import { classOf, findKnownFile, locate, locateNamed, mayChangeAnything, type Target } from "./call.ts";
import { changeEvents, type FoundChange, findChange } from "./change.ts";
import { changedAfter, compare } from "./compare.ts";
import { DIFF_ROOM, type DiffRoom } from "./diff-since.ts";
import type { FileRecord } from "./file-record.ts";
import type { World } from "./judge.ts";
import { addRanges, isWhole, type LineRange, renderLines, WHOLE, withLineCount, withoutRanges } from "./shown-lines.ts";
import { linesShownIn } from "./shown-output.ts";
import type { FileDigest, GuardCall, GuardEvent } from "./types.ts";
import { changeEvent, faultEvent, refresh } from "./verdict.ts";
import { type HowWritten, MODIFIED, type Writer, writerOf } from "./writer.ts";

export interface Aftermath {
	/** Remarks to add to the call's result. */
	readonly notes: readonly string[];
	readonly events: readonly GuardEvent[];
	/** The effect of a write, for the result's details, where the agent does not report it. */
	readonly written?: { readonly type: "create" } | { readonly patch: string } | undefined;
}

const MAX_FILES = 64;
const MAX_SEARCHED = 320;
const MAX_NAMED = 8;
/** A diff of fewer lines says nothing. */
const MIN_ROOM_LINES = 8;
const MAX_SHOWN_BYTES = 1024 * 1024;
/** Of all files compared with one output. */
const MAX_COMPARED_BYTES = 8 * 1024 * 1024;

export interface CallRun {
	/** When the call began, ms since the epoch. */
	readonly startedAt: number;
	/** Other commands of the session that ran at the same time. */
	readonly beside?: readonly GuardCall[] | undefined;
	/** Earlier commands of the session that may still run. */
	readonly left?: readonly GuardCall[] | undefined;
	/** The file was there when the call began. */
	readonly wasThere?: ((absolute: string) => boolean) | undefined;
	/** A call that is still running changes this file. */
	readonly isBusy?: ((absolute: string) => boolean) | undefined;
}

/** Without a result no call ran: changes happened between two calls, and are shown for one request only. */
export function lookAgain(call: GuardCall, result: ResultBlock | undefined, ran: CallRun, world: World): Aftermath {
	try {
		const found = new DiskFindings(call, result, ran, world);
		for (const record of trackedFiles(call, found, world)) found.lookAt(record);
		if (result) found.lookAtMade();
		if (result) found.lookAtShown(result.text);
		return { notes: found.notes(), events: found.events() };
	} catch (error) {
		return { notes: [], events: [faultEvent(call, "guard.look-again", error, world.now)] };
	}
}

/** The newest files, and those that the command line shows as written. */
function* trackedFiles(call: GuardCall, found: DiskFindings, { state }: World): Generator<FileRecord> {
	const session = getRecent(state.files.sessions, sessionKey(call));
	if (!session) return;
	let looked = 0;
	for (const [, record] of newestFirst(session.files)) {
		if (++looked > MAX_SEARCHED) return;
		if (looked <= MAX_FILES || found.isSeenToWrite(record)) yield record;
	}
}

interface NoticedChange {
	readonly path: string;
	readonly by: "own" | "other" | "maybe" | "left";
	readonly kind: "changed" | "made" | "deleted";
	readonly size: { readonly added: number; readonly removed: number } | undefined;
	/** Shown to the model; left out: the note only names the file. */
	readonly diff?: string | undefined;
	readonly unread?: readonly LineRange[] | undefined;
}

/** A file's state after the call, until the output has been checked. */
interface PendingRefresh {
	readonly target: Target;
	readonly look: { readonly digest: FileDigest; readonly real: string | undefined };
	readonly before: readonly GuardEvent[];
	shown: readonly LineRange[];
	unread: readonly LineRange[];
	/** Must be recorded: the bytes differ from before. */
	isNews: boolean;
	readonly reason: string;
}

class DiskFindings {
	readonly #call: GuardCall;
	readonly #ran: CallRun;
	readonly #world: World;
	readonly #writer: Writer | undefined;
	readonly #besides: readonly Writer[];
	/** Of commands that the session left running. */
	readonly #left: readonly Writer[];
	readonly #isBetween: boolean;
	readonly #line: string | undefined;
	readonly #noticed: NoticedChange[] = [];
	readonly #events: GuardEvent[] = [];
	readonly #pending = new Map<string, PendingRefresh>();
	#room: DiffRoom = DIFF_ROOM;
	#shownDiffs = 0;

	constructor(call: GuardCall, result: ResultBlock | undefined, ran: CallRun, world: World) {
		this.#call = call;
		this.#ran = ran;
		this.#world = world;
		this.#isBetween = result === undefined;
		const lineOf = (of: GuardCall) => (classOf(of, world.settings) === "shell" ? commandText(of.input) : undefined);
		const writer = (of: GuardCall) => {
			const text = lineOf(of);
			return text === undefined ? undefined : writerOf({ text, cwd: of.folder ?? of.cwd }, world.files);
		};
		this.#line = result && lineOf(call);
		this.#writer = result && writer(call);
		this.#besides = (ran.beside ?? []).flatMap((other) => writer(other) ?? []);
		this.#left = (ran.left ?? []).flatMap((other) => writer(other) ?? []);
	}

	isSeenToWrite({ path, real }: FileRecord): boolean {
		const { absolute } = locate(path, this.#call.cwd);
		return this.#writer?.howWritten({ absolute, real }) !== undefined;
	}

	lookAt(record: FileRecord): void {
		const { files, now, settings } = this.#world;
		const target = locate(record.path, this.#call.cwd);
		if (this.#ran.isBusy?.(target.absolute)) return;
		const look = files.stat(target.absolute);
		if (look.kind === "absent") this.#lookAtGone(record, target);
		if (look.kind !== "file") return;
		const comparison = compare(record, target.absolute, look.stat, files);
		if (comparison.kind === "refresh") {
			const seen = { digest: comparison.digest, real: files.realpath(target.absolute) };
			const of = { why: "same", reason: "looked at again", mode: settings.policyMode, now } as const;
			this.#events.push(refresh(this.#call, target, seen, of));
		} else if (comparison.kind === "changed" && !(this.#isBetween && record.told?.hash === comparison.digest.hash)) {
			this.#lookAtChanged(record, target, comparison.digest);
		}
	}

	#lookAtChanged(record: FileRecord, target: Target, digest: FileDigest): void {
		const { files } = this.#world;
		const seen = this.#isBetween ? undefined : this.#howWritten(target, record.real);
		// A link that leads elsewhere now: the file behind it may be old.
		const isTurned = seen !== undefined && record.real !== null && files.realpath(target.absolute) !== record.real;
		const during = !this.#isBetween && (isTurned || changedAfter(digest.stat, this.#ran.startedAt));
		const written = during ? seen : undefined;
		const isOwn = (written !== undefined && written.how !== "delete") || (during && this.#updatesTree());
		const change = findChange(this.#call, record, { target, digest }, this.#world, this.#room);
		const isKnown =
			written?.how === "replace" &&
			this.#isAlone(written, target) &&
			!isTurned &&
			(!written.isMoved || this.#findSameText(digest) !== undefined);
		const extent = isKnown ? "own" : this.#isBetween || !this.#hasRoom() || !this.#tells() ? "told" : "shown";
		const actor = isOwn ? this.#actor() : "other";
		const [event] = changeEvents(this.#call, record, change, { actor, extent }, this.#world);
		const pending = this.#remember(record.path, change, [event]);
		if (extent === "own") {
			pending.shown = WHOLE;
			pending.unread = [];
		}
		if (extent === "told") pending.unread = addRanges(change.unread, change.changed);
		const { diff } = change;
		if (extent === "shown" && diff) this.#spend(diff.text);
		this.#noticed.push({
			path: record.path,
			by: isOwn ? "own" : (this.#writerLeft(target, record.real) ?? (during && this.#mayWrite() ? "maybe" : "other")),
			kind: "changed",
			size: diff,
			diff: extent === "shown" ? diff?.text : undefined,
			unread: extent === "shown" ? change.unread : undefined,
		});
	}

	/** The time of a deletion is not known. */
	#lookAtGone(record: FileRecord, target: Target): void {
		// A file known only from the transcript may never have been on this disk.
		if (record.stat === null || (record.told !== null && record.told.hash === null)) return;
		const isOwn = this.#howWritten(target, record.real) !== undefined || this.#updatesTree();
		const actor = isOwn ? this.#actor() : "other";
		this.#events.push(changeEvent(this.#call, record.path, { diff: undefined, actor, now: this.#world.now }));
		const by = isOwn ? "own" : (this.#writerLeft(target, record.real) ?? (this.#mayWrite() ? "maybe" : "other"));
		this.#noticed.push({ path: record.path, by, kind: "deleted", size: undefined });
	}

	/** Files that the command line shows as written and that no record knows. */
	lookAtMade(): void {
		if (!this.#writer) return;
		const { files, now } = this.#world;
		for (const absolute of this.#writer.targets) {
			const target = locate(absolute, this.#call.cwd);
			const look = files.stat(absolute);
			if (look.kind !== "file" || !changedAfter(look.stat, this.#ran.startedAt)) continue;
			if (findKnownFile(this.#world.state.files, this.#call, target, look.stat, files)) continue;
			const written = this.#howWritten(target, files.realpath(absolute) ?? null);
			if (!written || written.how === "delete" || this.#pending.has(target.path)) continue;
			// It changed a text that was never shown, which does not make the text known.
			if (written.how === "modify" && this.#ran.wasThere?.(absolute)) continue;
			const digest = files.digest(absolute);
			if (digest.kind !== "digest") continue;
			// A text that nobody has seen does not become known by its new name.
			const source = written.isMoved ? this.#findSameText(digest) : undefined;
			if (written.isMoved && !source) continue;
			const seen = { digest, real: files.realpath(absolute) };
			const diff = { added: digest.lines, removed: 0, whole: undefined };
			const event = changeEvent(this.#call, target.path, {
				look: seen,
				diff,
				actor: this.#actor(),
				now,
				kind: "write",
			});
			const unread = source?.unread ?? (written.isLiteral && !this.#isAlone(written, target) ? WHOLE : []);
			const shown = source?.shown ?? WHOLE;
			const change = { target, look: seen, diff: undefined, shown, unread, changed: [] };
			this.#remember(target.path, change, [event]);
		}
	}

	/** Lines of files in the output count as read, and so do those in the command line itself. */
	lookAtShown(output: string): void {
		const { files, state } = this.#world;
		const asked = this.#writer ? undefined : pathOf(this.#call.input);
		const inputs = asked === undefined ? [] : [locateNamed(asked, this.#call).absolute];
		const folders = this.#writer?.folders ?? [this.#call.folder ?? this.#call.cwd, ...inputs];
		const said = pathsInOutput(output).flatMap((path) => folders.map((folder) => locate(path, folder).absolute));
		const changed = [...this.#pending.values()].map(({ target }) => target.absolute);
		let compared = 0;
		for (const absolute of new Set([...changed, ...(this.#writer?.named ?? inputs), ...said])) {
			const target = locate(absolute, this.#call.cwd);
			const look = files.stat(absolute);
			if (look.kind !== "file" || look.stat.size === 0 || look.stat.size > MAX_SHOWN_BYTES) continue;
			const record = findKnownFile(state.files, this.#call, target, look.stat, files);
			const name = record?.path ?? target.path;
			const pending = this.#pending.get(name);
			if (!pending && record && isWhole(record.shown) && record.unread.length === 0) continue;
			compared += look.stat.size;
			if (compared > MAX_COMPARED_BYTES) return;
			const content = files.read(absolute);
			if (content.kind !== "bytes" || isBinary(content.bytes)) continue;
			const text = content.bytes.toString("utf8");
			const ranges = [...linesShownIn(text, output), ...(pending ? linesShownIn(text, this.#line ?? "") : [])];
			if (ranges.length > 0) this.#show(name, target, record, ranges);
		}
	}

	#show(name: string, target: Target, record: FileRecord | undefined, ranges: readonly LineRange[]): void {
		const { files } = this.#world;
		let pending = this.#pending.get(name);
		if (!pending) {
			const digest = files.digest(target.absolute);
			if (digest.kind !== "digest") return;
			// Its bytes differ from the record and were not checked above: claim nothing.
			const isSame = record?.hash === digest.hash;
			if (record && !isSame && record.hash !== null) return;
			const look = { digest, real: files.realpath(target.absolute) };
			const known = { shown: record?.shown ?? [], unread: record?.unread ?? [] };
			// The shown lines are unknown, and stay so.
			if (record && record.shown.length === 0 && record.unread.length === 0) return;
			pending = { target, look, before: [], ...known, isNews: !record, reason: "shown by this call" };
			this.#pending.set(name, pending);
		}
		const shown = withLineCount(addRanges(pending.shown, ranges), pending.look.digest.lines);
		const unread = withoutRanges(pending.unread, ranges);
		pending.isNews ||= !sameRanges(shown, pending.shown) || !sameRanges(unread, pending.unread);
		pending.shown = shown;
		pending.unread = unread;
	}

	#remember(path: string, change: FoundChange, before: readonly GuardEvent[]): PendingRefresh {
		const target = { ...change.target, path };
		const { look, shown, unread } = change;
		const pending: PendingRefresh = { target, look, before, shown, unread, isNews: true, reason: "looked at again" };
		this.#pending.set(path, pending);
		return pending;
	}

	events(): GuardEvent[] {
		const { settings, now } = this.#world;
		const known = [...this.#pending.values()].flatMap(({ target, look, before, shown, unread, isNews, reason }) => {
			if (!isNews) return [...before];
			const of = { why: "shown", reason, mode: settings.policyMode, now } as const;
			return [...before, refresh(this.#call, target, look, { ...of, shown: withoutRanges(shown, unread), unread })];
		});
		return [...this.#events, ...known];
	}

	notes(): string[] {
		if (this.#isBetween) return [];
		const named = (by: NoticedChange["by"]) => this.#noticed.filter((one) => one.by === by && one.diff === undefined);
		const notes: string[] = [];
		for (const by of ["own", "maybe", "left", "other"] as const) {
			const list = named(by);
			const canRead = by !== "own" && list.some(({ kind }) => kind !== "deleted");
			if (list.length > 0) notes.push(`${WHO[by]}: ${listFiles(list)}.${canRead ? READ_FIRST : ""}`);
		}
		for (const { path, by, size, diff, unread } of this.#noticed) {
			if (diff === undefined) continue;
			const left =
				unread && unread.length > 0 ? ` Not shown: ${renderLines(unread)}; read them before you write the file.` : "";
			notes.push(`${WHO[by]}: ${path}${sizeOf(size)}.${left}\n${diff}`);
		}
		return notes;
	}

	#howWritten(target: Target, real: string | null): HowWritten | undefined {
		const file = { absolute: target.absolute, real };
		const own = this.#writer?.howWritten(file);
		if (own) return own;
		for (const writer of this.#besides) {
			const how = writer.howWritten(file);
			// It may have ended long before this one.
			if (how) return { ...how, isLast: false };
		}
		// An unknown tool that names the file.
		return this.#line === undefined && this.#mayWrite() && this.#namesFile(target) ? MODIFIED : undefined;
	}

	/** A command that was left running writes this file, as a server its log. Nobody can tell whether it did. */
	#writerLeft(target: Target, real: string | null): "left" | undefined {
		const file = { absolute: target.absolute, real };
		return this.#left.some((writer) => writer.howWritten(file) !== undefined) ? "left" : undefined;
	}

	/** True: no other process can have written it since the command did. */
	#isAlone({ isLast, isLiteral }: HowWritten, target: Target): boolean {
		if (isLast) return true;
		const content = isLiteral ? this.#world.files.read(target.absolute) : undefined;
		return content?.kind === "bytes" && this.#writer?.isLiteral(content.bytes.toString("utf8")) === true;
	}

	/** The record of a file that had these bytes, under any name. */
	#findSameText({ hash, textHash }: FileDigest): FileRecord | undefined {
		const session = getRecent(this.#world.state.files.sessions, sessionKey(this.#call));
		for (const [, record] of session ? newestFirst(session.files) : []) {
			if (record.hash !== null && (record.hash === hash || (record.textHash ?? record.hash) === textHash))
				return record;
		}
		return undefined;
	}

	/** What changed while it ran is its own, whatever the names. */
	#updatesTree(): boolean {
		return this.#writer?.updatesTree === true;
	}

	#namesFile(target: Target): boolean {
		return Object.values(this.#call.input).some(
			(value) => typeof value === "string" && locateNamed(value, this.#call).absolute === target.absolute,
		);
	}

	#mayWrite(): boolean {
		if (this.#isBetween) return false;
		return this.#writer?.isOpaque ?? mayChangeAnything(classOf(this.#call, this.#world.settings));
	}

	#actor(): "shell" | "agent" {
		return classOf(this.#call, this.#world.settings) === "shell" ? "shell" : "agent";
	}

	/** For another diff. */
	#hasRoom(): boolean {
		return this.#room.lines >= MIN_ROOM_LINES && this.#shownDiffs < MAX_NAMED;
	}

	/** In report mode, notes name the changed files without their diffs. */
	#tells(): boolean {
		return this.#world.settings.policyMode === "enforce";
	}

	#spend(text: string): void {
		const { lines, chars } = this.#room;
		this.#shownDiffs++;
		this.#room = {
			lines: Math.max(0, lines - text.split("\n").length),
			chars: Math.max(0, chars - text.length),
		};
	}
}

const WHO = {
	own: "Changed by this call",
	maybe: "Changed while this call ran, by it or by somebody else",
	left: "Changed on disk by a command that you left running, or by somebody else",
	other: "Changed on disk by somebody else",
} as const;
const READ_FIRST = " Read the parts that you need again before you edit them.";

function listFiles(files: readonly NoticedChange[]): string {
	const named = files.slice(0, MAX_NAMED).map(({ path, kind, size }) => {
		return kind === "deleted" ? `${path} (deleted)` : `${path}${sizeOf(size)}`;
	});
	const more = files.length - named.length;
	return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function sizeOf(size: NoticedChange["size"]): string {
	return size ? ` (+${size.added}/−${size.removed})` : "";
}

function sameRanges(a: readonly LineRange[], b: readonly LineRange[]): boolean {
	return a.length === b.length && a.every(([from, to], at) => from === b[at]?.[0] && to === b[at]?.[1]);
}
