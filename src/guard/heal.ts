/**
 * A failed edit whose old text is not in the file: the result gets the current lines most like it, so that the next try
 * needs no read. They count as shown.
 */
import { findBestRegions, type Region } from "../base/diff/best-region.ts";
import { plainText } from "../base/text/lines.ts";
import type { ResultBlock } from "../message/view.ts";
import { editsOf } from "../state/session/file-change.ts";
import type { Aftermath } from "./aftermath.ts";
import { classOf, findKnownFile, lookAt, type Target, targetsOf } from "./call.ts";
import { findChange } from "./change.ts";
import { compare } from "./compare.ts";
import { searchableText } from "./edit-places.ts";
import type { World } from "./judge.ts";
import { renderNearestLines } from "./reason.ts";
import { addRanges, type LineRange, withoutRanges } from "./shown-lines.ts";
import type { GuardCall } from "./types.ts";
import { changeEvent, refresh } from "./verdict.ts";

const MAX_CHARS = 6_000;
/** Old texts of one call that are searched. */
const MAX_TEXTS = 3;

/** Undefined: the edit failed for another reason, or no line resembles its old text. */
export function healEdit(call: GuardCall, result: ResultBlock, world: World): Aftermath | undefined {
	const of = classOf(call, world.settings);
	if (of !== "edit" || !result.isError || world.settings.policyMode === "report") return undefined;
	const [named, ...more] = targetsOf(call, of);
	if (!named || more.length > 0) return undefined;
	const { look, target } = lookAt(named, world.files, call.cwd);
	const text = look.kind === "file" ? searchableText(target, world.files) : undefined;
	if (text === undefined) return undefined;
	const regions = missingTexts(call, text).flatMap((wanted) => findBestRegions(text, wanted));
	const shown = showRegions(text, regions);
	if (!shown) return undefined;
	return { notes: [renderNearestLines(target.path, shown.text)], events: know(call, target, shown.ranges, world) };
}

function missingTexts(call: GuardCall, text: string): string[] {
	const missing = editsOf(call.input).flatMap(({ before }) => (text.includes(plainText(before)) ? [] : [before]));
	return missing.slice(0, MAX_TEXTS);
}

function showRegions(
	text: string,
	regions: readonly Region[],
): { readonly text: string; readonly ranges: readonly LineRange[] } | undefined {
	const lines = text.split("\n");
	const wanted = regions.reduce<readonly LineRange[]>((all, { from, to }) => addRanges(all, [[from, to]]), []);
	const shown: string[] = [];
	const ranges: LineRange[] = [];
	let chars = 0;
	for (const [from, to] of wanted) {
		for (let number = from; number <= (to ?? lines.length); number++) {
			const line = `${number}\t${lines[number - 1]}`;
			chars += line.length + 1;
			if (chars > MAX_CHARS) break;
			shown.push(line);
			ranges.push([number, number]);
		}
	}
	return shown.length === 0 ? undefined : { text: shown.join("\n"), ranges: addRanges([], ranges) };
}

function know(call: GuardCall, target: Target, ranges: readonly LineRange[], world: World): Aftermath["events"] {
	const { files, settings, now } = world;
	const digest = files.digest(target.absolute);
	if (digest.kind !== "digest") return [];
	const look = { digest, real: files.realpath(target.absolute) };
	const record = findKnownFile(world.state.files, call, target, digest.stat, files);
	const of = { why: "shown", reason: "shown after a failed edit", mode: settings.policyMode, now } as const;
	if (!record) return [refresh(call, target, look, { ...of, shown: ranges })];
	const named = { ...target, path: record.path };
	if (compare(record, target.absolute, digest.stat, files).kind !== "changed") {
		const shown = record.shown.length === 0 ? undefined : addRanges(record.shown, ranges);
		return [refresh(call, named, look, { ...of, shown, unread: withoutRanges(record.unread, ranges) })];
	}
	// It changed while the call ran: lines outside these stay unread.
	const change = findChange(call, record, { target, digest }, world);
	const unread = withoutRanges(addRanges(change.unread, change.changed), ranges);
	const shown = addRanges(withoutRanges(change.shown, unread), ranges);
	return [
		changeEvent(call, record.path, { look, diff: change.diff, actor: "other", now }),
		refresh(call, named, look, { ...of, shown, unread }),
	];
}
