/** A line with the byte where it begins, so that an outline can say where to read. */
export interface NumberedLine {
	/** From 1, or as the tool that showed it numbered it. */
	readonly number: number;
	/** Offset in bytes of UTF-8. */
	readonly offset: number;
	/** Without number and line break, and cut: no scanner needs more. */
	readonly text: string;
}

const MAX_LINE_CHARS = 400;
/** How tools number lines: `   12→`, `12\t`, `12| `. */
const NUMBERED = /^ {0,8}(\d{1,7})(?:→|\t|\| ?|: )/;

export function* linesOf(text: string): Generator<NumberedLine> {
	const numbered = isNumbered(text);
	let offset = 0;
	let number = 0;
	for (let start = 0; start < text.length; ) {
		const newline = text.indexOf("\n", start);
		const end = newline === -1 ? text.length : newline;
		number++;
		const shown = text.slice(start, Math.min(end, start + MAX_LINE_CHARS)).replace(/\r$/, "");
		const prefix = numbered ? NUMBERED.exec(shown) : null;
		yield {
			number: prefix ? Number(prefix[1]) : number,
			offset,
			text: prefix ? shown.slice(prefix[0].length) : shown,
		};
		offset += Buffer.byteLength(text.slice(start, end), "utf8") + 1;
		start = end + 1;
	}
}

/** The first lines, for guessing. */
export function firstLines(text: string, count: number): string[] {
	const lines: string[] = [];
	for (const line of linesOf(text)) {
		lines.push(line.text);
		if (lines.length === count) break;
	}
	return lines;
}

function isNumbered(text: string): boolean {
	const sample = text.slice(0, 4_000).split("\n").slice(0, 20);
	return sample.length > 3 && sample.slice(0, -1).every((line) => NUMBERED.test(line));
}
