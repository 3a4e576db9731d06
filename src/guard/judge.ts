/**
 * May this call change this file? Yes, if the model knows the current bytes: they were shown and have not changed.
 * Unknown bytes are never overwritten as a whole. An edit replaces text that it names, so it passes if the model knows
 * of the change and the text occurs once. Reads the disk and the state and changes neither; new knowledge is returned as
 * events. In doubt, the call passes.
 */

import { basename } from "node:path";
import { sha256 } from "../base/hash/sha256.ts";
import { effectsOf } from "../base/shell/effects.ts";
import { getRecent, newestFirst } from "../log/fold/keyed.ts";
import { sessionKey } from "../log/session-ref.ts";
import { commandText } from "../state/session/shell-command.ts";
import { changesFiles, type ToolClass } from "../state/session/tool-class.ts";
import type { BaseSource, UserLineSource } from "./base-text.ts";
import {
	classOf,
	findKnownFile,
	isPatchEdit,
	locate,
	locateNamed,
	lookAt,
	type NamedTarget,
	type Target,
	targetsOf,
} from "./call.ts";
import { changeEvents, type FoundChange, findChange, isOutsideShown } from "./change.ts";
import { compare } from "./compare.ts";
import { renderReplaced } from "./earlier-calls.ts";
import { type FileCase, fitsOnce, objectToUnseen, replacesOnce, searchableText } from "./edit-places.ts";
import { contextOf, type FileRecord, type GuardedFiles } from "./file-record.ts";
import { objectToDamage } from "./fragile-text.ts";
import type { Keeper } from "./keeper.ts";
import { replacementsOf, writtenText } from "./own-text.ts";
import type { HostPowers } from "./policy.ts";
import {
	renderChanged,
	renderChangedElsewhere,
	renderMadeByCommand,
	renderNotCompared,
	renderNotRead,
	renderTooOld,
	renderUndone,
	renderUnreadEdit,
	renderUnreadWrite,
} from "./reason.ts";
import { isWhole, renderLines } from "./shown-lines.ts";
import {
	type FileDigest,
	type FilePort,
	type FileStat,
	type GuardCall,
	type GuardEvent,
	type GuardSettings,
	type Outcome,
	PASS,
} from "./types.ts";
import { faultEvent, inputHash, lookOf, object, refresh, warn } from "./verdict.ts";
import type { VerdictState } from "./verdict-fold.ts";

/** All that a judgement rests on. */
export interface World {
	readonly state: { readonly files: GuardedFiles; readonly verdicts: VerdictState };
	readonly files: FilePort;
	/** The text behind a record; left out: never known. */
	readonly base?: BaseSource;
	readonly settings: GuardSettings;
	/** ms since the epoch. */
	readonly now: number;
	/** The session's running calls; left out: not known. */
	readonly running?: RunningCalls | undefined;
	/** seq of an entry of the session; left out: not known. */
	readonly seqOf?:
		| ((of: { readonly session: string; readonly host: string }, entry: string) => number | undefined)
		| undefined;
	/** The user showed these lines to the model; left out: not known. */
	readonly wasSaid?: UserLineSource | undefined;
	/** Keeps bytes for good and returns their SHA-256. */
	readonly keep?: ((bytes: Uint8Array) => string) | undefined;
	/** Keeps the user's files before a call that may take them; left out: none are kept. */
	readonly keeper?: Keeper | undefined;
	/** Left out: the agent's tools keep what they do not change. */
	readonly powers?: HostPowers | undefined;
}

export interface RunningCalls {
	/** The file is being read by another call of the same batch. */
	isRead(absolute: string): boolean;
	/** A command of the session made the file, or wrote all of it, when it got this stat. */
	isMade(absolute: string, stat: FileStat): boolean;
	/** The newest calls of the session have printed these texts. */
	wasPrinted(texts: readonly string[]): boolean;
	/** A command that may write anything ran when the file got this stat. */
	ranAt(stat: FileStat): boolean;
}

export function judge(call: GuardCall, world: World): Outcome {
	try {
		const of = classOf(call, world.settings);
		if (!world.settings.requireReadBeforeWrite) return PASS;
		if (of === "shell") return judgeCommand(call, world);
		if (!changesFiles(of)) return PASS;
		const [first, ...others] = targetsOf(call, of).map((target) => {
			const known = judgeFile(call, target, world);
			const damage = known.action === "pass" ? objectToDamage(call, target, howOf(target, of), world) : undefined;
			return damage ? joinOutcomes([known, damage]) : known;
		});
		return first && others.length === 0 ? first : joinOutcomes(first ? [first, ...others] : []);
	} catch (error) {
		return { ...PASS, events: [faultEvent(call, "guard.judge", error, world.now)] };
	}
}

function howOf({ isOverwritten }: NamedTarget, of: ToolClass): "edit" | "write" {
	return isOverwritten || of === "write" ? "write" : "edit";
}

/**
 * A here-document over a file is judged like a write. Other commands that overwrite or remove files are not stopped,
 * since logs and build products change all the time; what they could take is kept first.
 */
function judgeCommand(call: GuardCall, world: World): Outcome {
	const { writes } = effectsOf(commandText(call.input) ?? "");
	const literal = writes
		.filter(({ loses, isLiteral }) => loses && isLiteral)
		.map(({ path }) => locateNamed(path, call));
	if (literal.length === 0) return PASS;
	return joinOutcomes(literal.map((target) => judgeHereDocument(call, target, world)));
}

function judgeHereDocument(call: GuardCall, target: Target, world: World): Outcome {
	const look = world.files.stat(target.absolute);
	if (look.kind !== "file" || look.stat.size === 0) return PASS;
	const record = findKnownFile(world.state.files, call, target, look.stat, world.files);
	if (!record) {
		// Scratch files, outside the project.
		if (!target.absolute.startsWith(`${call.cwd}/`)) return PASS;
		return judgeUnknown(call, "write", target, look.stat, world);
	}
	const comparison = compare(record, target.absolute, look.stat, world.files);
	if (comparison.kind === "unknown") return PASS;
	const at: FileCase = { call, of: "write", target, record };
	if (comparison.kind === "changed") return judgeChanged(at, comparison.digest, world);
	return objectToUndoing(at, world) ?? objectToUnread(at, world) ?? PASS;
}

/** One refused file stops the call; else the notes and events of all files count. */
export function joinOutcomes(outcomes: readonly Outcome[]): Outcome {
	const events = outcomes.flatMap((outcome) => outcome.events);
	const reasons = outcomes.flatMap((outcome) => (outcome.action === "block" ? [outcome.reason] : []));
	if (reasons.length > 0) return { action: "block", reason: reasons.join("\n\n"), events };
	const notes = outcomes.flatMap((outcome) => (outcome.action === "pass" ? outcome.notes : []));
	return { action: "pass", notes, events };
}

function judgeFile(call: GuardCall, named: NamedTarget, world: World): Outcome {
	const { settings, now } = world;
	const of = named.isOverwritten ? "write" : classOf(call, settings);
	const { look, target } = lookAt(named, world.files, call.cwd);
	// A new file may be written; folders and unreadable files are left to the tool.
	if (look.kind !== "file" || (of === "write" && isThere(call, target, look.stat, world))) return PASS;
	const known = findKnownFile(world.state.files, call, target, look.stat, world.files);
	const record = known ?? findSameBytes(call, target, world);
	if (!record) return judgeUnknown(call, of, target, look.stat, world);
	const at: FileCase = { call, of, target, record };
	const comparison = compare(record, target.absolute, look.stat, world.files);
	switch (comparison.kind) {
		case "same":
			return judgeSame(at, world);
		case "refresh": {
			const seen = { digest: comparison.digest, real: world.files.realpath(target.absolute) };
			const of = { why: "same", reason: SAME_BY[comparison.proof], mode: settings.policyMode, now } as const;
			const copied = known ? {} : { shown: record.shown, unread: record.unread };
			const event = refresh(call, target, seen, { ...of, ...copied });
			return joinOutcomes([{ ...PASS, events: [event] }, judgeSame(at, world)]);
		}
		case "changed":
			return judgeChanged(at, comparison.digest, world);
		case "absent":
			return PASS;
		case "unknown": {
			const reason = renderNotCompared(target.path, comparison.why);
			return warn(call, { rule: "unchanged", reason, target }, settings.policyMode, now);
		}
	}
}

/** It writes the text that is already there: nothing can be lost. */
function isThere(call: GuardCall, target: Target, { size }: FileStat, { files }: World): boolean {
	const content = writtenText(call, target);
	if (content === undefined || Buffer.byteLength(content) !== size) return false;
	const digest = files.digest(target.absolute);
	return digest.kind === "digest" && digest.hash === sha256(content);
}

const SAME_BY = {
	bytes: "the bytes are the same",
	"line ends": "only line ends are different",
	time: "not changed since then",
	lines: "every line that was shown is the same",
} as const;

/** The model knows these bytes from another path: the file or its folder was moved or copied. */
function findSameBytes(call: GuardCall, target: Target, world: World): FileRecord | undefined {
	const session = getRecent(world.state.files.sessions, sessionKey(call));
	if (!session) return undefined;
	const digest = world.files.digest(target.absolute);
	if (digest.kind !== "digest" || digest.stat.size === 0) return undefined;
	for (const [, record] of newestFirst(session.files)) {
		if (record.hash !== digest.hash) continue;
		const known = locate(record.path, call.cwd).absolute;
		const isNamesake = basename(known) === basename(target.absolute);
		if (isNamesake || world.files.stat(known).kind === "absent") return { ...record, stat: null, real: null };
	}
	return undefined;
}

function judgeUnknown(call: GuardCall, of: ToolClass, target: Target, stat: FileStat, world: World): Outcome {
	if (isBlank(target, stat, world.files) || world.running?.isMade(target.absolute, stat)) return PASS;
	if (!isPatchEdit(of) && isSaidWhole(call, target, world)) return PASS;
	if (isPatchEdit(of) && fitsOnce(call, target, world.files)) {
		// The model reads the file in the same batch, or has seen these lines: its edit fits, so it knows the text.
		if (world.running?.isRead(target.absolute) || wasShown(call, target, world)) return PASS;
		if (world.running?.ranAt(stat)) {
			const reason = renderMadeByCommand(target.path);
			return warn(call, { rule: "read-first", reason, target }, world.settings.policyMode, world.now);
		}
	}
	const objected = object(call, { rule: "read-first", reason: renderNotRead(target.path), target }, world);
	return withPreImage(call, target, objected, world);
}

/** The file holds nothing that could be lost. */
function isBlank(target: Target, { size }: FileStat, files: FilePort): boolean {
	return size === 0 || (size <= MAX_BLANK_BYTES && searchableText(target, files)?.trim() === "");
}

const MAX_BLANK_BYTES = 64;

/** A few characters occur anywhere and prove nothing. */
const MIN_TELLING_CHARS = 4;

function wasShown(call: GuardCall, target: Target, { files, running, wasSaid }: World): boolean {
	const texts = replacementsOf(call, target).map(({ before }) => before.replace(/\n$/, ""));
	if (texts.length === 0 || texts.some((text) => text.trim().length < MIN_TELLING_CHARS)) return false;
	if (running?.wasPrinted(texts)) return true;
	const file = searchableText(target, files) ?? "";
	return (
		wasSaid?.(
			call,
			texts.map((text) => linesAround(file, text)),
		) === true
	);
}

/** The whole lines of the file around the text. */
function linesAround(file: string, text: string): string {
	const at = file.indexOf(text);
	const last = at + text.length - (text.endsWith("\n") ? 1 : 0);
	const end = file.indexOf("\n", last);
	return file.slice(file.lastIndexOf("\n", at - 1) + 1, end === -1 ? undefined : end);
}

/** The user gave the model the whole current file. */
function isSaidWhole(call: GuardCall, target: Target, { files, wasSaid }: World): boolean {
	const text = searchableText(target, files)?.trimEnd() ?? "";
	return text.length >= MIN_TELLING_CHARS && wasSaid?.(call, [text]) === true;
}

function judgeSame(at: FileCase, world: World): Outcome {
	const { call, target, record } = at;
	const { maxReadAgeMs } = world.settings;
	const age = world.now - record.ts;
	if (maxReadAgeMs > 0 && age > maxReadAgeMs && hasLeftContext(call, record, world)) {
		return object(call, { rule: "read-age", reason: renderTooOld(target.path, age, maxReadAgeMs), target }, world);
	}
	const objected = objectToUndoing(at, world) ?? objectToUnread(at, world);
	if (objected) return objected;
	const unseen = objectToUnseen(at, world);
	if (!unseen) return PASS;
	return isPatchEdit(at.of) ? unseen : withPreImage(call, target, unseen, world);
}

/** In `warp` the context changes all the time; in other modes a read stays until a seal. */
function hasLeftContext(call: GuardCall, record: FileRecord, { state, seqOf }: World): boolean {
	const context = contextOf(state.files, call);
	if (!context) return false;
	if (context.mode === "warp") return true;
	if (context.keptFrom === null) return false;
	const kept = seqOf?.(call, context.keptFrom);
	return kept === undefined || record.seq < kept;
}

/** The same text was refused before, because it would undo a change by others. */
function objectToUndoing({ call, of, target, record }: FileCase, world: World): Outcome | undefined {
	if (isPatchEdit(of) || record.refused === null || record.refused.hash !== record.hash) return undefined;
	const input = inputHash(call.input);
	if (record.refused.input !== input) return undefined;
	const found = { hash: record.refused.hash, inputHash: input, real: record.real ?? undefined };
	const objected = object(call, { rule: "unchanged", reason: renderUndone(target.path), target, found }, world);
	return withPreImage(call, target, objected, world);
}

const MAX_SHOWN_LINES = 120;
const MAX_SHOWN_CHARS = 6_000;

/** Others changed lines that were not shown. An edit elsewhere, or of text that occurs once, is safe. */
function objectToUnread({ call, of, target, record }: FileCase, world: World): Outcome | undefined {
	if (record.unread.length === 0) return undefined;
	const { policyMode } = world.settings;
	// No diff could be made, as of a file of many megabytes.
	const isAnywhere = isWhole(record.unread);
	const lines = isAnywhere ? undefined : renderLines(record.unread);
	if (isPatchEdit(of)) {
		// The tool itself refuses a text that does not fit.
		if (!fitsOnce(call, target, world.files)) return undefined;
		if (isAnywhere && wasShown(call, target, world)) return undefined;
		return warn(
			call,
			{ rule: "unchanged", reason: renderUnreadEdit(target.path, lines), target },
			policyMode,
			world.now,
		);
	}
	const digest = world.files.digest(target.absolute);
	if (digest.kind !== "digest" || digest.stat.size === 0) return undefined;
	const now = currentLines(record, target, world);
	const look = { digest, real: world.files.realpath(target.absolute) };
	const found = lookOf(digest, look.real);
	const reason = renderUnreadWrite(target.path, lines, now);
	const objected = object(call, { rule: "unchanged", reason, target, found }, world);
	if (now === undefined || objected.action === "pass") return withPreImage(call, target, objected, world);
	const shown = { why: "shown", reason: "shown in the reason", mode: policyMode, now: world.now, unread: [] } as const;
	return { ...objected, events: [...objected.events, refresh(call, target, look, shown)] };
}

/** The unread lines now, with their numbers; undefined: too many to show. */
function currentLines(record: FileRecord, target: Target, world: World): string | undefined {
	const text = searchableText(target, world.files);
	if (text === undefined) return undefined;
	const all = text.split("\n");
	if (all.at(-1) === "") all.pop();
	const shown = record.unread.flatMap(([from, to]) =>
		all.slice(from - 1, to ?? all.length).map((line, at) => `${from + at}\t${line}`),
	);
	const excerpt = shown.join("\n");
	return shown.length > MAX_SHOWN_LINES || excerpt.length > MAX_SHOWN_CHARS ? undefined : excerpt;
}

function judgeChanged(at: FileCase, digest: FileDigest, world: World): Outcome {
	const { call, of, target, record } = at;
	const change = findChange(call, record, { target, digest }, world);
	const fits = isPatchEdit(of) && fitsOnce(call, target, world.files);
	if (fits && (isOutsideShown(record, change) || world.running?.isRead(target.absolute))) {
		const events = changeEvents(call, record, change, { actor: "other", extent: "told" }, world);
		return { ...PASS, events };
	}
	const { look, diff } = change;
	const writer = findWriter(call, digest.hash, look.real, world);
	// A path that leads to another file now: the model knows nothing of that one.
	const isSameFile = record.real === null || record.real === look.real;
	if (isPatchEdit(of) && isSameFile && replacesOnce(call, target, world.files)) {
		const reason = renderChangedElsewhere(target.path, record.seq, writer, diff);
		const warned = warn(call, { rule: "unchanged", reason, target }, world.settings.policyMode, world.now);
		return { ...warned, events: [...shownChange(at, change, world), ...warned.events] };
	}
	const reason = renderChanged(target.path, record.seq, writer, diff, isPatchEdit(of) ? "edit" : "write");
	const input = inputHash(call.input);
	const isWhole = diff?.complete === true && change.unread.length === 0;
	const found = { ...lookOf(digest, look.real), inputHash: input, diffShown: isWhole };
	const objected = withPreImage(call, target, object(call, { rule: "unchanged", reason, target, found }, world), world);
	return { ...objected, events: [...shownChange(at, change, world), ...objected.events] };
}

/** The events of a change by others whose diff the model gets now. */
function shownChange({ call, record }: FileCase, change: FoundChange, world: World): GuardEvent[] {
	const [event, known] = changeEvents(call, record, change, { actor: "other", extent: "shown" }, world);
	const events: GuardEvent[] = record.told?.hash === change.look.digest.hash ? [] : [event];
	// In report mode the model is not shown the change.
	if (world.settings.policyMode === "enforce") events.push(known);
	return events;
}

/** A write that passes despite an objection: keeps the overwritten text, and the note says where. */
function withPreImage(call: GuardCall, target: Target, outcome: Outcome, world: World): Outcome {
	if (outcome.action === "block" || !world.keep || !outcome.events.some(isRemark)) return outcome;
	const content = world.files.read(target.absolute);
	if (content.kind !== "bytes" || content.bytes.length === 0) return outcome;
	const blob = world.keep(content.bytes);
	const events = outcome.events.map((event) =>
		isRemark(event) && event.type === "Verdict" && event.payload.callId === call.callId
			? { ...event, payload: { ...event.payload, blob } }
			: event,
	);
	const note = renderReplaced(blob);
	return { ...outcome, notes: outcome.notes.map((said) => `${said} ${note}`), events };
}

function isRemark({ type, payload }: GuardEvent): boolean {
	return type === "Verdict" && payload.verdict !== "refresh";
}

/** Another session of the project whose change left the file as it is now. */
function findWriter(call: GuardCall, hash: string, real: string | undefined, world: World): string | undefined {
	if (real === undefined) return undefined;
	for (const [key, session] of newestFirst(world.state.files.sessions)) {
		if (key === sessionKey(call)) continue;
		const theirs = session.files.items[`k${real}`];
		if (theirs?.by === "change" && theirs.hash === hash) return `another session (${key}, #${theirs.seq})`;
	}
	return undefined;
}
