/**
 * What each action relies on, as far as an earlier message on its path contained it. A text that was found once stays
 * found, and a missing one is searched only in newer messages: a long session is searched once, not once per call.
 */
import type { PathMessage } from "../context/path.ts";
import { type Recording, rawPath } from "./recording.ts";
import { type Demand, demandOf, SearchableText } from "./support.ts";

export function demandsOf({ calls, reader }: Recording): Demand[] {
	const filter = new GramFilter();
	const texts = new Map<number, SearchableText>();
	let before = new EarlierMessages();
	let last: readonly PathMessage[] = [];
	return calls.map((call) => {
		const { messages } = rawPath(reader, call);
		if (messages[last.length - 1]?.seq !== last.at(-1)?.seq) before = new EarlierMessages();
		for (const { seq, text } of messages.slice(before.texts.length)) {
			const known = texts.get(seq);
			const made = known ?? new SearchableText(text);
			before.add(made);
			if (known) continue;
			texts.set(seq, made);
			// The filter keeps texts of other branches: it only denies what no branch has.
			filter.add(made.text);
			if (made.plain !== made.text) filter.add(made.plain);
		}
		last = messages;
		const { edits, paths, terms } = demandOf(call.answer);
		return {
			edits: edits.filter(({ text }) => filter.mayHold(text) && before.has(text, (each) => each.holdsEdit(text))),
			paths: paths.filter((path) => filter.mayHold(path) && before.has(path, ({ text }) => text.includes(path))),
			terms: terms.filter((term) => before.terms.has(term)),
		};
	});
}

/** The messages before a call. */
class EarlierMessages {
	readonly texts: SearchableText[] = [];
	readonly terms = new Set<string>();
	/** True, or the number of messages that were searched without success. */
	readonly #known = new Map<string, number | true>();

	add(text: SearchableText): void {
		this.texts.push(text);
		for (const term of text.terms) this.terms.add(term);
	}

	has(wanted: string, isIn: (text: SearchableText) => boolean): boolean {
		const searched = this.#known.get(wanted) ?? 0;
		if (searched === true) return true;
		// Actions mostly rely on recent messages, so search backwards.
		const isFound = this.texts.slice(searched).findLast(isIn) !== undefined;
		this.#known.set(wanted, isFound || this.texts.length);
		return isFound;
	}
}

/**
 * A Bloom filter over sequences of five and eight characters: could one of the added texts contain this one? A no is
 * certain. In a long session most of what a model writes is new, and then needs no search at all.
 */
const SIZES = [5, 8] as const;
const BITS = 24;
/** The beginning of a long text is enough. */
const MAX_GRAMS = 64;

export class GramFilter {
	readonly #grams = SIZES.map((size) => ({ size, seen: new Uint8Array(1 << (BITS - 3)) }));

	add(text: string): void {
		for (const { size, seen } of this.#grams) {
			for (let from = 0; from + size <= text.length; from++) {
				const bit = hashOf(text, from, size);
				seen[bit >>> 3] = (seen[bit >>> 3] ?? 0) | (1 << (bit & 7));
			}
		}
	}

	mayHold(text: string): boolean {
		return this.#grams.every(({ size, seen }) => {
			const last = Math.min(text.length - size, MAX_GRAMS);
			for (let from = 0; from <= last; from++) {
				const bit = hashOf(text, from, size);
				if (((seen[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
			}
			return true;
		});
	}
}

function hashOf(text: string, from: number, size: number): number {
	let hash = 0x811c9dc5;
	for (let at = from; at < from + size; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	return (hash ^ (hash >>> 15)) >>> (32 - BITS);
}
