/**
 * Chooses the pieces of text that say the most that is not said yet, within a number of bytes. A term that is already shown counts
 * less each time, so ten sentences about one thing do not take the room of ten things.
 */
import { isDistinct } from "../../state/thread/corrections.ts";

export interface TextPiece {
	/** What it is part of: the more of it is chosen, the less the next piece counts. */
	readonly whole: string;
	readonly text: string;
	readonly bytes: number;
	readonly weight: number;
	/** Characters that what it is part of may take: in some scripts one has three bytes and says as much as two letters. */
	readonly most?: number | undefined;
}

const TERM =
	/[\p{L}_$][\p{L}\p{N}_$]*(?:[./:#-][\p{L}\p{N}_$]+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}_]*|[\p{L}]+_[\p{L}\p{N}_]+|#?\p{N}[\p{L}\p{N}.%]*|\p{Lu}[\p{L}\p{N}]{2,}|[\p{L}]{5,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,4}/gu;
/** A distinct term says more than an ordinary word. */
const DISTINCT_WEIGHT = 3;
/** Each time that a term was shown before. */
const SHOWN_FACTOR = 0.4;
/** Of the room: a whole that has taken so much halves the worth of its next piece. */
const FAIR_SHARE = 0.15;
/** A piece costs its line too. */
const LINE_BYTES = 40;
const MIN_BYTES = 60;

interface Rated<Piece> {
	readonly piece: Piece;
	readonly terms: readonly string[];
	worth: number;
}

export class NewsChooser<Piece extends TextPiece> {
	readonly #shown = new Map<string, number>();
	readonly #taken = new Map<string, number>();
	readonly #chars = new Map<string, number>();
	readonly #fair: number;

	/** `shown`: texts that the reader has anyway. */
	constructor(shown: readonly string[], bytes: number) {
		this.#fair = Math.max(1, bytes * FAIR_SHARE);
		for (const text of shown) this.#show(termsOf(text));
	}

	choose(pieces: readonly Piece[], bytes: number): Set<Piece> {
		const chosen = new Set<Piece>();
		let free = bytes;
		const queue = pieces
			.map((piece): Rated<Piece> => ({ piece, terms: termsOf(piece.text), worth: 0 }))
			.map((rated) => ({ ...rated, worth: this.#worth(rated) }))
			.sort((one, other) => one.worth - other.worth);
		// A worth only shrinks: the best is computed again until it is still the best.
		for (let best = queue.pop(); best && free >= MIN_BYTES; best = queue.pop()) {
			if (best.piece.bytes > free) continue;
			best.worth = this.#worth(best);
			const next = queue.at(-1);
			if (next && best.worth < next.worth) {
				queue.splice(placeOf(queue, best.worth), 0, best);
				continue;
			}
			if (best.worth <= 0) break;
			chosen.add(best.piece);
			free -= best.piece.bytes;
			this.#taken.set(best.piece.whole, (this.#taken.get(best.piece.whole) ?? 0) + best.piece.bytes);
			this.#chars.set(best.piece.whole, (this.#chars.get(best.piece.whole) ?? 0) + best.piece.text.length);
			this.#show(best.terms);
		}
		return chosen;
	}

	#worth({ piece, terms }: Rated<Piece>): number {
		const taken = this.#taken.get(piece.whole) ?? 0;
		if (piece.most !== undefined && (this.#chars.get(piece.whole) ?? 0) + piece.text.length > piece.most) return 0;
		let news = 0;
		for (const term of terms) {
			news += (isDistinct(term) ? DISTINCT_WEIGHT : 1) * SHOWN_FACTOR ** (this.#shown.get(term) ?? 0);
		}
		const fairness = 1 + taken / this.#fair;
		return (piece.weight * news) / (piece.bytes + LINE_BYTES) / fairness;
	}

	#show(terms: readonly string[]): void {
		for (const term of terms) this.#shown.set(term, (this.#shown.get(term) ?? 0) + 1);
	}
}

/** Where a worth belongs in a list that grows. */
function placeOf(queue: readonly { readonly worth: number }[], worth: number): number {
	let [low, high] = [0, queue.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((queue[middle]?.worth ?? 0) < worth) low = middle + 1;
		else high = middle;
	}
	return low;
}

function termsOf(text: string): string[] {
	return [...new Set(text.match(TERM) ?? [])];
}
