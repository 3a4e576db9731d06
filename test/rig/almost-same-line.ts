/** The same words, and numbers that differ by a twentieth at most. A page may show such a line of a program's output. */
export function isAlmostSameLine(line: string, other: string): boolean {
	const theirs = numbersOf(other);
	return (
		wordsOf(line) === wordsOf(other) && numbersOf(line).every((own, at) => Math.abs(own - theirs[at]!) <= own / 20)
	);
}

function wordsOf(line: string): string {
	return line.replace(NUMBER, "#").replace(/\s+/g, " ").trimEnd();
}

function numbersOf(line: string): number[] {
	return (line.match(NUMBER) ?? []).map((number) => Number(number.replaceAll(",", "")));
}

const NUMBER = /\d[\d,]*(?:\.\d+)?/g;
