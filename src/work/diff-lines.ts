import { hunksBetween } from "../transcript/unified-diff.ts";
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
	const hunks = typeof known === "string" ? found : found.filter((hunk) => !isBeyond(hunk.lines));
	const lines = hunks.flatMap((hunk) => [`@@ line ${hunk.newStart} @@`, ...hunk.lines]);
	return lines.length > 0 ? lines : undefined;
}

/** Nothing but lines before the first, or after the last, that was known. */
function isBeyond(lines: readonly string[]): boolean {
	const atEdge = lines[0]?.[0] === "+" || lines.at(-1)?.[0] === "+";
	return atEdge && !lines.some((line) => line[0] === "-");
}
