import { sliceUnits } from "../text/truncate.ts";
import type { ChangeSpot } from "./file-fold.ts";

const MAX_TEXT_CHARS = 400;
const MAX_DIFF_CHARS = 100_000;

/**
 * Where a diff changed a file: the longest stretch of added lines and the line where it begins. Line numbers of a diff
 * that was made from a call's arguments alone are not the file's, so the text is kept to find the place by.
 */
export function changeSpot(diff: string | null): ChangeSpot | null {
	if (diff === null) return null;
	let best: { line: number; lines: string[]; chars: number } | undefined;
	let run: { line: number; lines: string[]; chars: number } | undefined;
	let removedAt: number | undefined;
	let line = 0;
	for (const text of diff.slice(0, MAX_DIFF_CHARS).split("\n")) {
		const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text);
		if (hunk) line = Number(hunk[1]);
		if (line === 0 || hunk || !text.startsWith("+")) {
			run = undefined;
			if (line > 0 && text.startsWith("-")) removedAt ??= line;
			if (line > 0 && text.startsWith(" ")) line++;
			continue;
		}
		run ??= { line, lines: [], chars: 0 };
		run.lines.push(text.slice(1));
		run.chars += text.trim().length;
		if (!best || run.chars > best.chars) best = run;
		line++;
	}
	if (best && best.chars > best.lines.length) return { line: best.line, text: bounded(best.lines) };
	const at = best?.line ?? removedAt;
	return at === undefined ? null : { line: at, text: null };
}

/** Whole lines while they fit; the first one cut if it alone is too long. */
function bounded(lines: readonly string[]): string {
	let text = sliceUnits(lines[0]!, MAX_TEXT_CHARS);
	if (text.length < lines[0]!.length) return text;
	for (const line of lines.slice(1)) {
		if (text.length + line.length + 1 > MAX_TEXT_CHARS) break;
		text += `\n${line}`;
	}
	return text;
}
