/** The guard's texts for the model: the problem, and what to do. Short, because each one stays in the context. */

import { firstLine } from "../base/text/lines.ts";
import { formatDuration } from "../base/text/time.ts";
import type { DiffSince } from "./diff-since.ts";

export function renderNotRead(path: string): string {
	return `${path} has not been read in this session. Nothing was written. Read it first, then make the change again.`;
}

export function renderTooOld(path: string, age: number, most: number): string {
	return (
		`${path} was last read ${formatDuration(age)} ago; a read counts for ${formatDuration(most)} (maxReadAgeMs). ` +
		"Nothing was written. Read it again, then make the change again."
	);
}

/** `how`: an edit names the text that it replaces, a write does not. */
export function renderChanged(
	path: string,
	seq: number,
	by: string | undefined,
	diff: DiffSince | undefined,
	how: "edit" | "write",
): string {
	const who = by === undefined ? "" : ` by ${by}`;
	const what = `${path} has changed on disk since you last saw it (#${seq})${who}. Nothing was written.`;
	if (!diff) {
		return `${what} Its earlier text is not known any more, so no diff can be shown. Read it again, then make the change again.`;
	}
	return `${what} The changes since:\n${diff.text}\n${diff.complete ? AFTER_DIFF[how] : "Read it again, then make the change again."}`;
}

const AFTER_DIFF = {
	edit: "Make the change again so that it fits this text; there is no need to read the file again.",
	write: "Write the file again with these changes in it; the same text once more would undo them.",
} as const;

/** An edit passes although the file has changed: it names the text that it replaces, and that is still there once. */
export function renderChangedElsewhere(
	path: string,
	seq: number,
	by: string | undefined,
	diff: DiffSince | undefined,
): string {
	const who = by === undefined ? "" : ` by ${by}`;
	const what = `${path} has changed on disk since you last saw it (#${seq})${who}. Your old text still occurs once, so the call was let through.`;
	if (!diff)
		return `${what} The earlier text is not known any more, so no diff can be shown: read the file before you write it.`;
	const left = diff.complete ? "" : "\nRead it again before you write it.";
	return `${what} The changes since:\n${diff.text}${left}`;
}

export function renderUndone(path: string): string {
	return (
		`This is the text that was refused before: it would undo what was changed in ${path} since you last saw it. ` +
		"Nothing was written. Write the file with these changes in it, or read it again first."
	);
}

/** `lines`: undefined if nobody knows which. */
export function renderUnreadEdit(path: string, lines: string | undefined): string {
	return `${whatIsUnread(path, lines)} The old text occurs once, so the call was let through.`;
}

/** `now`: these lines, with their numbers. */
export function renderUnreadWrite(path: string, lines: string | undefined, now: string | undefined): string {
	const what = `${whatIsUnread(path, lines)} Nothing was written.`;
	if (now !== undefined) return `${what} These lines as they are now:\n${now}\nWrite the file again with them in mind.`;
	const which = lines === undefined ? "it" : "these lines";
	return `${what} Read ${which}, then write the file with ${lines === undefined ? "that" : "them"} in mind.`;
}

function whatIsUnread(path: string, lines: string | undefined): string {
	return `${path} was changed${lines === undefined ? "" : ` in ${lines}`}, and you have not seen that yet.`;
}

export function renderMadeByCommand(path: string): string {
	return `${path} was written while a command of yours ran and has not been shown. The old text occurs once, so the call was let through.`;
}

/** The reason's first line, without its diff. */
export function renderPassedAnyway(reason: string): string {
	const said = firstLine(reason).replace(
		/ Nothing was written\.| The changes since:| These lines as they are now:/g,
		"",
	);
	return `This call was let through this time, but the reason still holds: ${said}`;
}

export function renderNotCompared(path: string, why: string): string {
	return `Whether ${path} has changed since it was read could not be checked: ${why}.`;
}

export function renderUnseenEdit(path: string, lines: string): string {
	return `The change of ${path} is in ${lines}, which had not been shown. The old text occurs once, so the call was let through.`;
}

export function renderUnseenReplaceAll(path: string, lines: string): string {
	return `Replacing every occurrence in ${path} would change ${lines}, which have not been shown. Nothing was written. Read them first, then make the change again.`;
}

export function renderUnseenOverwrite(path: string, lines: string): string {
	return `${path} was overwritten although its ${lines} had not been shown.`;
}

/** After a failed edit. */
export function renderNearestLines(path: string, lines: string): string {
	return `The old text is not in ${path}. The lines that are most like it now, with their numbers:\n${lines}`;
}
