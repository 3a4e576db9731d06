/**
 * Ranks items by how well they answer a text. A word counts by its rarity, once per item. An item also gets a share of its
 * neighbours' words, because an answer rarely repeats the words of the question before it; long neighbours lend little,
 * because they have a bit of everything. Words found in one stretch lift all of it a little, and a heading that the text
 * names lifts its items. The same settings serve memory files, conversations and coding sessions.
 */
import type { ItemIndex } from "./item-index.ts";
import { isOrdinary, termsOf } from "./terms.ts";

/** The share of a word that the next item gets, and the one after it. */
const LENT = [0.6, 0.3] as const;
/** Half the share of a word counts for more than half. */
const SATURATION = 1;
const STRETCH_SHARE = 0.6;
const NAMED_HEADING = 1.8;
/** Another form of a word counts for less than the word. */
const FORM_SHARE = 0.3;
/** The rarest words of a pasted page say what it is about. */
const MAX_TERMS = 48;
const MAX_LOOKUPS = 256;

/** Switches to measure the value of each ingredient. All are on in use. */
export interface Ingredients {
	readonly stopWords?: boolean | undefined;
	readonly neighbours?: boolean | undefined;
	readonly stretches?: boolean | undefined;
	readonly headings?: boolean | undefined;
	readonly rarity?: boolean | undefined;
}

export interface RankedItem {
	readonly row: number;
	readonly score: number;
	/** Words of the text that the item itself has. */
	readonly matched: readonly RecallTerm[];
}

export interface RecallTerm {
	readonly word: string;
	/** Above zero; higher for rarer words. */
	readonly weight: number;
	/** How many items have it. */
	readonly count: number;
}

export interface Ranking {
	/** The best first; of equals the newer, which comes later in the list of items. */
	readonly ranked: readonly RankedItem[];
	/** All words of the text, found or not. */
	readonly terms: readonly RecallTerm[];
}

export interface RankOptions extends Ingredients {
	readonly limit: number;
	/** Rank only rows before this one. For measuring on a growing session. */
	readonly before?: number | undefined;
}

export function rank(index: ItemIndex, text: string, options: RankOptions): Ranking {
	const size = Math.min(options.before ?? index.items.length, index.items.length);
	const terms = lookUp(index, text, size, options);
	const used = terms.filter(({ rows }) => rows.length > 0).slice(0, MAX_TERMS);
	const scored = new Scores(index, size);
	for (const term of [...used, ...formsOf(index, used, size, options)]) scored.add(term, options.neighbours !== false);
	if (options.stretches !== false) scored.liftStretches(used);
	if (options.headings !== false) scored.liftHeadings(used);
	return {
		terms,
		ranked: scored.best(options.limit).map(({ row, score }) => ({
			row,
			score,
			matched: used.filter(({ rows }) => holds(rows, row)),
		})),
	};
}

interface FoundTerm extends RecallTerm {
	/** In order. */
	readonly rows: Int32Array;
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
		found.push({ word, weight: weightOf(rows, size, options), count: rows.length, rows });
	}
	return found.sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1));
}

function weightOf({ length }: Int32Array, size: number, { rarity }: RankOptions): number {
	return rarity === false ? 1 : Math.log(1 + (size - length + 0.5) / (length + 0.5));
}

/** Rows with another form of a word, and not the word itself. They lift an item, but prove nothing. */
function formsOf(index: ItemIndex, terms: readonly FoundTerm[], size: number, options: RankOptions): FoundTerm[] {
	return terms.flatMap((term) => {
		const rows = index.rowsLike(term.word).filter((row) => row < size && !holds(term.rows, row));
		const weight = FORM_SHARE * weightOf(rows, size, options);
		return rows.length === 0 ? [] : [{ ...term, rows, weight, count: rows.length }];
	});
}

/** Scores of rows that have a word or are next to one that has. The cost depends on the touched rows, not on all rows. */
class Scores {
	readonly #index: ItemIndex;
	readonly #scores: Float64Array;
	/** The share of the current word that each row has. */
	readonly #share: Float64Array;
	readonly #touched: number[] = [];

	constructor(index: ItemIndex, size: number) {
		this.#index = index;
		this.#scores = new Float64Array(size);
		this.#share = new Float64Array(size);
	}

	add({ rows, weight }: FoundTerm, spreads: boolean): void {
		const { stretches, lending } = this.#index;
		const [share, scores] = [this.#share, this.#scores];
		const marked: number[] = [];
		const give = (row: number, part: number) => {
			if (share[row] === 0) marked.push(row);
			share[row]! += part;
		};
		for (const row of rows) {
			give(row, 1);
			if (!spreads) continue;
			const stretch = stretches[row];
			for (let distance = 1; distance <= LENT.length; distance++) {
				const part = LENT[distance - 1]! * lending[row]!;
				if (row >= distance && stretches[row - distance] === stretch) give(row - distance, part);
				if (row + distance < share.length && stretches[row + distance] === stretch) give(row + distance, part);
			}
		}
		for (const row of marked) {
			const held = share[row]!;
			if (scores[row] === 0) this.#touched.push(row);
			scores[row]! += (weight * held * (SATURATION + 1)) / (held + SATURATION);
			share[row] = 0;
		}
	}

	/** A word that few stretches have tells which one is meant. */
	liftStretches(terms: readonly FoundTerm[]): void {
		const { stretches, lending, stretchCount } = this.#index;
		const lift = new Map<number, number>();
		for (const { rows } of terms) {
			const times = new Map<number, number>();
			for (const row of rows) {
				const stretch = stretches[row]!;
				if (stretch >= 0) times.set(stretch, (times.get(stretch) ?? 0) + lending[row]!);
			}
			const weight = Math.log(1 + (stretchCount - times.size + 0.5) / (times.size + 0.5));
			for (const [stretch, n] of times) {
				lift.set(stretch, (lift.get(stretch) ?? 0) + (weight * n * (SATURATION + 1)) / (n + SATURATION));
			}
		}
		for (const row of this.#touched) this.#scores[row]! += STRETCH_SHARE * (lift.get(stretches[row]!) ?? 0);
	}

	liftHeadings(terms: readonly FoundTerm[]): void {
		const named = new Set(terms.flatMap(({ word }) => (isOrdinary(word) ? [] : this.#index.rowsUnder(word))));
		for (const row of named) if (row < this.#scores.length) this.#scores[row]! *= NAMED_HEADING;
	}

	/** The best rows; of equals the later one, which is newer. */
	best(limit: number): readonly { readonly row: number; readonly score: number }[] {
		const scores = this.#scores;
		const isBefore = (one: number, other: number) =>
			scores[one]! > scores[other]! || (scores[one] === scores[other] && one > other);
		const best: number[] = [];
		for (const row of this.#touched) {
			if (best.length === limit && !isBefore(row, best.at(-1)!)) continue;
			let at = best.length;
			while (at > 0 && isBefore(row, best[at - 1]!)) at--;
			best.splice(at, 0, row);
			if (best.length > limit) best.pop();
		}
		return best.map((row) => ({ row, score: scores[row]! }));
	}
}

function holds(rows: Int32Array, row: number): boolean {
	let [low, high] = [0, rows.length - 1];
	while (low <= high) {
		const middle = (low + high) >> 1;
		if (rows[middle] === row) return true;
		if (rows[middle]! < row) low = middle + 1;
		else high = middle - 1;
	}
	return false;
}
