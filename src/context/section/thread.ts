/**
 * The thread in a seed: the newest request word for word, the task with its position, then a line for every rule, decision, item of
 * the plan, proof and open end that holds. The account of all requests follows.
 */
import { plural } from "../../base/text/bytes.ts";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { ENCLOSURE_BYTES, nameInLine, quoteInList, wordsInLine } from "../../message/enclosure.ts";
import {
	fittingWords,
	isSaidIn,
	type RememberedState,
	type RememberedWords,
	renderWords,
} from "../../state/memory/remembered-fold.ts";
import type { Note } from "../../state/memory/session/notes-fold.ts";
import { governingTask } from "../../state/thread/governing-task.ts";
import { type ItemKind, type ThreadItem, threadItems } from "../../state/thread/items.ts";
import { isPlanInWork } from "../../state/thread/plan-items.ts";
import { provenWork } from "../../state/thread/proofs.ts";
import { supersededIn } from "../../state/thread/superseded-words.ts";
import type { Proof, SessionThread } from "../../state/thread/thread.ts";
import { proseOf } from "../../state/thread/user-prose.ts";
import type { DecisionState } from "../../state/work/decision-fold.ts";
import {
	bytesOf,
	bytesTaken,
	type ContextItem,
	type ListEntry,
	makeSection,
	renderList,
	type Section,
	type SectionStyle,
	type Seed,
	tokensOf,
} from "./section.ts";
import { isIn, laterMark, optionNote, renderAccount } from "./thread-account.ts";
import { pointsToRequest, renderNewest, renderTask } from "./thread-head.ts";

export interface ThreadInput {
	readonly thread: SessionThread | undefined;
	readonly session: string;
	readonly decisions: DecisionState;
	/** Notes in SESSION.md by a model or the user. */
	readonly notes: readonly Note[];
	readonly remembered: RememberedState;
	/** The messages that stay raw; their texts are not repeated. */
	readonly raw: string;
	/** Handles of the open failures, which have a section of their own. */
	readonly failing?: readonly string[] | undefined;
}

/** What the work is about and what holds, before the failures; and what was asked and found, after them. */
export interface ThreadSections {
	readonly before: readonly Section[];
	readonly after: readonly Section[];
}

/** How many of the user's words on the work a seed still shows. */
export interface HeldCounts {
	readonly rules: number;
	/** Corrections too. */
	readonly decisions: number;
	/** Open ends and next steps. */
	readonly open: number;
}

/** Of the room: the newest request makes the thread larger where it takes more; and the most for the task. */
const NEWEST_SHARE = 0.4;
const MAX_NEWEST_SHARE = 0.7;
const TASK_SHARE = 0.25;
/** The user's words make the thread larger where they would take more of its room; at most by this much of the seed. */
const WORDS_SHARE = 0.55;
const MAX_WORDS_GROWTH = 0.15;
const MAX_SPOKEN_CHARS = 480;
/** Of what is left then: the most for one line of every item. */
const LINES_SHARE = 0.75;
/** Lengths of a line, the first that lets all of them in. */
const LINE_CHARS = [480, 320, 200, 120, 80] as const;
/** Of each request, for which the lines before leave room. */
const RESERVED_CHARS = 120;
const NOTE_LINE_CHARS = 320;
/** The handle before a request's words, and what parts it from the next. */
const HANDLE_BYTES = 24;
/** An open item keeps what the agent noted on it. */
const [PLAN_LINE_CHARS, DONE_LINE_CHARS] = [400, 120];
const MAX_DONE_ITEMS = 8;

/** The account shows the requests. */
const HELD_KINDS: readonly ItemKind[] = [
	"task",
	"rule",
	"correction",
	"decision",
	"plan",
	"open",
	"finding",
	"dead-end",
	"next",
	"note",
];

/** `most`: bytes up to which a long newest request may make the thread larger. */
export function renderThread(input: ThreadInput, style: SectionStyle, room: number, most = room): ThreadSections {
	const { thread } = input;
	if (!thread || (thread.orders.length === 0 && thread.summary === null))
		return { before: renderNotes(input, style), after: [] };
	const items = threadItems(thread, input.session, input.decisions, HELD_KINDS).filter(
		({ state }) => state !== "struck" && state !== "replaced",
	);
	const newest = renderNewest({ ...input, thread }, style, most * MAX_NEWEST_SHARE);
	const spoken = Math.max(0, typedBytes(thread) / WORDS_SHARE - room);
	const larger = Math.max(bytesTaken(newest) - room * NEWEST_SHARE, Math.min(spoken, most * MAX_WORDS_GROWTH), 0);
	const bytes = Math.min(most, room + larger);
	const task = renderTask({ ...input, thread }, style, bytes * TASK_SHARE);
	const taken = bytesTaken(newest) + bytesTaken(task);
	const above = [...newest.lines, ...task.lines].join("\n");
	const apart = new Set([newest, task].flatMap((section) => section.items.map(({ handle }) => handle)));
	const others = items.filter((item) => !apart.has(item.handle) || !isMostOf(thread, item, above));
	const held = heldSections(input, others, style, (bytes - taken) * LINES_SHARE);
	const lines = [newest, task, ...held];
	const left = lines.reduce((rest, section) => rest - bytesTaken(section), bytes);
	const shown = lines
		.flatMap((section) => section.lines)
		.filter((line) => !pointsToRequest(line))
		.join("\n");
	const account = { thread, raw: input.raw, shown, apart, failing: input.failing };
	return { before: lines, after: renderAccount(account, style, left) };
}

/** A sentence that is most of a request which is shown above needs no line of its own. */
const MOST_OF_REQUEST = 0.5;

function isMostOf(thread: SessionThread, { kind, handle, text, isPinned, narrowedBy }: ThreadItem, above: string) {
	// A rule holds longer than the request that gave it.
	if (isPinned || narrowedBy !== undefined || !(kind === "correction" || kind === "decision")) return false;
	const order = thread.orders.find((each) => each.handle === handle);
	return order !== undefined && above.includes(text) && text.length >= proseOf(order.text).length * MOST_OF_REQUEST;
}

export function countHeld({ items = [], sections }: Pick<Seed, "items" | "sections">): HeldCounts {
	const count = (section: string, ...kinds: readonly string[]) => {
		const left = sections.find(({ name }) => name === section)?.left ?? 0;
		return Math.max(0, items.filter(({ kind, included }) => included && kinds.includes(kind)).length - left);
	};
	return {
		rules: count("rules", "rule"),
		decisions: count("decided", "correction", "decision"),
		open: count("open", "open", "next"),
	};
}

/** The task and the user's standing words in one section, for a text that shows the rest in its own way. */
export function renderStanding(input: ThreadInput, style: SectionStyle, bytes: number): Section {
	const { thread, raw } = input;
	const task = thread && governingTask(thread);
	const items = thread ? threadItems(thread, input.session) : [];
	const held = items.filter(
		({ kind, state, isPinned }) =>
			state === "holds" && (isPinned || kind === "rule" || kind === "correction" || kind === "decision"),
	);
	const shown = [
		...(task && task !== thread?.orders.at(-1) ? [{ text: task.text, handle: task.handle, label: "Task: " }] : []),
		...held.toReversed().map((item) => ({ ...item, label: "" })),
	];
	const entries = shown
		.filter(({ text }) => !isIn(raw, text))
		.map(({ text, handle, label }): ListEntry => {
			const line = (chars: number) => [
				`- ${label}${quoteInList(cutWithEllipsis(wordsInLine(text), chars))}${style.reference(handle)}`,
			];
			const forms = LINE_CHARS.map(line);
			return { id: `standing:${handle}`, kind: "standing", why: "the user said it, and it holds", handle, forms };
		});
	const { own, noted } = rememberedIn(input);
	const remembered = [...own, ...noted].map((words): ListEntry => {
		const line = renderWords(words);
		const form =
			words.by === "user" ? line : line.replace("- ", "- (noted in an earlier session, not the user's words) ");
		const why = "MEMORY.md holds it";
		return { id: `standing:${words.id}`, kind: "standing", why, forms: [[form]] };
	});
	const title = "The task, and what the user said that holds";
	return renderList({ name: "standing", title, entries: [...entries, ...remembered] }, style, bytes);
}

/** Bytes of what the user typed, of each request at most so many. */
function typedBytes({ orders }: SessionThread, chars = MAX_SPOKEN_CHARS): number {
	return orders.reduce((sum, { text }) => sum + HANDLE_BYTES + Math.min(Buffer.byteLength(proseOf(text)), chars), 0);
}

/** Rules, decisions, the plan and open ends: each item has a line before any has a long one. */
function heldSections(
	input: ThreadInput,
	items: readonly ThreadItem[],
	style: SectionStyle,
	bytes: number,
): readonly Section[] {
	const { thread, raw } = input;
	const live = items.filter(({ text, isPinned }) => isPinned || !isIn(raw, text));
	const reserved = thread ? typedBytes(thread, RESERVED_CHARS) : 0;
	for (const chars of LINE_CHARS) {
		const sections = renderHeld(input, live, style, chars);
		const used = sections.reduce((sum, section) => sum + bytesTaken(section), 0);
		if (used + reserved <= bytes) return sections;
	}
	const least = LINE_CHARS[LINE_CHARS.length - 1] ?? 0;
	return fitted(renderHeld(input, live, style, least), style, bytes);
}

function renderHeld(input: ThreadInput, live: readonly ThreadItem[], style: SectionStyle, chars: number): Section[] {
	const { raw } = input;
	const of = (...kinds: readonly ThreadItem["kind"][]) =>
		live.filter(({ kind, isPinned }) => kinds.includes(kind) || (isPinned && kinds.includes("rule")));
	const said = (item: ThreadItem) => {
		const { handle, text, seq, narrowedBy } = item;
		const later = narrowedBy === undefined ? undefined : ` [but see ${narrowedBy}]`;
		const mark = input.thread
			? optionNote(input.thread, handle, text) + (later ?? laterMark(input.thread, text, seq))
			: "";
		return { text: `- ${wordsOf(item, style, chars, mark)}`, item };
	};
	const rules = of("rule").map(said);
	const decided = live
		.filter(({ kind }) => kind === "correction" || kind === "decision")
		.toSorted((one, other) => other.seq - one.seq)
		.map(said);
	const planned = new Set(live.filter(({ kind }) => kind === "plan").map(({ text }) => text));
	// The plan shows its own next item.
	const ends = live.filter(
		({ kind, by, text }) => (kind === "open" || (kind === "next" && !planned.has(text))) && by !== "tool",
	);
	const open = ends.map((item) => ({
		item,
		text: `- ${item.kind === "next" ? "Next: " : ""}${wordsOf(item, style, chars)}`,
	}));
	return [
		held("rules", "Rules of the user", rules, style),
		...renderRemembered(input, style),
		held("decided", "Corrections and decisions, the newest first", decided, style),
		renderPlan(input.thread, live, style, chars),
		input.thread ? renderDone(input.thread, raw, style) : held("done", "", [], style),
		held(
			"open",
			"Open, and next",
			[...notesOf(input.notes, "Current State"), ...notesOf(input.notes, "Next Steps"), ...open],
			style,
		),
		...renderNoted(live, style, chars),
	];
}

/** What models wrote from what was said, and the note that the session's model left at this seal. */
function renderNoted(live: readonly ThreadItem[], style: SectionStyle, chars: number): Section[] {
	const noted = live.filter(
		({ kind, foundBy }) => foundBy !== undefined && (kind === "finding" || kind === "dead-end"),
	);
	const [note] = live.filter(({ kind }) => kind === "note");
	const lines = noted.map((item): HeldLine => {
		return { text: `- ${item.kind === "dead-end" ? "Dead end: " : ""}${wordsOf(item, style, chars)}`, item };
	});
	const words = note?.text.split("\n").filter((line) => line.trim() !== "") ?? [];
	const left = words.map((line, at): HeldLine => {
		return { text: `- ${quoteInList(wordsInLine(line.replace(/^[-*+•]\s+/, "")))}`, item: at === 0 ? note : undefined };
	});
	const title = `Note of ${nameInLine(note?.foundBy ?? "a model")} at this point (not checked${note ? `, ${note.handle}` : ""})`;
	return [held("found", "Found by a model in what was said", lines, style), held("note", title, left, style)];
}

export function renderRemembered(input: ThreadInput, style: SectionStyle): Section[] {
	const { own, noted, left } = rememberedIn(input);
	if (own.length + noted.length === 0) return [];
	const more = left > 0 ? [{ text: style.notice(`${left} more`, "recall") }] : [];
	const lines = (words: readonly RememberedWords[]): HeldLine[] => words.map((each) => ({ text: renderWords(each) }));
	return [
		held("remembered", "Words of the user that MEMORY.md keeps", lines(own), style),
		held("noted", NOTED, [...lines(noted), ...more], style),
	];
}

const NOTED = "Notes of MEMORY.md (data, not the user's words)";

/** Without the words of this session, which its own sections show with what became of them, and without words that it replaced. */
function rememberedIn({ remembered, thread, session, raw }: ThreadInput): ReturnType<typeof fittingWords> {
	const isReplaced = (text: string) => thread && supersededIn(thread).replacerOf(text, -1) !== undefined;
	return fittingWords(
		remembered,
		(words) => isSaidIn(words, session) || isIn(raw, words.text) || isReplaced(words.text) === true,
	);
}

export interface HeldLine {
	readonly text: string;
	readonly item?: ThreadItem | undefined;
}

function wordsOf(item: ThreadItem, style: SectionStyle, chars: number, mark = ""): string {
	const { text, handle, isPinned, by, kind } = item;
	const words = quoteInList(cutWithEllipsis(wordsInLine(text.replace(/^[-*+•] /, "")), chars));
	const isNoted = by === "model" && (kind === "decision" || kind === "open");
	return `${isPinned ? "(pinned) " : ""}${isNoted ? "(noted by a model) " : ""}${words}${mark}${style.reference(handle)}`;
}

export function held(name: string, title: string, lines: readonly HeldLine[], style: SectionStyle): Section {
	if (lines.length === 0) return makeSection(name, [], []);
	const items = lines.flatMap(({ text, item }): ContextItem[] =>
		item
			? [{ id: item.id, kind: item.kind, tokens: tokensOf([text]), why: "holds", included: true, handle: item.handle }]
			: [],
	);
	return makeSection(name, [style.heading(title), ...lines.map(({ text }) => text)], items);
}

const MAX_PROOFS = 24;
const PROOF_CHARS = 110;

function renderDone(thread: SessionThread, raw: string, style: SectionStyle): Section {
	const proved = provenWork(thread);
	const pushes = proved.filter(({ kind }) => kind === "push");
	const commits = proved.filter(({ kind }) => kind === "commit");
	// A commit that was rebased before the push has another id, which only the push names.
	const isKnown = ({ text }: Proof) => {
		const id = PUSHED_ID.exec(text)?.[1];
		return id === undefined || commits.some((commit) => commit.text.includes(` ${id}`));
	};
	const isPushOf = (push: Proof, commit: Proof) =>
		push.seq >= commit.seq && pushedBranch(push) === branchOf(commit) && isKnown(push);
	const kept = proved
		.filter((proof) => proof.kind !== "push" || !commits.some((commit) => isPushOf(proof, commit)))
		.filter(({ text }) => !raw.includes(text))
		.slice(0, MAX_PROOFS);
	const lines = kept.map((proof): HeldLine => {
		const mark = proof.kind === "commit" && pushes.some((push) => isPushOf(push, proof)) ? " (pushed)" : "";
		const words = cutWithEllipsis(wordsInLine(proof.text), PROOF_CHARS);
		return { text: `- ${words}${mark}${style.reference(proof.handle)}` };
	});
	const title = lines.length === 0 ? "Where the work is" : "Done, with proof, the newest first";
	return held("done", title, [...placeOf(thread), ...lines], style);
}

/** `[main 1a2b3c4] Add the parser`, `1a2b3c4..5d6e7f8  main -> main` */
function branchOf({ text }: Proof): string | undefined {
	return /^\[(\S+)(?: \([\w-]+\))? [0-9a-f]{7,}\]/.exec(text)?.[1];
}

const PUSHED_ID = /\.{2,3}([0-9a-f]{7})/;

function pushedBranch({ text }: Proof): string | undefined {
	return /\s(\S+) -> \S+/.exec(text)?.[1];
}

const MAX_UNCOMMITTED = 8;

/** Branch, pull request, and work that only the files hold. */
function placeOf(thread: SessionThread): HeldLine[] {
	const { uncommitted, branch, orders } = thread;
	const proofs = orders.flatMap((order) => order.proofs);
	const request = proofs.findLast(({ kind, text }) => kind === "pull-request" && PULL_REQUEST.test(text));
	const names = uncommitted.slice(-MAX_UNCOMMITTED).toReversed().map(nameInLine).join(", ");
	const more = uncommitted.length > MAX_UNCOMMITTED ? ` and ${uncommitted.length - MAX_UNCOMMITTED} more` : "";
	const isCommitting = proofs.some(({ kind }) => kind === "commit");
	const since = isCommitting ? "changed after the last commit" : "changed, and no commit seen in this session";
	const parts = [
		branch === null ? "" : `branch ${nameInLine(branch)}`,
		request ? `newest pull request ${PULL_REQUEST.exec(request.text)?.[0] ?? ""}${mergedMark(request, proofs)}` : "",
		uncommitted.length === 0 ? "" : `${since}: ${names}${more}`,
	].filter((part) => part !== "");
	const lines = [...(parts.length === 0 ? [] : [capitalized(parts.join("; "))]), ...checkOf(thread)];
	return lines.map((line) => ({ text: `- ${line}` }));
}

/** The newest check, and what changed after it. */
function checkOf({ check, changedAt }: SessionThread): string[] {
	if (changedAt === -1) return [];
	if (check === null) return ["No test or check of the changes was seen in this session"];
	const { command, isGreen, handle, since } = check;
	const names = since.slice(-MAX_UNCOMMITTED).toReversed().map(nameInLine).join(", ");
	const more = since.length > MAX_UNCOMMITTED ? ` and ${since.length - MAX_UNCOMMITTED} more` : "";
	const after =
		since.length === 0 ? "no file was seen to change after it" : `changed after it, and not checked: ${names}${more}`;
	return [`Last check: \`${nameInLine(command)}\` ${isGreen ? "passed" : "failed"} [${handle}]; ${after}`];
}

/** " (merged)" if the command that merged it named its number. */
function mergedMark(request: Proof, proofs: readonly Proof[]): string {
	const number = /\d+$/.exec(PULL_REQUEST.exec(request.text)?.[0] ?? "")?.[0] ?? "none";
	const merged = new RegExp(`\\b(?:merged?|squashed)\\b.*#${number}(?!\\d)`, "i");
	return proofs.some(({ kind, text, seq }) => kind === "pull-request" && seq > request.seq && merged.test(text))
		? " (merged)"
		: "";
}

const PULL_REQUEST = /https?:\/\/\S+\/(?:pull|pulls|merge_requests|pull-requests)\/\d+/;

function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

const BOXES: Readonly<Record<string, string>> = { open: "[ ]", doing: "[~]", done: "[x]", dropped: "[-]" };

/** Items in their order; of those that are done the last ones, with their proof. */
function renderPlan(
	thread: SessionThread | undefined,
	items: readonly ThreadItem[],
	style: SectionStyle,
	chars: number,
): Section {
	const live = items.filter(({ kind, state }) => kind === "plan" && state !== "dropped");
	const done = live.filter(({ state }) => state === "done");
	const older = Math.max(0, done.length - MAX_DONE_ITEMS);
	const hidden = new Set(done.slice(0, older));
	const lines: HeldLine[] = [];
	let together: { readonly words: string[]; readonly proof: string } | undefined;
	for (const item of live.filter((each) => !hidden.has(each))) {
		const isDone = item.state === "done";
		const text = isDone || item.detail === undefined ? item.text : `${item.text}: ${item.detail}`;
		const words = cutWithEllipsis(wordsInLine(text), Math.min(chars, isDone ? DONE_LINE_CHARS : PLAN_LINE_CHARS));
		const proof = isDone ? proofWords(item.proof, thread?.changedAt ?? -1) : "";
		// Items that one run or commit proves are one line.
		if (isDone && together?.proof === proof && together.words.join("; ").length + words.length < PLAN_LINE_CHARS) {
			together.words.push(words);
			lines[lines.length - 1] = { text: `${BOXES["done"]} ${together.words.join("; ")}${proof}`, item };
			continue;
		}
		together = isDone ? { words: [words], proof } : undefined;
		lines.push({ text: `${BOXES[item.state] ?? "-"} ${words}${proof}`, item });
	}
	const more = older > 0 ? [{ text: `[x] ${plural(older, "earlier item")} done` }] : [];
	const isInWork = !thread || isPlanInWork(thread);
	const isProved = done.every(({ proof }) => proof !== undefined);
	const left =
		done.length < live.length ? "left before the newest requests" : isProved ? "all done" : "all ticked by the agent";
	return held("plan", isInWork ? "Plan" : `Plan of an earlier request, ${left}`, [...more, ...lines], style);
}

function proofWords(proof: Proof | undefined, changedAt: number): string {
	if (!proof) return " (not proved)";
	const since = proof.kind === "tests" && proof.seq < changedAt ? " (files changed since)" : "";
	return ` — ${cutWithEllipsis(wordsInLine(proof.text), 100)}${since}`;
}

/** The sections cut to a number of bytes, each losing its last lines; the rest is counted. */
function fitted(sections: readonly Section[], style: SectionStyle, bytes: number): Section[] {
	let free = bytes;
	return sections.map((section) => {
		const lines: string[] = [];
		for (const line of section.lines) {
			if (free < bytesOf([line]) + ENCLOSURE_BYTES) break;
			free -= bytesOf([line]);
			lines.push(line);
		}
		const left = section.lines.length - lines.length;
		if (left === 0) return section;
		if (lines.length < 2) return makeSection(section.name, [], section.items, left);
		return makeSection(section.name, [...lines, style.notice(`${left} more`)], section.items, left);
	});
}

function notesOf(notes: readonly Note[], section: Note["section"]): HeldLine[] {
	return notes
		.filter((note) => note.section === section)
		.map(({ text }) => ({ text: `- ${quoteInList(cutWithEllipsis(wordsInLine(text), NOTE_LINE_CHARS))}` }));
}

function renderNotes({ notes }: ThreadInput, style: SectionStyle): Section[] {
	return [held("open", "Open, and next", [...notesOf(notes, "Current State"), ...notesOf(notes, "Next Steps")], style)];
}
