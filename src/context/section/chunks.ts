/** Cuts the lines of a file into chunks that end where a declaration ends, judging by indentation and blank lines. */

const MIN_LINES = 14;
const USUAL_LINES = 30;
const MAX_LINES = 46;

/** Where each chunk begins, from 0. */
export function chunkStarts(lines: readonly string[]): number[] {
	const starts = lines.length === 0 ? [] : [0];
	for (let at = 0; lines.length - at > MAX_LINES; ) {
		let [best, most] = [at + USUAL_LINES, Number.NEGATIVE_INFINITY];
		for (let next = at + MIN_LINES; next <= at + MAX_LINES; next++) {
			const score = beginning(lines, next) - Math.abs(next - at - USUAL_LINES) / 15;
			if (score > most) [best, most] = [next, score];
		}
		starts.push(best);
		at = best;
	}
	return starts;
}

const CLOSING = /^\s*(?:[)\]}>;,]+|end\b|<\/|else\b|elif\b|except\b|finally\b|catch\b)/;

/** How much a line looks like the beginning of something. */
function beginning(lines: readonly string[], at: number): number {
	const line = lines[at] ?? "";
	const text = line.trimStart();
	if (text === "") return -4;
	const indent = line.length - text.length;
	const isIndented = indent > 0 && (line[0] === "\t" ? indent : indent / 2);
	const afterBlank = (lines[at - 1] ?? "").trim() === "" ? 2 : 0;
	return afterBlank + 3 - Math.min(4, Number(isIndented)) - (CLOSING.test(line) ? 4 : 0);
}
