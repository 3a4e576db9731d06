/**
 * Whether later words of the user replaced a text, in any session of the project: from the corrections of all threads, and from the
 * bullets that others replaced. A correction that was itself replaced no longer counts, so a value that the user returned to is true.
 */
import type { Log } from "../../log/log.ts";
import { correctionIn } from "../thread/corrections.ts";
import { withoutCues } from "../thread/cues.ts";
import { sentencesOf } from "../thread/sentences.ts";
import { disproves, replacesBehindLabel } from "../thread/supersession.ts";
import { termsOf, valuesOf } from "../thread/terms.ts";
import type { Correction, ThreadState } from "../thread/thread.ts";
import { asksForWork } from "./durable/lasting-cues.ts";
import { MemoryStore } from "./store.ts";

const MAX_BULLETS = 500;
/** A recalled paragraph is short; of a longer text only so many sentences are compared. */
const MAX_SENTENCES = 24;
const MIN_SHARED = 2;

class SupersededWords {
	/** Corrections by each of their terms, the newest last. */
	readonly #byTerm = new Map<string, Correction[]>();

	constructor(corrections: readonly Correction[]) {
		const inOrder = corrections.filter(isAssertion).toSorted((one, other) => one.seq - other.seq);
		// From the newest on, so that a correction is compared only with those that hold.
		for (const correction of inOrder.toReversed()) {
			if (this.replacerOf(correction.text, correction.seq)) continue;
			const terms = termsOf(withoutCues(correction.text));
			if (correction.wrong !== "") terms.add(correction.wrong.toLowerCase());
			for (const term of terms) {
				const known = this.#byTerm.get(term);
				if (known) known.push(correction);
				else this.#byTerm.set(term, [correction]);
			}
		}
	}

	/** The words that replaced the text. `seq`: when it was said; by default before all corrections. */
	replacerOf(text: string, seq = -1): Correction | undefined {
		const lower = text.toLowerCase();
		for (const sentence of sentencesOf(text).slice(0, MAX_SENTENCES)) {
			const shared = new Map<Correction, number>();
			for (const term of termsOf(withoutCues(sentence))) {
				for (const correction of this.#byTerm.get(term) ?? [])
					shared.set(correction, (shared.get(correction) ?? 0) + 1);
			}
			for (const [correction, count] of shared) {
				if (correction.seq <= seq || lower.includes(correction.text.toLowerCase())) continue;
				if (disproves(correction, sentence)) return correction;
				// Over sessions, one word in common says nothing.
				if (count >= MIN_SHARED && replacesBehindLabel(correction, sentence)) return correction;
			}
		}
		return undefined;
	}

	/** The words that name a value of the text as the old one. */
	disproofOf(text: string, seq: number): Correction | undefined {
		for (const value of valuesOf(text)) {
			const found = this.#byTerm.get(value)?.find((each) => each.seq > seq && disproves(each, text));
			if (found) return found;
		}
		return undefined;
	}
}

/** A question or an order about a rule's subject does not end the rule: the user must say that it changed. */
export function isAssertion({ text, wrong }: Correction): boolean {
	return wrong !== "" || !(/[?？]/.test(text) || sentencesOf(text).some(asksForWork));
}

/** Made again only when the log has grown. */
const known = new WeakMap<Log, { readonly newest: number; readonly words: SupersededWords }>();

export function supersededWords(log: Log, threads: ThreadState): SupersededWords {
	const newest = log.newestSeq();
	const before = known.get(log);
	if (before?.newest === newest) return before.words;
	const said = Object.values(threads.sessions.items).flatMap(({ corrections }) => corrections);
	const words = new SupersededWords([...said, ...replacedBullets(log)]);
	known.set(log, { newest, words });
	return words;
}

/** Bullets of MEMORY.md that replaced others, as corrections: they outlive the threads of their sessions. */
function replacedBullets(log: Log): Correction[] {
	return new MemoryStore(log).replacements("memory", MAX_BULLETS).flatMap(({ text, seq, id }) => {
		const change = correctionIn(text);
		return [{ handle: id, seq, text, wrong: "", right: "", ...change }];
	});
}
