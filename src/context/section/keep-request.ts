/**
 * The user's words for a seal made by hand, a model's answer to them, if one was asked, the items of the thread that they mean,
 * and the lines of the messages that left that match the words. Only the answer needs a model.
 */

import { cutMiddle, cutToBytes } from "../../base/text/cut.ts";
import { ENCLOSURE_BYTES, enclose, wordsInLine } from "../../message/enclosure.ts";
import { withoutNotes } from "../../message/note.ts";
import { type Aim, aimsOf, withoutAims } from "../../state/thread/aims.ts";
import type { ItemKind, ThreadItem } from "../../state/thread/items.ts";
import { relatedWords } from "./related-words.ts";
import { type ListEntry, renderList, type Section, type SectionList, type SectionStyle } from "./section.ts";

export interface KeepRequest {
	readonly words: string;
	/** A model's answer to the words. */
	readonly focus?: string | undefined;
	/** The messages that have left, newest first. */
	readonly messages: Iterable<LeavingMessage>;
	/** Items of the thread, which say more than a line of a message. */
	readonly items?: readonly AskedItem[] | undefined;
}

type AskedItem = Pick<ThreadItem, "handle" | "text" | "kind">;

export interface LeavingMessage {
	readonly handle: string;
	readonly role: string;
	readonly text: string;
}

const WORDS_BYTES = 2_000;
/** Share of the section's bytes for the model's answer. */
const FOCUS_SHARE = 0.6;
const MAX_MESSAGES = 600;
const SCANNED_CHARS = 40_000;
const MAX_LINES = 4_000;
const MAX_SHOWN = 40;
const LINE_BYTES = 240;
const ITEM_WEIGHT = 3;
const USER_WEIGHT = 2;
/** A word on the same subject says less than the word itself. */
const RELATED_WEIGHT = 0.5;
/** Items of the kind that the words ask for, where no word says which of them. */
const MAX_OF_KIND = 24;
/** Lines that match by the same words: more of them say nothing new. */
const MAX_ALIKE = 6;
/** Words of requests that say nothing about their subject. */
const COMMON = new Set(
	"about all and any are but can don't each every everything focus for from have how into its just keep let make mind more most not note only our out over please remember retain should some summarise summarize summary sure that the their them then there these they this those was were what when where which who why will with you your".split(
		" ",
	),
);

export function renderKeepRequest(
	{ words, focus, messages, items = [] }: KeepRequest,
	style: SectionStyle,
	bytes: number,
): Section {
	const quoted = cutToBytes(wordsInLine(words), WORDS_BYTES);
	const { until, end } = enclose(focus ?? "", words);
	const most = Math.floor(bytes * FOCUS_SHARE) - (until === "" ? 0 : ENCLOSURE_BYTES);
	const written = focus === undefined ? [] : [cutMiddle(focus, most, "lcm_grep") + end];
	const list: SectionList = {
		name: "asked",
		title: "What the user asked to keep of what has left",
		first: {
			id: "asked",
			kind: "asked",
			why: "the user asked for it",
			forms: [[`"${quoted}"${until && ` (${until})`}`, ...written]],
		},
		entries: entriesFor(words, items, messages),
	};
	return renderList(list, style, bytes);
}

/** What each kind of thing is among the items of a thread, and what lines of it say. */
const KINDS: Readonly<Partial<Record<Aim, { readonly items: readonly ItemKind[]; readonly said?: string }>>> = {
	rules: { items: ["rule", "correction"] },
	decisions: { items: ["decision", "correction"] },
	reason: { items: ["decision", "finding"] },
	errors: { items: ["dead-end", "finding"], said: "error failed failure exception fatal refused" },
	open: { items: ["open", "next", "plan"] },
	work: { items: ["plan", "order"] },
	requests: { items: ["task", "order"] },
};

/** Items of the kind that is asked for come first: of those on the subject, or else all; then the lines with its words. */
function entriesFor(words: string, items: readonly AskedItem[], messages: Iterable<LeavingMessage>): ListEntry[] {
	const kinds = aimsOf(words).flatMap((aim) => KINDS[aim] ?? []);
	const wanted = new Set(kinds.flatMap((kind) => kind.items));
	const subject = weighed(termsOf(withoutAims(words)));
	const ofKind = items.filter(({ kind }) => wanted.has(kind)).toReversed();
	const onSubject = ofKind.filter(({ text }) => subject.some(({ text: term }) => speaksOf(text, term)));
	const shown = (onSubject.length > 0 ? onSubject : ofKind)
		.slice(0, MAX_OF_KIND)
		.map(({ handle, text }, place): MatchingLine => {
			return {
				handle,
				text: cutToBytes(wordsInLine(text), LINE_BYTES),
				terms: [],
				weight: ITEM_WEIGHT,
				place: -1 - place,
			};
		});
	const said = kinds.flatMap((kind) => kind.said?.split(" ") ?? []);
	const terms = weighed([...new Set([...termsOf(words), ...said])]);
	const known = new Set(shown.map(({ text }) => text));
	const lines = findLines(terms, concat(items.map(itemMessage), messages)).filter(({ text }) => !known.has(text));
	return [...shown, ...lines].map(lineEntry);
}

interface WeighedTerm {
	readonly text: string;
	readonly weight: number;
}

/** The words themselves, and others on their subject. */
function weighed(terms: readonly string[]): WeighedTerm[] {
	const own = new Set(terms);
	const related = new Set(terms.flatMap(relatedWords).filter((word) => !own.has(word)));
	return [
		...[...own].map((text) => ({ text, weight: 1 })),
		...[...related].map((text) => ({ text, weight: RELATED_WEIGHT })),
	];
}

const ITEM_ROLE = "item";

function itemMessage({ handle, text }: AskedItem): LeavingMessage {
	return { handle, role: ITEM_ROLE, text: wordsInLine(text) };
}

function* concat<Value>(...lists: readonly Iterable<Value>[]): Generator<Value> {
	for (const list of lists) yield* list;
}

/** Identifiers and other telling words of the request. */
function termsOf(words: string): string[] {
	const found = words.toLowerCase().match(/[\p{L}\p{N}_$][\p{L}\p{N}_$./'-]*/gu) ?? [];
	const telling = found.map((word) => word.replace(/[./'-]+$/, "")).filter((word) => !COMMON.has(word));
	return [...new Set(telling.filter(isTelling).map(stem))];
}

function isTelling(word: string): boolean {
	return word.length > 2 || /[^\p{ASCII}]{2}/u.test(word);
}

/** Enough to find `greeting` by `greetings`; parts of words match anyway. */
function stem(word: string): string {
	return /^[a-z]{5,}$/.test(word) ? word.replace(/(?:ies|es|s|ing|ed)$/, "") : word;
}

/** A short term matches only at the start of a word or of a part of an identifier: `port` does not match `export`. */
function speaksOf(line: string, term: string): boolean {
	const lower = line.toLowerCase();
	const isShort = term.length < MIN_ANYWHERE_CHARS && /^[a-z0-9]+$/.test(term);
	for (let at = lower.indexOf(term); at !== -1; at = lower.indexOf(term, at + 1)) {
		const before = line.charAt(at - 1);
		if (!isShort || !/[a-z]/i.test(before)) return true;
		if (/[a-z]/.test(before) && /[A-Z]/.test(line.charAt(at))) return true;
	}
	return false;
}

const MIN_ANYWHERE_CHARS = 5;

interface MatchingLine {
	readonly handle: string;
	readonly text: string;
	readonly terms: readonly WeighedTerm[];
	readonly weight: number;
	readonly place: number;
}

/** The lines with the rarest terms, best first. */
function findLines(terms: readonly WeighedTerm[], messages: Iterable<LeavingMessage>): MatchingLine[] {
	if (terms.length === 0) return [];
	const lines = new Map<string, MatchingLine>();
	const counts = new Map<string, number>();
	let read = 0;
	for (const { handle, role, text: whole } of messages) {
		if (++read > MAX_MESSAGES || lines.size >= MAX_LINES) break;
		// Weft's own notes under a result are no news: the state has them.
		const text = role === "user" ? whole : withoutNotes(whole);
		for (const line of text.slice(0, SCANNED_CHARS).split("\n")) {
			const found = terms.filter(({ text: term }) => speaksOf(line, term));
			for (const { text: term } of found) counts.set(term, (counts.get(term) ?? 0) + 1);
			const said = cutToBytes(wordsInLine(line), LINE_BYTES);
			if (found.length === 0 || lines.has(said) || lines.size >= MAX_LINES) continue;
			const weight = role === ITEM_ROLE ? ITEM_WEIGHT : role === "user" ? USER_WEIGHT : 1;
			lines.set(said, { handle, text: said, terms: found, weight, place: lines.size });
		}
	}
	const score = ({ terms: found, weight }: MatchingLine) =>
		found.reduce((sum, term) => sum + (weight * term.weight) / Math.log2(1 + (counts.get(term.text) ?? 1)), 0);
	const ranked = [...lines.values()].sort((one, other) => score(other) - score(one) || one.place - other.place);
	const alike = new Map<string, number>();
	return ranked
		.filter(({ terms: found }) => {
			const key = found.map(({ text }) => text).join(" ");
			alike.set(key, (alike.get(key) ?? 0) + 1);
			return (alike.get(key) ?? 0) <= MAX_ALIKE;
		})
		.slice(0, MAX_SHOWN);
}

function lineEntry({ handle, text, place }: MatchingLine): ListEntry {
	const why = "it speaks of what the user asked to keep";
	return { id: `line:${handle}.${place}`, kind: "line", why, handle, forms: [[`- (${handle}) ${text}`]] };
}
