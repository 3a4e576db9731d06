/**
 * Finds the lines most like a text that the file no longer holds word for word: the lines that share most of its words,
 * rare words counting more, with some lines around them. Pure.
 */

export interface Region {
	/** First and last line, from 1. */
	readonly from: number;
	readonly to: number;
	/**
	 * The share of the wanted words found there, among those that the text has at all; rare words count more. 0 to 1.
	 */
	readonly share: number;
}

const DEFAULT_HEIGHT_LINES = 40;
/** Less in common than this is chance, of the words that the text has and of all wanted words. */
const MIN_SHARE = 0.2;
const MIN_KNOWN = 0.15;
const MAX_LINES = 50_000;

/** A few words fit several places: the others that fit as well, in less height each. */
const MAX_REGIONS = 3;
const OTHER_HEIGHT_LINES = 14;

/** The best first, then places that have the same words. Empty: nothing in the text is like it. */
export function findBestRegions(text: string, wanted: string, height: number = DEFAULT_HEIGHT_LINES): Region[] {
	const lines = linesOf(text);
	const words = wordsOf(wanted);
	if (lines.length === 0 || lines.length > MAX_LINES || words.size === 0) return [];
	const weights = weigh(lines, words);
	const known = [...words].filter(([word]) => weights.has(word));
	const count = (all: Iterable<readonly [string, number]>) => [...all].reduce((sum, [, times]) => sum + times, 0);
	if (count(known) < MIN_KNOWN * count(words)) return [];
	const total = known.reduce((sum, [word, times]) => sum + times * (weights.get(word) ?? 0), 0);
	const wantedLines = linesOf(wanted.trim()).map(wordsOf);
	const span = Math.min(lines.length, wantedLines.length);
	const best = bestWindow(lines, words, weights, wantedLines);
	const share = Math.min(1, best.score / total);
	if (share < MIN_SHARE) return [];
	const regions: Region[] = [];
	for (const at of best.places) {
		if (regions.some(({ from, to }) => at + 1 >= from && at + span <= to)) continue;
		const high = regions.length === 0 ? height : Math.min(height, OTHER_HEIGHT_LINES);
		const room = Math.max(0, high - span);
		const from = Math.max(1, Math.min(at + 1 - Math.floor(room / 2), lines.length - high + 1));
		const to = Math.min(lines.length, Math.max(from + high - 1, at + span));
		if (regions.push({ from, to, share }) === MAX_REGIONS) break;
	}
	return regions;
}

/**
 * Slides a window as high as the wanted text over the lines, counting each wanted word at most as often as it is wanted.
 */
function bestWindow(
	lines: readonly string[],
	words: ReadonlyMap<string, number>,
	weights: ReadonlyMap<string, number>,
	wanted: readonly WordCounts[],
): { readonly places: readonly number[]; readonly score: number } {
	const span = Math.min(lines.length, wanted.length);
	const inside = new Map<string, number>();
	let score = 0;
	let best = { at: 0, score: -1 };
	let equal: number[] = [];
	const parts = lines.map((line) => wordsOf(line));
	const add = (line: ReadonlyMap<string, number>, sign: 1 | -1) => {
		for (const [word, count] of line) {
			const most = words.get(word);
			if (most === undefined) continue;
			const before = inside.get(word) ?? 0;
			const after = before + sign * count;
			inside.set(word, after);
			score += (Math.min(most, after) - Math.min(most, before)) * (weights.get(word) ?? 0);
		}
	};
	for (const [end, part] of parts.entries()) {
		add(part, 1);
		const left = parts[end - span];
		if (left) add(left, -1);
		const at = Math.max(0, end - span + 1);
		if (score > best.score + 1e-9) {
			best = { at, score };
			equal = [at];
		} else if (score > best.score - 1e-9 && equal.length < MAX_EQUAL) equal.push(at);
	}
	return { score: best.score, places: byAlignment(equal, parts, wanted) };
}

const MAX_EQUAL = 500;

/** Places with the same words: those that match line by line first, else in the order of the text. */
function byAlignment(
	places: readonly number[],
	parts: readonly WordCounts[],
	wanted: readonly WordCounts[],
): readonly number[] {
	const aligned = (at: number) =>
		wanted.reduce((sum, line, i) => sum + [...line.keys()].filter((word) => parts[at + i]?.has(word)).length, 0);
	return places
		.map((at) => ({ at, score: aligned(at) }))
		.sort((one, other) => other.score - one.score || one.at - other.at)
		.map(({ at }) => at);
}

/** A word on few lines says more about a place. */
function weigh(lines: readonly string[], words: ReadonlyMap<string, number>): Map<string, number> {
	const counts = new Map<string, number>();
	for (const line of lines) {
		for (const word of wordsOf(line).keys()) if (words.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	return new Map([...counts].map(([word, count]) => [word, 1 / Math.sqrt(count)]));
}

type WordCounts = ReadonlyMap<string, number>;

function wordsOf(text: string): WordCounts {
	const words = new Map<string, number>();
	for (const [word] of text.matchAll(/[\p{L}\p{N}_$]+/gu)) words.set(word, (words.get(word) ?? 0) + 1);
	return words;
}

function linesOf(text: string): string[] {
	const lines = text.replaceAll("\r\n", "\n").split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines;
}
