/**
 * Which items answer a text best. Each word counts by how rare it is, once per item, never by the length of the text. An item
 * also has a share of the words of its neighbours, for an answer rarely repeats the words of the question before it; long
 * neighbours lend little, for they hold a bit of everything. Words that are found in one stretch lift all of it a little, and a
 * heading that the text names lifts its items. The same settings serve memory files, conversations and coding sessions.
 */
import type { ItemIndex } from "./item-index.ts";
import { isOrdinary } from "./stop-words.ts";
import { termsOf } from "./terms.ts";

/** How much of a word the item next to it has, and the one after that. */
const LENT = [0.5, 0.25] as const;
/** At this length an item lends half of that. */
const LENDING_CHARS = 400;
/** A word half as present as another counts for more than half. */
const SATURATION = 1;
const STRETCH_SHARE = 0.3;
const NAMED_HEADING = 1.5;
/** Of a pasted page the rarest words tell what it is about. */
const MAX_TERMS = 48;
const MAX_LOOKUPS = 256;

/** Switches for measuring what an ingredient is worth; all are on in use. */
export interface Ingredients {
	readonly stopWords?: boolean | undefined;
	readonly neighbours?: boolean | undefined;
	readonly stretches?: boolean | undefined;
	readonly headings?: boolean | undefined;
	readonly rarity?: boolean | undefined;
}

export interface Ranked {
	readonly row: number;
	readonly score: number;
	/** The words of the text that the item itself holds. */
	readonly matched: readonly Term[];
}

export interface Term {
	readonly word: string;
	/** Above zero: the rarer, the higher. */
	readonly weight: number;
	/** How many items hold it. */
	readonly count: number;
}

export interface Ranking {
	/** The best first; of equals the newer, which stands later. */
	readonly ranked: readonly Ranked[];
	/** All words that were looked for, found or not. */
	readonly terms: readonly Term[];
}

export interface RankOptions extends Ingredients {
	readonly limit: number;
	/** Only rows before this one. For measuring on a growing session. */
	readonly before?: number | undefined;
}

export function rank(index: ItemIndex, text: string, options: RankOptions): Ranking {
	const size = Math.min(options.before ?? index.items.length, index.items.length);
	const terms = lookUp(index, text, size, options);
	const used = terms.filter(({ rows }) => rows.length > 0).slice(0, MAX_TERMS);
	const scores = new Float64Array(size);
	const share = new Float64Array(size);
	for (const term of used) {
		const touched =
			options.neighbours === false ? markRows(term.rows, share) : spreadRows(index, term.rows, share, size);
		for (const row of touched) {
			const held = share[row]!;
			scores[row]! += (term.weight * held * (SATURATION + 1)) / (held + SATURATION);
			share[row] = 0;
		}
	}
	if (options.stretches !== false) liftStretches(index, used, scores);
	if (options.headings !== false) liftHeadings(index, used, scores);
	const best = bestRows(scores, options.limit);
	const holders = new Map(used.map((term) => [term.word, new Set(term.rows)]));
	return {
		terms,
		ranked: best.map((row) => ({
			row,
			score: scores[row]!,
			matched: used.filter(({ word }) => holders.get(word)!.has(row)),
		})),
	};
}

interface FoundTerm extends Term {
	readonly rows: readonly number[];
}

/** The rarest first. Two words of one stem are one. */
function lookUp(index: ItemIndex, text: string, size: number, options: RankOptions): readonly FoundTerm[] {
	const found: FoundTerm[] = [];
	const seen = new Set<string>();
	for (const word of termsOf(text, { stopWords: options.stopWords ?? true }).slice(0, MAX_LOOKUPS)) {
		const all = index.rowsWith(word);
		const rows = size < index.items.length ? all.filter((row) => row < size) : all;
		const key = rows.length > 0 ? `${rows.length} ${rows[0]} ${rows.at(-1)} ${word.slice(0, 2)}` : word;
		if (seen.has(key)) continue;
		seen.add(key);
		const weight = options.rarity === false ? 1 : Math.log(1 + (size - rows.length + 0.5) / (rows.length + 0.5));
		found.push({ word, weight, count: rows.length, rows });
	}
	return found.sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1));
}

function markRows(rows: readonly number[], share: Float64Array): readonly number[] {
	for (const row of rows) share[row] = 1;
	return rows;
}

/** Gives each row its word, and its neighbours their part. Returns the rows that have some. */
function spreadRows(index: ItemIndex, rows: readonly number[], share: Float64Array, size: number): readonly number[] {
	const touched: number[] = [];
	const give = (row: number, part: number) => {
		if (share[row] === 0) touched.push(row);
		share[row]! += part;
	};
	for (const row of rows) {
		give(row, 1);
		const stretch = index.stretches[row];
		const lending = lendingOf(index, row);
		for (const [distance, part] of LENT.entries()) {
			const [before, after] = [row - distance - 1, row + distance + 1];
			if (before >= 0 && index.stretches[before] === stretch) give(before, part * lending);
			if (after < size && index.stretches[after] === stretch) give(after, part * lending);
		}
	}
	return touched;
}

/** Between 0 and 1; a long item holds a bit of everything, and says little about what is beside it. */
function lendingOf(index: ItemIndex, row: number): number {
	const length = index.items[row]!.text.length / LENDING_CHARS;
	return 1 / (1 + length * length);
}

/** A word that stands in few stretches tells which one is meant. */
function liftStretches(index: ItemIndex, terms: readonly FoundTerm[], scores: Float64Array): void {
	const count = new Set(index.stretches).size;
	const lift = new Map<number, number>();
	for (const { rows } of terms) {
		const times = new Map<number, number>();
		for (const row of rows) {
			const stretch = index.stretches[row]!;
			if (stretch >= 0) times.set(stretch, (times.get(stretch) ?? 0) + lendingOf(index, row));
		}
		const weight = Math.log(1 + (count - times.size + 0.5) / (times.size + 0.5));
		for (const [stretch, n] of times) {
			lift.set(stretch, (lift.get(stretch) ?? 0) + (weight * n * (SATURATION + 1)) / (n + SATURATION));
		}
	}
	for (const [row, score] of scores.entries()) {
		if (score > 0) scores[row] = score + STRETCH_SHARE * (lift.get(index.stretches[row]!) ?? 0);
	}
}

function liftHeadings(index: ItemIndex, terms: readonly FoundTerm[], scores: Float64Array): void {
	const named = new Set(terms.flatMap(({ word }) => (isOrdinary(word) ? [] : index.rowsUnder(word))));
	for (const row of named) if (row < scores.length) scores[row]! *= NAMED_HEADING;
}

function bestRows(scores: Float64Array, limit: number): readonly number[] {
	const rows: number[] = [];
	for (const [row, score] of scores.entries()) if (score > 0) rows.push(row);
	return rows.sort((a, b) => scores[b]! - scores[a]! || b - a).slice(0, limit);
}
