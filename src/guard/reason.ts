/** The guard's words to the model: what is the matter, and what to do. Short, because every one stays in the context. */
import { formatDuration } from "../text/duration.ts";
import type { DiffSince } from "./diff-since.ts";

export function sayNotRead(path: string): string {
	return `${path} has not been read in this session. Nothing was written. Read it first, then make the change again.`;
}

export function sayTooOld(path: string, age: number, most: number): string {
	return (
		`${path} was last read ${formatDuration(age)} ago; a read counts for ${formatDuration(most)} (maxReadAgeMs). ` +
		"Nothing was written. Read it again, then make the change again."
	);
}

export function sayChanged(path: string, seq: number, by: string | undefined, diff: DiffSince | undefined): string {
	const who = by === undefined ? "" : ` by ${by}`;
	const what = `${path} has changed on disk since you last saw it (#${seq})${who}. Nothing was written.`;
	if (!diff) {
		return `${what} Its earlier text is not known any more, so no diff can be shown. Read it again, then make the change again.`;
	}
	const then = diff.complete
		? "Make the change again so that it fits this text; there is no need to read the file again."
		: "Read it again, then make the change again.";
	return `${what} The changes since:\n${diff.text}\n${then}`;
}

/** A note is one line: no diff. */
export function sayPassedAnyway(reason: string): string {
	const said = reason.split("\n", 1)[0]!.replace(" Nothing was written.", "").replace(" The changes since:", "");
	return `This call was let through the third time, but the reason still holds: ${said}`;
}

export function sayNotCompared(path: string, why: string): string {
	return `Whether ${path} has changed since it was read could not be checked: ${why}.`;
}

export function sayUnseenEdit(path: string, lines: string): string {
	return `The change of ${path} is in ${lines}, which had not been shown. The old text occurs once, so the change was made.`;
}

export function sayUnseenReplaceAll(path: string, lines: string): string {
	return `Replacing every occurrence in ${path} would change ${lines}, which have not been shown. Nothing was written. Read them first, then make the change again.`;
}

export function sayUnseenOverwrite(path: string, lines: string): string {
	return `${path} was overwritten although its ${lines} had not been shown.`;
}
