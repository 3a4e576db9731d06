/**
 * Where does a text stand now that is not there word for word? The stretch of lines that shares most of its words, weighed
 * by how rare they are, widened on both sides. Pure: a live guard and a replay find the same place.
 */

export interface Region {
	/** First and last line, from 1. */
	readonly from: number;
	readonly to: number;
	/** Share of the text's words that stand there, rare ones counting more; 0 to 1. */
	readonly share: number;
}

const HEAL_LINES = 40;
/** Less in common than this is chance. */
const LEAST_SHARE = 0.2;
const MOST_LINES = 50_000;

/** Undefined: nothing in the text is like it. */
export function findBestRegion(text: string, wanted: string, height: number = HEAL_LINES): Region | undefined {
	const lines = linesOf(text);
	const words = wordsOf(wanted);
	if (lines.length === 0 || lines.length > MOST_LINES || words.size === 0) return undefined;
	const weights = weigh(lines, words);
	const total = [...words].reduce((sum, [word, count]) => sum + count * (weights.get(word) ?? 1), 0);
	const span = Math.min(lines.length, Math.max(1, linesOf(wanted.trim()).length));
	const best = bestWindow(lines, words, weights, span);
	const share = Math.min(1, best.score / total);
	if (share < LEAST_SHARE) return undefined;
	const room = Math.max(0, height - span);
	const from = Math.max(1, Math.min(best.at + 1 - Math.floor(room / 2), lines.length - height + 1));
	const to = Math.min(lines.length, Math.max(from + height - 1, best.at + span));
	return { from, to, share };
}

/** Slides a window of `span` lines over the text and counts each wanted word as often as it is wanted at most. */
function bestWindow(
	lines: readonly string[],
	words: ReadonlyMap<string, number>,
	weights: ReadonlyMap<string, number>,
	span: number,
): { readonly at: number; readonly score: number } {
	const inside = new Map<string, number>();
	let score = 0;
	let best = { at: 0, score: -1 };
	const parts = lines.map((line) => wordsOf(line));
	const add = (line: ReadonlyMap<string, number>, sign: 1 | -1) => {
		for (const [word, count] of line) {
			const wanted = words.get(word);
			if (wanted === undefined) continue;
			const before = inside.get(word) ?? 0;
			const after = before + sign * count;
			inside.set(word, after);
			score += (Math.min(wanted, after) - Math.min(wanted, before)) * (weights.get(word) ?? 1);
		}
	};
	for (let end = 0; end < lines.length; end++) {
		add(parts[end]!, 1);
		if (end >= span) add(parts[end - span]!, -1);
		const at = Math.max(0, end - span + 1);
		if (score > best.score + 1e-9) best = { at, score };
	}
	return best;
}

/** A word that stands on few lines says more about a place. */
function weigh(lines: readonly string[], words: ReadonlyMap<string, number>): Map<string, number> {
	const counts = new Map<string, number>();
	for (const line of lines) {
		for (const word of wordsOf(line).keys()) if (words.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	return new Map([...counts].map(([word, count]) => [word, 1 / Math.sqrt(count)]));
}

function wordsOf(text: string): Map<string, number> {
	const words = new Map<string, number>();
	for (const [word] of text.matchAll(/[\p{L}\p{N}_$]+/gu)) words.set(word, (words.get(word) ?? 0) + 1);
	return words;
}

function linesOf(text: string): string[] {
	const lines = text.replaceAll("\r\n", "\n").split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines;
}
