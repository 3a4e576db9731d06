/**
 * Promotes what the user said to MEMORY.md, in the order in which it was said: a sentence replaces the bullets that it corrects, and
 * is not taken where newer words, in any session, replaced it. Promoted words rank as the user's own: no model and no state
 * changes them, and only newer words of the user do.
 */
import { correctionIn } from "../../thread/corrections.ts";
import { setsRule } from "../../thread/cues.ts";
import { isOfOtherSpeaker } from "../../thread/other-speaker.ts";
import { replaces } from "../../thread/supersession.ts";
import { sharedCount, termsOf } from "../../thread/terms.ts";
import type { Correction } from "../../thread/thread.ts";
import { keyOfText } from "../document.ts";
import type { CurrentBullet, MemoryOp } from "../operation.ts";
import type { MemorySection } from "../section.ts";
import { isForLater, onlyForgets } from "./lasting-cues.ts";
import type { LastingItem, LastingKind, LastingWords, TakenBack } from "./lasting-items.ts";

export interface PromotionInput extends LastingWords {
	/** Corrections of the session, also those that are no items: they change what is remembered. */
	readonly corrections: readonly Correction[];
	/** seq of the words behind a bullet. */
	readonly saidAt: (bullet: CurrentBullet) => number;
	/** seq of the event that removed these words; undefined: none. */
	readonly removedAt: (text: string) => number | undefined;
	/** Whether newer words replaced the text. */
	readonly isReplaced: (text: string, seq: number) => boolean;
}

const SECTIONS: Readonly<Record<LastingKind, MemorySection>> = {
	rule: "Constraints",
	fact: "Facts",
	preference: "Preferences",
	decision: "Decisions",
	open: "Open Loops",
};

/** The user's words never leave a section that is full, so this many are taken at most. */
const MAX_IN_SECTION = 400;

interface Known {
	readonly id: string | undefined;
	readonly section: string;
	readonly text: string;
	/** seq of its words. Looked up in the log, so only for a bullet that something else concerns. */
	readonly saidAt: () => number;
}

export function promotionOps(input: PromotionInput) {
	return (current: readonly CurrentBullet[]): MemoryOp[] => {
		const promoting = new Promoting(current, input);
		const steps = [
			...input.items.map((item) => ({ seq: item.seq, run: () => promoting.take(item) })),
			...input.corrections.map((each) => ({ seq: each.seq, run: () => promoting.correct(each) })),
			...input.takenBack.map((each) => ({ seq: each.seq, run: () => promoting.takeBack(each) })),
		];
		for (const { run } of steps.toSorted((one, other) => one.seq - other.seq)) run();
		return promoting.ops;
	};
}

class Promoting {
	readonly ops: MemoryOp[] = [];
	readonly #input: PromotionInput;
	#known: Known[];

	constructor(current: readonly CurrentBullet[], input: PromotionInput) {
		this.#input = input;
		this.#known = current.map((each) => ({
			id: each.id,
			section: each.section,
			text: each.text,
			saidAt: () => input.saidAt(each),
		}));
	}

	take({ kind, text: words, handle, seq, sender }: LastingItem): void {
		const text = signed(words, sender);
		if (this.#isOver(text, seq)) return;
		const correction: Correction = { handle, seq, sender, text: words, wrong: "", right: "", ...correctionIn(words) };
		if (this.correct(correction)) return;
		const key = keyOfText(text);
		if (this.#known.some((each) => keyOfText(each.text) === key)) return;
		const section = SECTIONS[kind];
		if (this.#known.filter((each) => each.section === section).length >= MAX_IN_SECTION) return;
		this.ops.push({ op: "add", section, text, source: handle, by: "user" });
		this.#known.push({ id: undefined, section, text, saidAt: () => seq });
	}

	/** True: it replaced a bullet. */
	correct(correction: Correction): boolean {
		const { seq, handle, sender } = correction;
		const text = signed(correction.text, sender);
		if (this.#isOver(text, seq)) return false;
		const key = keyOfText(text);
		const old = this.#known.filter(
			(each) =>
				keyOfText(each.text) !== key &&
				!isOfOtherSpeaker(correction, each.text, undefined) &&
				(replaces(correction, each.text) || changesLastWord(text, each.text)) &&
				each.saidAt() < seq,
		);
		const [first, ...others] = old;
		if (!first) return false;
		if (onlyForgets(correction.text)) {
			for (const each of old) this.#drop(each, handle);
			return true;
		}
		const isKnown = this.#known.some((each) => keyOfText(each.text) === key);
		if (first.id === undefined || isKnown) this.#drop(first, handle);
		for (const each of others) this.#drop(each, handle);
		if (isKnown) return true;
		if (first.id === undefined) this.ops.push({ op: "add", section: first.section, text, source: handle, by: "user" });
		else this.ops.push({ op: "supersede", replaces: first.id, text, source: handle, by: "user" });
		this.#known = this.#known.filter((each) => each !== first);
		this.#known.push({ id: undefined, section: first.section, text, saidAt: () => seq });
		return true;
	}

	takeBack({ text, handle, seq }: TakenBack): void {
		const said = termsOf(text);
		const fitting = this.#known
			.map((each) => {
				const terms = termsOf(each.text);
				const shared = sharedCount(terms, said);
				return { each, shared, share: shared / Math.max(1, terms.size) };
			})
			.filter(({ each, shared, share }) => shared >= MIN_SHARED && share >= MIN_SHARE && each.saidAt() < seq);
		const best = Math.max(0, ...fitting.map(({ shared, share }) => shared + share));
		for (const { each, shared, share } of fitting) if (shared + share === best) this.#drop(each, handle);
	}

	#drop(known: Known, handle: string): void {
		this.#known = this.#known.filter((each) => each !== known);
		if (known.id !== undefined) {
			this.ops.push({ op: "invalidate", id: known.id, by: "user", source: handle, reason: "you said otherwise" });
			return;
		}
		// It was to be added in this very write.
		const own = this.ops.findLastIndex((op) => (op.op === "add" || op.op === "supersede") && op.text === known.text);
		const op = this.ops[own];
		if (op?.op === "supersede")
			this.ops[own] = { op: "invalidate", id: op.replaces, by: "user", source: handle, reason: "you said otherwise" };
		else if (op) this.ops.splice(own, 1);
	}

	#isOver(text: string, seq: number): boolean {
		const { removedAt, isReplaced } = this.#input;
		return (removedAt(text) ?? -1) > seq || isReplaced(text, seq);
	}
}

/** In a conversation of several people a bullet says whose words it has. */
function signed(words: string, sender: string | undefined): string {
	return sender === undefined ? words : `${sender}: ${words}`;
}

const MIN_FRAME_TERMS = 3;

/** "The server is called otter", "from today on the server is called marder": the same sentence with another end. */
function changesLastWord(newer: string, older: string): boolean {
	if (!isForLater(newer) || setsRule(newer) || setsRule(older)) return false;
	const [before, now] = [[...termsOf(older)], termsOf(newer)];
	const missing = before.filter((term) => !now.has(term));
	return before.length >= MIN_FRAME_TERMS && missing.length === 1 && missing[0] === before.at(-1);
}

const MIN_SHARED = 2;
const MIN_SHARE = 0.4;
