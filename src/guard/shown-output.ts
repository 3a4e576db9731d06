/**
 * Finds the lines of a file that a text shows: the output of `cat`, `head`, `sed -n`, `grep -n`, `nl`, `git diff`, or a
 * command that writes the file. Trusts nothing: a line counts only if the file has it at the given number, or in a run
 * of lines found in the file.
 */
import { plainText } from "../base/text/lines.ts";
import { addRange, type LineRange } from "./shown-lines.ts";

const MAX_LINES = 20_000;
const MAX_PLACES = 40;
/** A shorter run counts only if its first line occurs once in the file. */
const MIN_RUN = 3;
const MIN_TELLING_CHARS = 4;

export function linesShownIn(file: string, output: string): readonly LineRange[] {
	const lines = linesOf(file);
	const said = linesOf(output);
	if (lines.length === 0 || lines.length > MAX_LINES || said.length > MAX_LINES) return [];
	const shown = new Set<number>();
	findNumbered(lines, said, shown);
	findHunks(lines, said, shown);
	findRuns(lines, said, shown);
	return rangesOf(withoutStrays(lines, shown));
}

function linesOf(text: string): string[] {
	const lines = plainText(text).split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines;
}

/** `12:text`, `12-text`, `12⇥text`, `12→text`, `12 | text`, with or without a path before it. */
const NUMBERED = /^(?:[^\s:][^:\n]{0,300}?[:-])?\s{0,12}(\d{1,7})(?:→|\t|[:-]| ?[|│] ?| {1,2})(.*)$/s;

function findNumbered(lines: readonly string[], said: readonly string[], shown: Set<number>): void {
	for (const line of said) {
		const match = NUMBERED.exec(line);
		if (!match) continue;
		const number = Number(match[1]);
		const own = lines[number - 1];
		if (own !== undefined && (match[2] === own || match[2] === ` ${own}`)) shown.add(number);
	}
}

/** The new side of a diff, by the numbers of its headers. */
function findHunks(lines: readonly string[], said: readonly string[], shown: Set<number>): void {
	let next = 0;
	for (const line of said) {
		const head = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
		if (head) next = Number(head[1]);
		else if (next > 0 && /^[ +]/.test(line)) {
			if (lines[next - 1] === line.slice(1)) shown.add(next);
			next++;
		} else if (!/^[-\\]/.test(line)) next = 0;
	}
}

function findRuns(lines: readonly string[], said: readonly string[], shown: Set<number>): void {
	const places = new Map<string, number[]>();
	for (const [at, line] of lines.entries()) {
		const known = places.get(line);
		if (!known) places.set(line, [at]);
		else if (known.length <= MAX_PLACES) known.push(at);
	}
	let i = 0;
	for (let line = said[i]; line !== undefined; line = said[i]) {
		const starts = places.get(line) ?? [];
		let best = { at: 0, length: 0 };
		for (const at of starts.slice(0, MAX_PLACES)) {
			const length = runLength(lines, at, said, i);
			if (length > best.length) best = { at, length };
		}
		const isSure = best.length >= MIN_RUN || best.length === lines.length || (starts.length === 1 && isTelling(line));
		if (isSure) for (let k = 0; k < best.length; k++) shown.add(best.at + k + 1);
		i += Math.max(1, isSure ? best.length : 1);
	}
}

function runLength(lines: readonly string[], at: number, said: readonly string[], i: number): number {
	let length = 0;
	while (at + length < lines.length && i + length < said.length && lines[at + length] === said[i + length]) length++;
	return length;
}

function isTelling(line: string): boolean {
	return line.trim().length >= MIN_TELLING_CHARS;
}

/** A lone `}` or an empty line could be any other: it counts only next to a telling line. */
function withoutStrays(lines: readonly string[], shown: ReadonlySet<number>): number[] {
	const sorted = [...shown].sort((a, b) => a - b);
	if (sorted.length === lines.length) return sorted;
	const kept: number[] = [];
	for (let i = 0; i < sorted.length; ) {
		let end = i + 1;
		while (end < sorted.length && sorted[end] === (sorted[end - 1] ?? 0) + 1) end++;
		const run = sorted.slice(i, end);
		if (run.some((number) => isTelling(lines[number - 1] ?? ""))) kept.push(...run);
		i = end;
	}
	return kept;
}

function rangesOf(numbers: readonly number[]): readonly LineRange[] {
	const ranges: LineRange[] = [];
	for (const number of numbers) {
		const last = ranges.at(-1);
		if (last && last[1] === number - 1) ranges[ranges.length - 1] = [last[0], number];
		else ranges.push([number, number]);
	}
	return ranges.reduce<readonly LineRange[]>((all, range) => addRange(all, range), []);
}
