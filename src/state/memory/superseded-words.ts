/**
 * Whether later words of the user replaced a text, in any session of the scope: from the corrections of its threads, and from the
 * bullets that others replaced. A correction that was itself replaced no longer counts, so a value that the user returned to is true.
 */
import type { Log } from "../../log/log.ts";
import type { Scope } from "../session/scope.ts";
import { correctionIn } from "../thread/corrections.ts";
import { withoutCues } from "../thread/cues.ts";
import { sentencesOf } from "../thread/sentences.ts";
import { disproves, replacesInAnyReading } from "../thread/supersession.ts";
import { termsOf, valuesOf } from "../thread/terms.ts";
import type { Correction, ThreadState } from "../thread/thread.ts";
import { asksForWork } from "./durable/lasting-cues.ts";
import { keyOf, memoryFile, memoryHomes } from "./memory-files.ts";
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
	const words = new SupersededWords([...said, ...replacedBullets(log, scope)]);
	known.set(threads, { newest, words });
	return words;
}

/** Bullets of MEMORY.md that replaced others, as corrections: they outlive the threads of their sessions. */
function replacedBullets(log: Log, scope: Pick<Scope, "homes">): Correction[] {
	const store = new MemoryStore(log);
	const bullets = memoryHomes(scope).flatMap((of) => store.replacements(keyOf(memoryFile(of)), MAX_BULLETS));
	return bullets.map(({ text, seq, id }) => ({ handle: id, seq, text, wrong: "", right: "", ...correctionIn(text) }));
}
