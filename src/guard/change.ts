/**
 * A file that differs from the session's record: what changed, which changes a diff shows to the model, and which stay
 * unread. The record takes over the new bytes at once and keeps the lines not shown as unread.
 */
import { plainText } from "../base/text/lines.ts";
import type { Target } from "./call.ts";
import { DIFF_ROOM, type DiffRoom, type DiffSince, diffSince } from "./diff-since.ts";
import type { FileRecord } from "./file-record.ts";
import type { World } from "./judge.ts";
import { addRanges, afterHunks, isWhole, type LineRange, WHOLE, withLineCount, withoutRanges } from "./shown-lines.ts";
import type { BaseText, FileDigest, GuardCall, GuardEvent } from "./types.ts";
import { changeEvent, refresh } from "./verdict.ts";

export interface FoundChange {
	readonly target: Target;
	readonly look: { readonly digest: FileDigest; readonly real: string | undefined };
	/** Undefined: the earlier text is not known, or the two have little in common. */
	readonly diff: DiffSince | undefined;
	/** Lines that the model knows once it has seen the diff. Numbers of now. */
	readonly shown: readonly LineRange[];
	/** Changed lines that the diff's text does not show. Numbers of now. */
	readonly unread: readonly LineRange[];
	/** All changed lines, as far as known. Numbers of now. */
	readonly changed: readonly LineRange[];
}

export function findChange(
	call: GuardCall,
	record: FileRecord,
	at: { readonly target: Target; readonly digest: FileDigest },
	world: World,
	room: DiffRoom = DIFF_ROOM,
): FoundChange {
	const { target, digest } = at;
	const look = { digest, real: world.files.realpath(target.absolute) };
	const base = baseOf(record, call, world);
	const content = base && world.files.read(target.absolute);
	const now = content?.kind === "bytes" ? content.bytes.toString("utf8") : undefined;
	const diff = base && now !== undefined ? diffSince(record.path, base, now, room) : undefined;
	if (!base || !diff) {
		// All known parts are unchanged, so the change is in lines that were never shown.
		const stands = base?.kind === "slices" && now !== undefined && holds(base, now);
		const shown = stands ? withLineCount(record.shown, digest.lines) : [];
		const unread = withoutRanges(WHOLE, shown);
		return { target, look, diff, shown, unread, changed: unread };
	}
	const hunks = diff.hunks.map(({ oldStart, oldLines, newLines }) => ({ start: oldStart, oldLines, newLines }));
	const moved = record.shown.length === 0 ? [] : afterHunks(record.shown, hunks, "add");
	const before = afterHunks(record.unread, hunks, "leave");
	if (base.kind === "slices") {
		const shown = withLineCount(withoutRanges(moved, diff.unread), digest.lines);
		return { target, look, diff, shown, unread: withoutRanges(WHOLE, shown), changed: diff.changed };
	}
	const unread = addRanges(before, diff.unread);
	return { target, look, diff, shown: withoutRanges(moved, unread), unread, changed: diff.changed };
}

/** The text behind a record: from memory, or as the log proves it. */
export function baseOf(record: FileRecord, call: GuardCall, world: World): BaseText | undefined {
	const bytes = record.hash === null ? undefined : world.files.remembered?.(record.hash);
	return bytes ? { kind: "whole", text: bytes.toString("utf8") } : world.base?.(record, call);
}

function holds(base: Extract<BaseText, { readonly kind: "slices" }>, now: string): boolean {
	const text = plainText(now);
	return base.slices.every((slice) => text.includes(plainText(slice.text)));
}

/** The change touches no line that the model was shown, so an edit elsewhere needs no word of it. */
export function isOutsideShown(record: FileRecord, { diff }: FoundChange): boolean {
	if (!diff?.whole || record.shown.length === 0 || isWhole(record.shown)) return false;
	return diff.hunks.every(({ oldStart, lines }) => {
		const first = lines.findIndex((line) => !line.startsWith(" "));
		const last = lines.findLastIndex((line) => !line.startsWith(" "));
		const removed = lines.slice(first, last + 1).filter((line) => !line.startsWith("+")).length;
		const from = oldStart + first;
		const end = from + Math.max(1, removed) - 1;
		return withoutRanges([[from, end]], record.shown).some(([start, to]) => start === from && to === end);
	});
}

/**
 * The events of a change. `shown`: its diff is in a result or a reason, for good; `told`: it was only named, or shown
 * for one request.
 */
export function changeEvents(
	call: GuardCall,
	record: FileRecord,
	change: FoundChange,
	how: { readonly actor: "agent" | "shell" | "other"; readonly extent: "shown" | "told" | "own" },
	world: World,
): [change: GuardEvent, known: GuardEvent] {
	const { look, diff, shown, unread, changed } = change;
	const event = changeEvent(call, record.path, { look, diff, actor: how.actor, now: world.now });
	const of = { why: "shown", reason: SHOWN_BY[how.extent], mode: world.settings.policyMode, now: world.now } as const;
	const left = how.extent === "own" ? [] : how.extent === "told" ? addRanges(unread, changed) : unread;
	const target = { ...change.target, path: record.path };
	return [event, refresh(call, target, look, { ...of, shown: withoutRanges(shown, left), unread: left })];
}

const SHOWN_BY = {
	shown: "the diff was shown",
	told: "the change was told",
	own: "changed by this call",
} as const;
