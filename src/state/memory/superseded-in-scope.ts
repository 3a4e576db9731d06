/**
 * Whether later words of the user replaced a text, in any session of the scope: from the corrections of its threads, and from the
 * bullets that others replaced.
 */

import { BoundedMap } from "../../base/collection/bounded.ts";
import { getRecent } from "../../log/fold/keyed.ts";
import type { Log } from "../../log/log.ts";
import type { Scope } from "../session/scope.ts";
import { correctionIn } from "../thread/corrections.ts";
import { asksForWork } from "../thread/requested-work.ts";
import { sentencesOf } from "../thread/sentences.ts";
import { SupersededWords, supersededIn } from "../thread/superseded-words.ts";
import { readingsOf } from "../thread/supersession.ts";
import { valuesOf } from "../thread/terms.ts";
import type { Correction, ThreadState } from "../thread/thread.ts";
import { keyOfText } from "./document.ts";
import { keyOf, memoryFile, memoryHomes } from "./memory-files.ts";
import { type KnownBullet, MemoryStore } from "./store.ts";

const MAX_BULLETS = 500;
/** A quotation without the words around it says little, so one word in common proves nothing. */
const MIN_SHARED = 2;

/** A text that somebody wants to show as true. */
export interface SaidText {
	readonly text: string;
	/** When it was said, as the log counts. Undefined: before everything else. */
	readonly seq?: number | undefined;
	/** The session that said it, if it is known: the user's later words there say more about it. */
	readonly session?: string | undefined;
	/** True: an agent said it. */
	readonly isAgents?: boolean | undefined;
}

class SupersededInScope {
	readonly #threads: ThreadState;
	readonly #words: SupersededWords;
	/** Keys of sentences that a bullet of MEMORY.md replaced, as they were said. */
	readonly #replaced: ReadonlyMap<string, Correction>;

	constructor(threads: ThreadState, bullets: readonly Correction[], replaced: ReadonlyMap<string, Correction>) {
		this.#threads = threads;
		this.#replaced = replaced;
		const said = Object.values(threads.sessions.items).flatMap(({ corrections }) => corrections);
		const assertions = [...said, ...bullets].filter(isAssertion).toSorted((one, other) => one.seq - other.seq);
		this.#words = new SupersededWords(assertions, { minShared: MIN_SHARED });
	}

	replacerOf({ text, seq = -1, session, isAgents = false }: SaidText): Correction | undefined {
		const own = session === undefined ? undefined : getRecent(this.#threads.sessions, session);
		const replacer =
			(own && supersededIn(own, { minShared: MIN_SHARED }).replacerOf(text, seq)) ?? this.#words.replacerOf(text, seq);
		const isSure =
			replacer !== undefined &&
			!(isAgents && (isNameAlone(text) || !isAssertion(replacer) || !givesOtherValue(replacer, text)));
		return this.#bulletOn(text, seq) ?? (isSure ? replacer : undefined);
	}

	/** The words that name a value of the text as the old one. */
	disproofOf(text: string, seq: number): Correction | undefined {
		return this.#words.disproofOf(text, seq);
	}

	#bulletOn(text: string, seq: number): Correction | undefined {
		for (const reading of sentencesOf(text).flatMap(readingsOf)) {
			const replacer = this.#replaced.get(sentenceKey(reading));
			if (replacer && replacer.seq > seq) return replacer;
		}
		return undefined;
	}
}

/** "- `relay-plan install`": a line that only names something says nothing of it. */
function isNameAlone(text: string): boolean {
	return /^\s*(?:(?:[-*•]|\d+[.)])\s+)?(?:`[^`]*`|\*\*[^*]*\*\*|[!-~]+)[\s:;,.]*$/u.test(text);
}

/** Most sentences of an agent announce or report its own work ("Now let me add the tests."); what can be replaced is a value. */
function givesOtherValue({ text, wrong }: Correction, older: string): boolean {
	if (wrong !== "") return true;
	const before = valuesOf(older);
	return before.size > 0 && [...valuesOf(text)].some((value) => !before.has(value));
}

/** A question or an order about a rule's subject does not end the rule: the user must say that it changed. */
export function isAssertion({ text, wrong }: Correction): boolean {
	if (wrong !== "") return true;
	const known = knownAssertions.get(text);
	if (known !== undefined) return known;
	const asserts = !(/[?？]/.test(text) || sentencesOf(text).flatMap(clausesOf).some(asksForWork));
	knownAssertions.set(text, asserts);
	return asserts;
}

/** "2. Run lint and fix the issues, then push": one of the clauses shows that it is an order. */
function clausesOf(sentence: string): readonly string[] {
	const words = sentence.replace(/^\s*(?:[-*•]|\d+[.)])\s+/u, "");
	return [words, ...words.split(/,? (?:and|or|then|und|oder|dann|y|o|luego|et|ou|puis) /u).slice(1)];
}

const MAX_KNOWN_ASSERTIONS = 4_000;
/** Every turn asks about all corrections, and has made one or none of them. */
const knownAssertions = new BoundedMap<string, boolean>(MAX_KNOWN_ASSERTIONS);

/** Made again only when the log has grown. By threads, because each scope has its own. */
const known = new WeakMap<ThreadState, { readonly newest: number; readonly words: SupersededInScope }>();

/** `threads` and `scope` belong to the same asker. */
export function supersededInScope(log: Log, threads: ThreadState, scope: Pick<Scope, "homes">): SupersededInScope {
	const newest = log.newestSeq();
	const before = known.get(threads);
	if (before?.newest === newest) return before.words;
	const store = new MemoryStore(log);
	const files = memoryHomes(scope).map((of) => keyOf(memoryFile(of)));
	const replacers = files.flatMap((file) => store.replacements(file, MAX_BULLETS)).map(toCorrection);
	// The threads of a session with an owner are its own; what other conversations corrected is in their files.
	const elsewhere = scope.homes === undefined ? [] : files.flatMap((file) => correctingBullets(store, file));
	const words = new SupersededInScope(threads, [...replacers, ...elsewhere], replacedSentences(store, files));
	known.set(threads, { newest, words });
	return words;
}

/** Bullets that replaced others, as corrections: they outlive the threads of their sessions. */
function toCorrection({ text, seq, id }: KnownBullet): Correction {
	let corrected = knownCorrections.get(text);
	if (corrected === undefined) {
		corrected = correctionIn(text) ?? {};
		knownCorrections.set(text, corrected);
	}
	return { handle: id, seq, text, wrong: "", right: "", ...corrected };
}

const MAX_KNOWN_CORRECTIONS = 2_000;
/** By a bullet's text: bullets rarely change from one turn to the next. */
const knownCorrections = new BoundedMap<string, Partial<Correction>>(MAX_KNOWN_CORRECTIONS);

/** Bullets that name the value which they correct. */
function correctingBullets(store: MemoryStore, file: string): readonly Correction[] {
	const own = store.bullets(file).filter(({ by }) => by === "user");
	return own
		.slice(-MAX_BULLETS)
		.map(toCorrection)
		.filter(({ wrong }) => wrong !== "");
}

function replacedSentences(store: MemoryStore, files: readonly string[]): Map<string, Correction> {
	const found = new Map<string, Correction>();
	for (const file of files) {
		for (const { text, replaced_by: by } of store.replacedBullets(file, MAX_BULLETS)) {
			const replacer = by === null ? undefined : store.newestIn(file, by);
			if (replacer && !found.has(sentenceKey(text))) found.set(sentenceKey(text), toCorrection(replacer));
		}
		for (const { text, id, gone_seq: seq } of store.takenBack(file, MAX_BULLETS)) {
			const key = sentenceKey(text);
			if (seq !== null && !found.has(key)) found.set(key, { handle: id, seq, text: "", wrong: "", right: "" });
		}
	}
	return found;
}

/** A quote may lack the mark at the end of a sentence. */
function sentenceKey(text: string): string {
	return keyOfText(text.replace(/[\p{P}\s]+$/u, ""));
}
