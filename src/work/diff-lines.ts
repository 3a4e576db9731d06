import { hunksBetween } from "../diff/unified.ts";
import type { KnownLines } from "./file-source.ts";

/** Texts beyond this are not compared: the work would be seen, its result hardly. */
const MAX_DIFF_CHARS = 400_000;

/**
 * The lines of a diff from what was known of a file to what it holds. Where only a stretch was known, what stands
 * before and after it is no change. Undefined: nothing to compare with, or too different to say.
 */
export function asDiffLines(known: string | KnownLines | undefined, now: string): string[] | undefined {
	if (known === undefined || now.length > MAX_DIFF_CHARS) return undefined;
	const text = now.replaceAll("\r\n", "\n");
	const before = (typeof known === "string" ? known : `${known.lines.join("\n")}\n`).replaceAll("\r\n", "\n");
	const found = before.length > MAX_DIFF_CHARS ? undefined : hunksBetween(before, text);
	if (!found) return undefined;
	const lines = found.flatMap((hunk) => {
		const { lines, skipped } = typeof known === "string" ? { lines: hunk.lines, skipped: 0 } : withinKnown(hunk.lines);
		return lines.some((line) => line[0] !== " ") ? [`@@ line ${hunk.newStart + skipped} @@`, ...lines] : [];
	});
	return lines.length > 0 ? lines : undefined;
}

/** Without the lines that stand before the first, or after the last, that was known. */
function withinKnown(lines: readonly string[]): { readonly lines: readonly string[]; readonly skipped: number } {
	const isBeside = (line: string): boolean => line[0] === "+";
	const first = lines.findIndex((line) => !isBeside(line));
	const last = lines.findLastIndex((line) => !isBeside(line));
	return { lines: lines.slice(Math.max(0, first), last + 1), skipped: Math.max(0, first) };
}
