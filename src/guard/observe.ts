/** Checks the file after the model's own read or change: from then on the model counts as knowing these bytes. */
import { applyPatch, reversePatch } from "diff";
import { hunksBetween, writeDiff } from "../base/diff/unified.ts";
import { sha256 } from "../base/hash/sha256.ts";
import { asInteger, asObject, asText } from "../base/json/read.ts";
import { cutStart } from "../base/text/cut.ts";
import { isBinary, plainText } from "../base/text/lines.ts";
import type { ResultBlock } from "../message/view.ts";
import { changesBy, type FileChange, pathOf } from "../state/session/file-change.ts";
import { findShownSlice } from "../state/session/shown-slice.ts";
import type { Aftermath } from "./aftermath.ts";
import { classOf, findKnownFile, locateNamed, lookAt, type Target } from "./call.ts";
import { baseOf, findChange } from "./change.ts";
import { holdsText, sameStat } from "./compare.ts";
import { type DiffSince, diffSince } from "./diff-since.ts";
import { type FileRecord, findRecord } from "./file-record.ts";
import type { World } from "./judge.ts";
import { editedText, writtenText } from "./own-text.ts";
import {
	addRanges,
	afterHunks,
	changedRuns,
	type LineRange,
	WHOLE,
	withLineCount,
	withoutRanges,
} from "./shown-lines.ts";
import type { FileDigest, FilePort, FileStat, GuardCall } from "./types.ts";
import { changeEvent, faultEvent, refresh } from "./verdict.ts";

const NOTHING: Aftermath = { notes: [], events: [] };

/** Own calls that ran at the same time. */
export interface Beside {
	/** One of them changes this file. */
	readonly isBeside: (absolute: string) => boolean;
	/** The text before that change. */
	readonly textBefore?: ((absolute: string) => string | undefined) | undefined;
}

/**
 * After a read. `stat` is from when the call began: if it is still the same, the tool read the current bytes. Otherwise
 * the shown text must still be at its line, or another call of the session must have changed the file since; if neither
 * holds, nothing is claimed.
 */
export function observeRead(
	call: GuardCall,
	result: ResultBlock,
	{ stat, isBeside, textBefore }: Beside & { readonly stat: FileStat | undefined },
	world: World,
): Aftermath {
	try {
		const filled = fillEmptyRead(call, result, { isBeside, textBefore }, world);
		if (filled) return filled;
		const shown = findShownSlice({ tool: call.tool, class: "read", input: call.input }, result);
		if (!shown || result.isError) return NOTHING;
		const named = locateNamed(shown.path, call);
		const { target } = lookAt(named, world.files, call.cwd);
		const digest = world.files.digest(target.absolute);
		if (digest.kind !== "digest") return NOTHING;
		if ((!stat || !sameStat(stat, digest.stat)) && !isBeside(target.absolute)) {
			const content = world.files.read(target.absolute);
			if (content.kind !== "bytes" || !holdsText(content.bytes.toString("utf8"), shown.from, shown.text))
				return NOTHING;
		}
		const real = world.files.realpath(target.absolute);
		const of = { why: "read", reason: "read", mode: world.settings.policyMode, now: world.now } as const;
		const slice: LineRange = shown.whole ? [1, null] : [shown.from, shown.to];
		const lines = knownAfterRead(call, target, digest, slice, world);
		return { notes: [], events: [refresh(call, named, { digest, real }, { ...of, ...lines })] };
	} catch (error) {
		return { notes: [], events: [faultEvent(call, "guard.observe", error, world.now)] };
	}
}

const MAX_FILLED_CHARS = 16_000;

/**
 * A read beside a change of the same file: a tool that writes a file empties it first, and a read in that moment finds
 * nothing. The note has the text. Undefined: the read found something, or there is nothing to find.
 */
function fillEmptyRead(call: GuardCall, result: ResultBlock, beside: Beside, world: World): Aftermath | undefined {
	const path = pathOf(call.input);
	if (path === undefined || result.isError || result.text.trim() !== "") return undefined;
	const named = locateNamed(path, call);
	const { target } = lookAt(named, world.files, call.cwd);
	if (!beside.isBeside(target.absolute)) return undefined;
	const content = world.files.read(target.absolute);
	const now = content.kind === "bytes" && !isBinary(content.bytes) ? content.bytes.toString("utf8") : "";
	const text = now === "" ? beside.textBefore?.(target.absolute) : now;
	if (text === undefined || text === "") return undefined;
	const from = Math.max(1, asInteger(call.input["offset"]) ?? 1);
	const most = Math.min(asInteger(call.input["limit"]) ?? world.settings.maxReadLines, world.settings.maxReadLines);
	const lines = plainText(text).replace(/\n$/, "").split("\n");
	const shown = lines.slice(from - 1, most > 0 ? from - 1 + most : undefined).join("\n");
	const isWhole = from === 1 && shown.length === lines.join("\n").length && shown.length <= MAX_FILLED_CHARS;
	const when = now === "" ? "Before that call it was" : "It is now";
	const note =
		`This read found nothing, because another call of the same answer was writing ${target.path}. ` +
		`${when}${isWhole ? "" : " (a part; read it again for the rest)"}:\n${cutStart(shown, MAX_FILLED_CHARS)}`;
	const digest = world.files.digest(target.absolute);
	if (now === "" || !isWhole || digest.kind !== "digest") return { notes: [note], events: [] };
	const of = { why: "shown", reason: "shown in a note", mode: world.settings.policyMode, now: world.now } as const;
	const look = { digest, real: world.files.realpath(target.absolute) };
	return { notes: [note], events: [refresh(call, named, look, { ...of, shown: WHOLE, unread: [] })] };
}

/**
 * The lines that the model knows after a read of some of them. Said here, because an agent may hand over its messages only
 * when the turn is done. If others changed the file since it was known, a partial read shows only its own lines.
 */
function knownAfterRead(
	call: GuardCall,
	target: Target,
	digest: WrittenFile["digest"],
	slice: LineRange,
	world: World,
): { readonly shown: readonly LineRange[]; readonly unread: readonly LineRange[] } {
	const known = (shown: readonly LineRange[], unread: readonly LineRange[]) => ({
		shown: withLineCount(addRanges(shown, [slice]), digest.lines),
		unread: withoutRanges(unread, [slice]),
	});
	const record = findKnownFile(world.state.files, call, target, digest.stat, world.files);
	if (!record?.hash) return known([], []);
	if (digest.hash === record.hash || digest.textHash === (record.textHash ?? record.hash))
		return known(record.shown, record.unread);
	const change = findChange(call, record, { target, digest }, world);
	return known(change.shown, addRanges(change.unread, change.changed));
}

/** A text before a call. */
export type PreImage = { readonly kind: "absent" } | { readonly kind: "text"; readonly text: string };

const MAX_PRE_IMAGE_BYTES = 4 * 1024 * 1024;

export function preImageOf(absolute: string, files: FilePort): PreImage | undefined {
	const content = files.read(absolute);
	if (content.kind === "absent") return content;
	if (content.kind !== "bytes" || content.bytes.length > MAX_PRE_IMAGE_BYTES || isBinary(content.bytes))
		return undefined;
	return { kind: "text", text: content.bytes.toString("utf8") };
}

/** After a successful change. A note reports writes by others at the same time. */
export function observeChange(
	call: GuardCall,
	result: ResultBlock,
	at: Beside & { readonly before: PreImage | undefined },
	world: World,
): Aftermath {
	try {
		const changes = changesBy({ tool: call.tool, class: classOf(call, world.settings), input: call.input }, result);
		const seen = changes.map((change) => observeFile(call, change, { result, ...at }, world));
		const notes = seen.flatMap((one) => one.notes);
		return {
			notes,
			events: seen.flatMap(({ events }) => events),
			written: writtenBy(call, result, changes, at.before),
		};
	} catch (error) {
		return { notes: [], events: [faultEvent(call, "guard.observe", error, world.now)] };
	}
}

/** The diff of a write, where its agent records none. */
function writtenBy(
	call: GuardCall,
	{ details }: ResultBlock,
	changes: readonly FileChange[],
	before: PreImage | undefined,
): Aftermath["written"] {
	const [change] = changes;
	const content = asText(call.input["content"]);
	if (changes.length !== 1 || change?.kind !== "write" || change.hunks || !before || content === undefined)
		return undefined;
	if (Object.keys(asObject(details) ?? {}).length > 0) return undefined;
	if (before.kind === "absent") return { type: "create" };
	const hunks = hunksBetween(before.text, content);
	const patch = hunks && writeDiff(change.path, hunks).diff;
	return patch === undefined ? undefined : { patch };
}

function observeFile(
	call: GuardCall,
	change: FileChange,
	{ result, before, isBeside }: Beside & { readonly result: ResultBlock; readonly before: PreImage | undefined },
	world: World,
): Aftermath {
	if (change.kind === "delete") return NOTHING;
	const named = locateNamed(change.path, call);
	const { target } = lookAt(named, world.files, call.cwd);
	const digest = world.files.digest(target.absolute);
	if (digest.kind !== "digest") return NOTHING;
	const real = world.files.realpath(target.absolute);
	const record = findRecord(world.state.files, call, named.path) ?? findRecord(world.state.files, call, "", real ?? "");
	const isAlone = !isBeside(target.absolute);
	const text = isAlone && change.kind === "edit" ? textBefore(call, record, before, world) : undefined;
	const own = text === undefined ? undefined : ownEdit(call, target, text);
	const of = {
		why: "change",
		reason: "changed by this call",
		mode: world.settings.policyMode,
		now: world.now,
		...(change.kind === "write" ? { unread: [] } : knownAfterEdit(record, own)),
	} as const;
	const written = { call, change, result, record, target, digest, own };
	const other = isAlone ? findOtherWriter(written, world) : undefined;
	if (other === undefined) return { notes: [], events: [refresh(call, named, { digest, real }, of)] };
	const { diff } = other;
	const seen = { look: { digest, real }, diff, actor: "other", now: world.now } as const;
	const events = [
		changeEvent(call, named.path, seen),
		refresh(call, named, { digest, real }, { ...of, unread: other.unread }),
	];
	return { notes: [other.note], events };
}

interface WrittenFile {
	readonly call: GuardCall;
	readonly change: FileChange;
	readonly result: ResultBlock;
	/** The record before the call. */
	readonly record: FileRecord | undefined;
	readonly target: Target;
	readonly digest: FileDigest;
	readonly own: OwnEdit | undefined;
}

/** An edit by its arguments and the text before it. */
interface OwnEdit {
	readonly before: string;
	/** With \n for line ends. */
	readonly after: string;
}

/** The text before an edit. If another process judged the call, the text that the model knew. */
function textBefore(
	call: GuardCall,
	record: FileRecord | undefined,
	before: PreImage | undefined,
	world: World,
): string | undefined {
	if (before?.kind === "text") return before.text;
	if (before || !record?.hash || wasWarned(call, world)) return undefined;
	const base = baseOf(record, call, world);
	return base?.kind === "whole" ? base.text : undefined;
}

/** It passed although the file had changed, and the model already got a note. */
function wasWarned(call: GuardCall, { state }: World): boolean {
	return state.verdicts.recent.some(
		({ session, callId, rule }) => session === call.session && callId === call.callId && rule === "unchanged",
	);
}

function ownEdit(call: GuardCall, target: Target, before: string): OwnEdit | undefined {
	const after = editedText(call, target, before);
	return after === undefined ? undefined : { before: plainText(before), after };
}

/** The record's lines at their place after the edit. Undefined: the event of the change itself will say. */
function knownAfterEdit(record: FileRecord | undefined, own: OwnEdit | undefined) {
	const hunks = own && record ? hunksBetween(own.before, own.after) : undefined;
	if (!record || !hunks) return {};
	const heads = changedRuns(hunks);
	const shown = record.shown.length === 0 ? undefined : afterHunks(record.shown, heads, "add");
	return { shown, unread: afterHunks(record.unread, heads, "leave") };
}

interface OtherWriter {
	readonly note: string;
	readonly diff: DiffSince | undefined;
	/** Lines that others changed and that the note does not show. */
	readonly unread: readonly LineRange[];
}

/**
 * Finds writes by others between the check of a call and its end. A written file must be what the call said; an edited
 * one, with the edit undone, must be what the model knew. If neither can be computed, there is no note.
 */
function findOtherWriter(written: WrittenFile, world: World): OtherWriter | undefined {
	const { kind, movedFrom } = written.change;
	return kind === "write" || movedFrom !== undefined ? checkWritten(written, world) : checkEdited(written, world);
}

function checkWritten({ call, target, digest }: WrittenFile, world: World): OtherWriter | undefined {
	const content = writtenText(call, target);
	if (content === undefined || sha256(content) === digest.hash) return undefined;
	if (sha256(plainText(content)) === digest.textHash) return undefined;
	const now = world.files.read(target.absolute);
	const base = { kind: "whole", text: content } as const;
	const diff = now.kind === "bytes" ? diffSince(target.path, base, now.bytes.toString("utf8")) : undefined;
	const what = `${target.path} is not what this call wrote: a formatter, or somebody else, has written it since then.`;
	return otherWriter(what, diff);
}

function checkEdited(
	{ call, change, result, record, target, digest, own }: WrittenFile,
	world: World,
): OtherWriter | undefined {
	const what = `While this call ran, a formatter, or somebody else, changed ${target.path} too`;
	if (own) {
		const content = world.files.read(target.absolute);
		const now = content.kind === "bytes" ? plainText(content.bytes.toString("utf8")) : own.after;
		if (withLastBreak(now) === withLastBreak(own.after)) return undefined;
		return otherWriter(what, diffSince(target.path, { kind: "whole", text: own.after }, now));
	}
	if (!record?.hash || wasWarned(call, world) || !change.hunks || !saysWhere(result)) return undefined;
	// Another call of the batch has looked at the file since this one changed it.
	if (record.hash === digest.hash) return undefined;
	const content = world.files.read(target.absolute);
	if (content.kind !== "bytes") return undefined;
	const before = undoEdit(plainText(content.bytes.toString("utf8")), change);
	if (before === undefined || sha256(before) === (record.textHash ?? record.hash)) return undefined;
	const base = baseOf(record, call, world);
	// The tool, too, has read bytes that are not UTF-8 as text.
	if (base?.kind === "whole" && plainText(base.text) === before) return undefined;
	const diff = base && diffSince(target.path, base, before);
	return otherWriter(what, diff);
}

/** Some tools end the last line. */
function withLastBreak(text: string): string {
	return text.endsWith("\n") ? text : `${text}\n`;
}

function otherWriter(what: string, diff: DiffSince | undefined): OtherWriter {
	const said = what.replace(/\.$/, "");
	if (!diff) return { note: `${said}. Read it again before you edit it.`, diff, unread: WHOLE };
	const size = `(+${diff.added}/−${diff.removed})`;
	const left = diff.complete ? "" : " Read it again before you write it.";
	return { note: `${said} ${size}.${left}\n${diff.text}`, diff, unread: diff.complete ? [] : diff.unread };
}

/** Hunks made from the arguments alone have no line numbers of the real file. */
function saysWhere(result: ResultBlock): boolean {
	const details = asObject(result.details);
	return ["patch", "diff", "structuredPatch", "originalFile"].some((key) => details?.[key] !== undefined);
}

function undoEdit(text: string, change: FileChange): string | undefined {
	try {
		const patch = {
			oldFileName: "",
			newFileName: "",
			oldHeader: undefined,
			newHeader: undefined,
			hunks: [...(change.hunks ?? [])],
		};
		const before = applyPatch(text, reversePatch(patch));
		return before === false ? undefined : before;
	} catch {
		return undefined;
	}
}
