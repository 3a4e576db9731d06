/**
 * Whether later words of the user replaced a text, in any session of the scope: from the corrections of its threads, and from the
 * bullets that others replaced. A correction that was itself replaced no longer counts, so a value that the user returned to is true.
 */
import type { Log } from "../../log/log.ts";
import type { Scope } from "../session/scope.ts";
import { correctionIn } from "../thread/corrections.ts";
import { withoutCues } from "../thread/cues.ts";
import { sentencesOf } from "../thread/sentences.ts";
import { disproves, readingsOf, replacesInAnyReading } from "../thread/supersession.ts";
import { termsOf, valuesOf, wordsInTerm } from "../thread/terms.ts";
import type { Correction, ThreadState } from "../thread/thread.ts";
import { keyOfText } from "./document.ts";
import { asksForWork } from "./durable/lasting-cues.ts";
import { keyOf, memoryFile, memoryHomes } from "./memory-files.ts";
import { type KnownBullet, MemoryStore } from "./store.ts";

const MAX_BULLETS = 500;
/** A recalled paragraph is short; of a longer text only so many sentences are compared. */
const MAX_SENTENCES = 24;
const MIN_SHARED = 2;

class SupersededWords {
	/** Corrections by each of their terms, the newest last. */
	readonly #byTerm = new Map<string, Correction[]>();
	/** Keys of sentences that a bullet of MEMORY.md replaced, as they were said. */
	readonly #replaced: ReadonlyMap<string, Correction>;

	constructor(corrections: readonly Correction[], replaced: ReadonlyMap<string, Correction> = new Map()) {
		this.#replaced = replaced;
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
			for (const reading of readingsOf(sentence)) {
				const replacer = this.#replaced.get(sentenceKey(reading));
				if (replacer && replacer.seq > seq) return replacer;
			}
			const shared = new Map<Correction, number>();
			for (const term of termsOf(withoutCues(sentence))) {
				for (const correction of this.#byTerm.get(term) ?? [])
					shared.set(correction, (shared.get(correction) ?? 0) + wordsInTerm(term));
			}
			for (const [correction, count] of shared) {
				if (correction.seq <= seq || lower.includes(correction.text.toLowerCase())) continue;
				if (disproves(correction, sentence)) return correction;
				// Over sessions, one word in common says nothing.
				if (count >= MIN_SHARED && replacesInAnyReading(correction, sentence)) return correction;
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

/** Made again only when the log has grown. By threads, because each scope has its own. */
const known = new WeakMap<ThreadState, { readonly newest: number; readonly words: SupersededWords }>();

/** `threads` and `scope` belong to the same asker. */
export function supersededWords(log: Log, threads: ThreadState, scope: Pick<Scope, "homes">): SupersededWords {
	const newest = log.newestSeq();
	const before = known.get(threads);
	if (before?.newest === newest) return before.words;
	const said = Object.values(threads.sessions.items).flatMap(({ corrections }) => corrections);
	const store = new MemoryStore(log);
	const files = memoryHomes(scope).map((of) => keyOf(memoryFile(of)));
	const replacers = files.flatMap((file) => store.replacements(file, MAX_BULLETS)).map(toCorrection);
	const words = new SupersededWords([...said, ...replacers], replacedSentences(store, files));
	known.set(threads, { newest, words });
	return words;
}

/** Bullets that replaced others, as corrections: they outlive the threads of their sessions. */
function toCorrection({ text, seq, id }: KnownBullet): Correction {
	return { handle: id, seq, text, wrong: "", right: "", ...correctionIn(text) };
}

function replacedSentences(store: MemoryStore, files: readonly string[]): Map<string, Correction> {
	const found = new Map<string, Correction>();
	for (const file of files) {
		for (const { text, replaced_by: by } of store.replacedBullets(file, MAX_BULLETS)) {
			const replacer = by === null ? undefined : store.newestIn(file, by);
			if (replacer && !found.has(sentenceKey(text))) found.set(sentenceKey(text), toCorrection(replacer));
		}
	}
	return found;
}

/** A quote may lack the mark at the end of a sentence. */
function sentenceKey(text: string): string {
	return keyOfText(text.replace(/[\p{P}\s]+$/u, ""));
}
