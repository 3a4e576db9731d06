/** Does a part of a file that was shown still stand where it stood? Line ends and the very last one do not count. */
import { sha256 } from "../hash/sha256.ts";
import { plainText } from "./line-ends.ts";

/** True when lines `from` to `to` of the text are what was shown, of which only the hash is known. */
export function holdsSlice(text: string, slice: { from: number; to: number | null; hash: string }): boolean {
	const lines = linesOf(text, slice.from, slice.to);
	if (lines === undefined) return false;
	const plain = lines.join("\n");
	const crlf = lines.join("\r\n");
	// A host that splits at \n leaves the \r of the last line.
	return [plain, `${plain}\n`, crlf, `${crlf}\r`, `${crlf}\r\n`].some((spelt) => sha256(spelt) === slice.hash);
}

/** True when the text has what was shown at line `from`. */
export function holdsText(text: string, from: number, shown: string): boolean {
	const want = withoutLastBreak(plainText(shown)).replace(/\r$/, "");
	const lines = linesOf(text, from, from + want.split("\n").length - 1);
	return lines !== undefined && lines.join("\n") === want;
}

/** Undefined where the file is shorter than that. */
function linesOf(text: string, from: number, to: number | null): string[] | undefined {
	const all = withoutLastBreak(plainText(text)).split("\n");
	if (from < 1 || from > all.length || (to !== null && to > all.length)) return undefined;
	return all.slice(from - 1, to ?? all.length);
}

function withoutLastBreak(text: string): string {
	return text.endsWith("\n") ? text.slice(0, -1) : text;
}
