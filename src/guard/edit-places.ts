/** Edits of lines that the model was never shown: allowed with a note if the old text occurs once. */

import { isBinary, plainText } from "../base/text/lines.ts";
import type { ToolClass } from "../state/session/tool-class.ts";
import { isPatchEdit, type Target } from "./call.ts";
import type { FileRecord } from "./file-record.ts";
import { type OwnReplacement, replacementsOf } from "./own-text.ts";
import { renderUnseenEdit, renderUnseenOverwrite, renderUnseenReplaceAll } from "./reason.ts";
import { covers, isWhole, type LineRange, missing, renderLines } from "./shown-lines.ts";
import type { FilePort, GuardCall, Outcome } from "./types.ts";
import { type Judging, object, warn } from "./verdict.ts";

const MAX_SEARCHED_BYTES = 32 * 1024 * 1024;
const MAX_PLACES = 1_000;

/** A call on one file, and what the session knows of the file. */
export interface FileCase {
	readonly call: GuardCall;
	readonly of: ToolClass;
	readonly target: Target;
	readonly record: FileRecord;
}

export function objectToUnseen(
	{ call, of, target, record }: FileCase,
	world: Judging & { readonly files: FilePort },
): Outcome | undefined {
	// An empty list means that the shown lines are unknown: no reason for a note.
	if (isWhole(record.shown) || record.shown.length === 0) return undefined;
	const { policyMode } = world.settings;
	if (!isPatchEdit(of) && of !== "write") return undefined;
	const text = searchableText(target, world.files);
	if (text === undefined) return undefined;
	const say = (reason: string) => ({ rule: "lines-shown", reason, target }) as const;
	if (of === "write") {
		const unseen = missing(record.shown, text.split("\n").length - (text.endsWith("\n") ? 1 : 0));
		if (unseen.length === 0) return undefined;
		return warn(call, say(renderUnseenOverwrite(target.path, renderLines(unseen))), policyMode, world.now);
	}
	const unseen: LineRange[] = [];
	for (const edit of replacementsOf(call, target)) {
		const places = findPlaces(text, edit);
		const hidden = places.filter(([from, to]) => !covers(record.shown, from, to ?? from));
		// Several places, but not all meant: the tool refuses it by itself.
		if (hidden.length === 0 || (places.length > 1 && !edit.all)) continue;
		if (places.length > 1) {
			return object(call, say(renderUnseenReplaceAll(target.path, renderLines(hidden))), world);
		}
		unseen.push(...hidden);
	}
	if (unseen.length === 0) return undefined;
	return warn(call, say(renderUnseenEdit(target.path, renderLines(unseen))), policyMode, world.now);
}

/** Undefined: too large, or not text. */
export function searchableText(target: Target, files: FilePort): string | undefined {
	const content = files.read(target.absolute);
	if (content.kind !== "bytes" || content.bytes.length > MAX_SEARCHED_BYTES || isBinary(content.bytes))
		return undefined;
	return plainText(content.bytes.toString("utf8"));
}

/**
 * True when every old text of the call occurs once in the file, or several times where all are meant. A call without old
 * texts names its place in another way, which its tool checks.
 */
export function fitsOnce(call: GuardCall, target: Target, files: FilePort): boolean {
	const text = searchableText(target, files);
	if (text === undefined) return false;
	return replacementsOf(call, target).every((edit) => {
		const places = findPlaces(text, edit).length;
		return places === 1 || (edit.all && places > 1);
	});
}

/**
 * True when the call names every text that it replaces in the file, and each occurs there exactly once: whatever else the
 * file holds stays.
 */
export function replacesOnce(call: GuardCall, target: Target, files: FilePort): boolean {
	const text = searchableText(target, files);
	const edits = text === undefined ? [] : replacementsOf(call, target);
	return edits.length > 0 && edits.every((edit) => findPlaces(text ?? "", edit).length === 1);
}

/** The lines of each occurrence. */
function findPlaces(whole: string, { before, isLines }: OwnReplacement): LineRange[] {
	if (before === "") return [];
	// Whole lines begin after a line break, which is counted with them.
	const [text, part] = isLines ? [`\n${whole.replace(/\n?$/, "\n")}`, `\n${before}`] : [whole, before];
	const height = part.split("\n").length - (part.endsWith("\n") ? 2 : 1);
	const places: LineRange[] = [];
	let line = 1;
	let from = 0;
	for (
		let at = text.indexOf(part);
		at !== -1 && places.length < MAX_PLACES;
		at = text.indexOf(part, at + part.length - (isLines ? 1 : 0))
	) {
		for (let next = text.indexOf("\n", from); next !== -1 && next < at; next = text.indexOf("\n", next + 1)) {
			line++;
			from = next + 1;
		}
		places.push(isLines ? [line, line + height - 1] : [line, line + height]);
	}
	return places;
}
