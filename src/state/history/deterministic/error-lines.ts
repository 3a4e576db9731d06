import { cutStart } from "../../../base/text/cut.ts";

const MAX_LINES = 4;
const MAX_LINE_CHARS = 200;
/** Errors stand at the beginning or at the end of an output. */
const SCANNED_CHARS = 8_000;
const TELLS =
	/error|exception|panic|fatal|fail|traceback|cannot|could not|undefined|denied|not found|assert|expected|refused|timed? ?out|no such/i;
const NOISE = /^\s*(?:at |\d+\s*\||[|^~\-=*.\s]+$|Command exited with code)|\b0 (?:errors?|fail)|✓|passed/i;

/** The lines of an output that say what went wrong, as they stand; a few of them. */
export function errorLines(text: string): string[] {
	const scanned =
		text.length > SCANNED_CHARS * 2 ? `${text.slice(0, SCANNED_CHARS)}\n${text.slice(-SCANNED_CHARS)}` : text;
	const lines: string[] = [];
	for (const line of scanned.split("\n")) {
		if (line.length > MAX_LINE_CHARS * 10 || !TELLS.test(line) || NOISE.test(line)) continue;
		const short = cutStart(line.replace(/\s+/g, " ").trim(), MAX_LINE_CHARS).toWellFormed();
		if (!lines.includes(short)) lines.push(short);
		if (lines.length === MAX_LINES) break;
	}
	return lines;
}
