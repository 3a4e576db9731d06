import { textWidth } from "./cut.ts";

/**
 * Wraps a line at blanks to a number of columns and indents all lines but the first. A wider word, such as a path, stays
 * whole, so it can be copied; a number stays beside its percent sign.
 */
export function wrapWords(line: string, columns: number | undefined, indent = "  "): string[] {
	if (columns === undefined || textWidth(line) <= columns) return [line];
	const lead = line.slice(0, line.length - line.trimStart().length);
	const later = lead + indent;
	const lines: string[] = [];
	let open = lead;
	let isEmpty = true;
	for (const word of line.slice(lead.length).split(/(?<=\S)\s+(?!%)/)) {
		const longer = isEmpty ? open + word : `${open} ${word}`;
		if (isEmpty || textWidth(longer) <= columns) open = longer;
		else {
			lines.push(open);
			open = later + word;
		}
		isEmpty = false;
	}
	lines.push(open);
	return lines;
}

/** Wraps lines that do not fit. */
export async function* fitLines(
	lines: Iterable<string> | AsyncIterable<string>,
	columns: number | undefined,
): AsyncGenerator<string> {
	for await (const line of lines) yield* wrapWords(line, columns);
}
