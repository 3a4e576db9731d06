/**
 * The thread of talk, in place of the task, plan and proofs of work: what the user told of people, wishes, appointments and promises,
 * what they corrected, and what the conversation was about last. No line names a repository or a task.
 */
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { quoteInList, wordsInLine } from "../../message/enclosure.ts";
import { dayOf } from "../../state/memory/file-text.ts";
import { type ToldKind, type ToldSentence, type ToldState, toldIn } from "../../state/memory/told-fold.ts";
import { RELATIVE } from "../../state/memory/told-forms.ts";
import { correctionIn } from "../../state/thread/corrections.ts";
import { type ItemKind, threadItems } from "../../state/thread/items.ts";
import { SupersededWords } from "../../state/thread/superseded-words.ts";
import type { Correction } from "../../state/thread/thread.ts";
import { bytesOf, bytesTaken, makeSection, type Section, type SectionStyle } from "./section.ts";
import { changesIn } from "./talk-changes.ts";
import { type HeldLine, held, renderRemembered, type ThreadInput, type ThreadSections } from "./thread.ts";
import { isIn, renderAccount } from "./thread-account.ts";
import { verbatim } from "./thread-head.ts";

export interface TalkInput extends ThreadInput {
	readonly told: ToldState;
}

/** Of the room: what was told, before the account of the newest messages. */
const TOLD_SHARE = 0.5;
const NEWEST_SHARE = 0.3;
/** More room than this goes to what was told. */
const MAX_LEFT_SHARE = 0.1;
const LINE_CHARS = 280;
const BEFORE_CHARS = 120;
/** Sentences behind a newer one on the same thing. */
const MAX_EARLIER = 3;
/** A sentence of everyday words shares one with many others. */
const MIN_SHARED = 2;

const TITLES: Readonly<Record<ToldKind, string>> = {
	wish: "Wishes and rules of the user",
	fact: "What the user told: people, places, things",
	date: "Appointments and dates, with the day on which they were told",
	promise: "Promises and open questions",
	correction: "Corrections, the newest first",
};
const ORDER: readonly ToldKind[] = ["wish", "correction", "date", "promise", "fact"];
/** Requests that were pinned come with any kinds. */
const PINNED_KINDS: readonly ItemKind[] = ["rule", "correction", "decision", "finding"];
const ACCOUNT_TITLE = "What the conversation was about, the newest last";

export function renderTalk(input: TalkInput, style: SectionStyle, room: number): ThreadSections {
	const { thread, raw, session, told } = input;
	if (!thread || thread.orders.length === 0) return { before: [], after: [] };
	const order = thread.orders.at(-1);
	// A newest message that stays below needs no second mention.
	const newest =
		order && !isIn(raw, order.text)
			? [verbatim("newest", "The newest message", order, style, room * NEWEST_SHARE)]
			: [];
	const pinned = threadItems(thread, session, undefined, PINNED_KINDS).filter(({ isPinned }) => isPinned);
	const lines = [
		...newest,
		held(
			"pinned",
			"Pinned by the user",
			pinned.map((item) => ({ text: `- ${quoteInList(wordsInLine(item.text))}`, item })),
			style,
		),
		...renderRemembered(input, style),
	];
	const used = sizeOf(lines);
	const current = currentOf(toldIn(told, session), raw);
	const renderBoth = (toldBytes: number): ThreadSections => {
		const before = [...lines, ...renderTold(current, style, toldBytes)];
		const shown = before.flatMap((section) => section.lines).join("\n");
		const account = { thread, raw, shown, apart: new Set<string | undefined>(), title: ACCOUNT_TITLE };
		return { before, after: renderAccount(account, style, room - sizeOf(before)) };
	};
	const toldBytes = Math.max(0, room * TOLD_SHARE - used);
	const first = renderBoth(toldBytes);
	const left = room - sizeOf([...first.before, ...first.after]);
	// The account may have little to add.
	return left > room * MAX_LEFT_SHARE ? renderBoth(toldBytes + left) : first;
}

function sizeOf(sections: readonly Section[]): number {
	return sections.reduce((sum, section) => sum + bytesTaken(section), 0);
}

/** A sentence that holds, with what else was said on the same thing. */
interface CurrentSentence extends ToldSentence {
	/** It holds no longer. */
	readonly replaced?: ToldSentence | undefined;
	/** Said before this one, the newest first. They may still hold. */
	readonly earlier: readonly ToldSentence[];
	/** Said after this one, in a message that stays below. */
	readonly later?: ToldSentence | undefined;
}

/** Without sentences that stay below, and without those that later ones replaced. */
function currentOf(told: readonly ToldSentence[], raw: string): readonly CurrentSentence[] {
	const said = told.map(
		({ text, handle, seq, sender }): Correction => ({
			text,
			handle,
			seq,
			sender,
			wrong: "",
			right: "",
			...correctionIn(text),
		}),
	);
	const superseded = new SupersededWords(said, { minShared: MIN_SHARED });
	const isBelow = ({ text }: ToldSentence) => raw.includes(text);
	const replacedBy = new Map<ToldSentence, ToldSentence>();
	const current = told.filter((older) => {
		const replacer = superseded.replacerOf(older.text, older.seq, older.sender);
		// "At three instead" says nothing of the day. Words that name the old value need no second mention of it.
		const newer =
			replacer?.wrong === "" && told.find(({ seq, text }) => seq === replacer.seq && text === replacer.text);
		if (newer) replacedBy.set(newer, older);
		return replacer === undefined;
	});
	const changes = changesIn(current);
	const earlierOf = new Map<ToldSentence, readonly ToldSentence[]>();
	// The oldest first: what was said before an older sentence goes along when that one is replaced.
	for (const older of current) {
		const change = changes.get(older);
		if (!change) continue;
		const before = earlierOf.get(older) ?? [];
		if (change.replaces) replacedBy.set(change.newer, older);
		if (isBelow(change.newer)) earlierOf.delete(older);
		else if (change.replaces || !isBelow(older)) {
			const carried = change.replaces ? before : [older, ...before];
			const all = [...carried, ...(earlierOf.get(change.newer) ?? [])];
			// What does not fit there stays a line of its own.
			if (all.length <= MAX_EARLIER) earlierOf.set(change.newer, all);
		}
	}
	for (const [older, { replaces }] of changes) if (replaces) earlierOf.delete(older);
	const together = new Set([...earlierOf.values()].flat());
	return current
		.filter((each) => !isBelow(each) && !changes.get(each)?.replaces && !together.has(each))
		.map((each) => {
			const earlier = earlierOf.get(each) ?? [];
			const weight = Math.max(each.weight, ...earlier.map((before) => before.weight));
			return { ...each, weight, replaced: replacedBy.get(each), earlier, later: changes.get(each)?.newer };
		});
}

/** The heaviest that fit, each kind under its own heading. */
function renderTold(told: readonly CurrentSentence[], style: SectionStyle, bytes: number): Section[] {
	let free = bytes - bytesOf(Object.values(TITLES).map(style.heading));
	const chosen = new Set(
		told
			.toSorted((one, other) => other.weight - one.weight || other.seq - one.seq)
			.filter((each) => {
				const size = bytesOf([lineOf(each)]);
				if (size > free) return false;
				free -= size;
				return true;
			}),
	);
	const kept = told.filter((each) => chosen.has(each)).toReversed();
	const sections = ORDER.map((kind) => {
		const own = kept.filter((each) => each.kind === kind);
		return held(
			kind,
			TITLES[kind],
			own.map((each): HeldLine => ({ text: lineOf(each) })),
			style,
		);
	});
	const left = told.length - chosen.size;
	if (left === 0) return sections;
	return [...sections, makeSection("told", [style.notice(`${left} more sentences of the user`)], [], left)];
}

/** "On Tuesday" means nothing without the day on which it was said. */
function lineOf({ text, kind, ts, replaced, earlier, later, sender }: CurrentSentence): string {
	const isOfDay = isDayNeeded(text, kind) || replaced !== undefined || earlier.length > 0 || later !== undefined;
	const about = [
		...(isOfDay ? [dayOf(ts)] : []),
		...(replaced ? [`instead of: ${cutWithEllipsis(wordsInLine(replaced.text), BEFORE_CHARS)}`] : []),
		...earlier.map((before) => `before, on ${dayOf(before.ts)}: ${wordsInLine(before.text)}`),
		...(later ? [`later: ${cutWithEllipsis(wordsInLine(later.text), BEFORE_CHARS)}`] : []),
	].join(", ");
	const words = quoteInList(cutWithEllipsis(wordsInLine(text), LINE_CHARS));
	return `- ${sender === undefined ? "" : `${sender}: `}${words}${about === "" ? "" : ` (${about})`}`;
}

function isDayNeeded(text: string, kind: ToldKind): boolean {
	return kind === "date" || kind === "promise" || RELATIVE.test(text);
}
