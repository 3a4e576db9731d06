/**
 * The head of the thread: the newest request, the task that governs the work, what was asked since, and the position in work that has
 * an order. It is never empty: a request that stays in a message below is named here with its beginning.
 */
import { plural } from "../../base/text/bytes.ts";
import { cutEnd, cutMiddle, cutWithEllipsis } from "../../base/text/cut.ts";
import { ENCLOSURE_BYTES, enclose, quoteInList, wordsInLine } from "../../message/enclosure.ts";
import { isRequest } from "../../state/session/intent.ts";
import { governingTask, isReply, type TaskLevels, taskLevels } from "../../state/thread/governing-task.ts";
import { currentItem, isPlanInWork } from "../../state/thread/plan-items.ts";
import { sentencesOf } from "../../state/thread/sentences.ts";
import { supersededIn } from "../../state/thread/superseded-words.ts";
import type { SessionThread, ThreadOrder } from "../../state/thread/thread.ts";
import { isShortened, ownLines, shortenPastes } from "../../state/thread/user-prose.ts";
import { bytesOf, makeSection, type Section, type SectionStyle, tokensOf } from "./section.ts";
import { currentWords, isIn, laterMark, optionNote } from "./thread-account.ts";

const MAX_PASTED_BYTES = 6_000;
/** Of a request that is whole in a message below. */
const BELOW_CHARS = 240;
const SINCE_CHARS = 140;
const MAX_SINCE = 3;
const ANSWERED_CHARS = 480;
const STEP_CHARS = 200;
const PHASE_CHARS = 60;
/** Of the room of a task whose work is committed: what is left of it is asked for below. */
const DELIVERED_SHARE = 0.4;

/** What the head is made of, beside the thread. */
export interface HeadInput {
	readonly thread: SessionThread;
	/** The messages that stay raw. */
	readonly raw: string;
	/** Handles of the open failures. */
	readonly failing?: readonly string[] | undefined;
}

export function renderNewest({ thread, raw, failing = [] }: HeadInput, style: SectionStyle, bytes: number): Section {
	const order = thread.orders.at(-1);
	if (!order) return makeSection("newest", [], []);
	const isTask = governingTask(thread) === order;
	// The seed is frozen, and newer requests follow below it.
	const name = `The newest request when this was written${isTask ? ", which is the task" : ""}`;
	// A long paste must not push out what holds.
	const text = Buffer.byteLength(order.text) <= MAX_PASTED_BYTES ? order.text : shortenPastes(order.text);
	const how = isShortened(text) ? "its long parts cut" : "word for word";
	const section = isIn(raw, order.text)
		? beginning("newest", name, order, order.text, style)
		: verbatim("newest", `${name}, ${how}`, { ...order, text }, style, bytes);
	const answered = answeredBy(thread, order, raw);
	const position = isTask ? [...tasksBefore(thread, raw), ...positionIn(thread, failing.length)] : [];
	return withLines(section, [...answered, ...position]);
}

export function renderTask({ thread, raw, failing = [] }: HeadInput, style: SectionStyle, bytes: number): Section {
	const levels = taskLevels(thread);
	const { task } = levels;
	const newest = thread.orders.at(-1);
	if (!task || task === newest) return makeSection("task", [], []);
	const since = [...tasksBefore(thread, raw), ...requestsSince(thread, task, raw)];
	const delivery = deliveryOf(thread, task);
	const position = [...delivery, ...positionIn(thread, failing.length)];
	const words = { ...task, text: currentWords(thread, task) };
	const [title, share] =
		delivery.length === 0 ? [titleOf(thread, levels), 1] : ["The last task, whose work is committed", DELIVERED_SHARE];
	const section = isIn(raw, task.text)
		? beginning("task", title, task, words.text, style)
		: verbatim("task", title, words, style, bytes * share - bytesOf([...since, ...position]));
	return withLines(section, [...answeredBy(thread, task, raw), ...since, ...position]);
}

/** A request that the work has left is not called the task: the reader would begin it again. */
function titleOf({ orders }: SessionThread, { task, isDescribed, isTalk }: TaskLevels): string {
	const later = task ? orders.slice(orders.indexOf(task) + 1) : [];
	if (!later.some(({ changed }) => changed.length > 0)) return "The task";
	if (isTalk && task?.outcome) return "An earlier request, which was answered";
	return isDescribed ? "The task" : "The last larger request";
}

/** What came of a request, in a word. */
function resultOf({ proofs, changed, outcome }: ThreadOrder): string {
	if (proofs.some(({ kind }) => kind === "commit")) return ", committed";
	if (changed.length > 0) return `, ${plural(changed.length, "file")} changed`;
	return outcome && !outcome.leadsToCalls ? ", answered" : "";
}

function withLines(section: Section, lines: readonly string[]): Section {
	return lines.length === 0
		? section
		: makeSection(section.name, [...section.lines, ...lines], section.items, section.left);
}

export function verbatim(name: string, title: string, order: ThreadOrder, style: SectionStyle, bytes: number): Section {
	const { handle, text, sender } = order;
	const { until, end } = enclose(text, handle);
	const head = style.heading(
		`${sender === undefined ? title : `${title}, of ${sender}`} (${until === "" ? handle : `${handle}, ${until}`})`,
	);
	const room = Math.max(0, bytes - bytesOf([head]) - ENCLOSURE_BYTES);
	return oneItem(name, [head, cutWithHeadings(text, room, handle) + end], handle);
}

const HEADING = /^(?:#{1,6} |\*\*\d).*$/;
const FENCE = /^\s*(?:```|~~~)/;
const MAX_HEADINGS_BYTES = 900;
const HEADINGS_SHARE = 0.3;
const HEADING_CHARS = 80;

/** Cut in its middle; the headings of what is left out stay, in the place of a few words more. */
function cutWithHeadings(text: string, bytes: number, handle: string): string {
	const cut = cutMiddle(text, bytes, handle);
	const most = Math.min(MAX_HEADINGS_BYTES, bytes * HEADINGS_SHARE, bytesOf(headingsLeftOut(text, cut, handle)));
	if (most === 0) return cut;
	const shorter = cutMiddle(text, bytes - most - ENCLOSURE_BYTES, handle);
	const headings: string[] = [];
	for (const heading of headingsLeftOut(text, shorter, handle)) {
		if (bytesOf([...headings, heading]) > most) break;
		headings.push(heading);
	}
	if (headings.length === 0) return cut;
	const end = shorter.indexOf("\n", shorter.indexOf(markOf(handle))) + 1;
	return `${shorter.slice(0, end)}[In what is cut: ${headings.join("; ")}]\n${shorter.slice(end)}`;
}

function markOf(handle: string): string {
	return `[… cut; whole: ${handle} …]`;
}

function headingsLeftOut(text: string, cut: string, handle: string): string[] {
	const from = cut.indexOf(markOf(handle));
	const to = text.length - (cut.length - from - markOf(handle).length);
	const headings: string[] = [];
	let isCode = false;
	let at = 0;
	for (const line of from === -1 ? [] : text.split("\n")) {
		if (FENCE.test(line)) isCode = !isCode;
		if (!isCode && at >= from && at < to && HEADING.test(line))
			headings.push(cutWithEllipsis(wordsInLine(line.replaceAll(/^#+ |\*\*/g, "")), HEADING_CHARS));
		at += line.length + 1;
	}
	return headings;
}

/** The whole text is in a message that stays. */
function beginning(name: string, title: string, { handle }: ThreadOrder, text: string, style: SectionStyle): Section {
	const words = cutWithEllipsis(wordsInLine(shortenPastes(text)), BELOW_CHARS);
	return oneItem(
		name,
		[style.heading(`${title} (${handle}, whole in the messages below)`), `Begins: ${words}`],
		handle,
	);
}

function oneItem(name: string, lines: readonly string[], handle: string): Section {
	const id = `${name}:${handle}`;
	const item = { id, kind: name, tokens: tokensOf(lines), why: "protected", included: true, handle };
	return makeSection(name, lines, [item]);
}

/** "Yes, do both" says nothing without the end of what the agent had said. */
function answeredBy(thread: SessionThread, order: ThreadOrder, raw: string): string[] {
	const { orders } = thread;
	const before = orders[orders.indexOf(order) - 1];
	const said = before?.outcome;
	if (!said || order.via !== "message" || !isReply(order.text, before)) return [];
	const end = lastWords(said.text);
	const named = optionNote(thread, order.handle, order.text).trim();
	return [
		...(named === "" ? [] : [`It names ${named.slice(1, -1)}.`]),
		...(raw.includes(end) ? [] : [`It answers (${said.handle}): ${quoteInList(wordsInLine(end))}`]),
	];
}

/** From the beginning of a line or a sentence on; of a long one from a word on. */
function lastWords(text: string): string {
	const end = cutEnd(text, ANSWERED_CHARS);
	if (end === text) return text;
	const start = /\n|[.!?。！？]\s+(?=\S)/.exec(end) ?? /\s/.exec(end);
	return start === null ? end : end.slice(start.index + start[0].length);
}

/** Opens a line whose request has its own place in the account. */
const [TASK_BEFORE, ASKED_SINCE] = ["Task before it", "Asked since"];

/** The line only points to a request. */
export function pointsToRequest(line: string): boolean {
	return line.startsWith(ASKED_SINCE) || line.startsWith(TASK_BEFORE);
}

/** The first task of the session and the last one before this one: a few words are often a step of theirs. */
function tasksBefore(thread: SessionThread, raw: string): string[] {
	const before = taskLevels(thread).before.filter(({ text }) => !isIn(raw, text));
	return [...new Set([before[0], before.at(-1)])].flatMap((order) => {
		const words = order ? wholeSentences(sentencesThatHold(thread, order), SINCE_CHARS) : "";
		if (!order || words === "") return [];
		return [`${TASK_BEFORE} (${order.handle}${resultOf(order)}): ${words}`];
	});
}

/** The user's sentences that no later words replace: a line of so few words has no room to say by what. */
function sentencesThatHold(thread: SessionThread, { text, seq }: ThreadOrder): string[] {
	const superseded = supersededIn(thread);
	const holds = (sentence: string) =>
		superseded.disproofOf(sentence, seq) === undefined && laterMark(thread, sentence, seq) === "";
	return sentencesOf(ownLines(text).join("\n")).filter(holds);
}

/** As many of the first ones as fit: half of "orange, no longer red" says the opposite. */
function wholeSentences(sentences: readonly string[], chars: number): string {
	const words = sentences.map(wordsInLine).filter((each) => each !== "");
	let text = cutWithEllipsis(words[0] ?? "", chars);
	for (const [at, each] of words.entries()) {
		if (at === 0) continue;
		if (text.length + each.length + 2 > chars) return `${text} …`;
		text += ` ${each}`;
	}
	return text;
}

/** Says that the work since the task is committed, where nothing of it is left. */
function deliveryOf({ orders, uncommitted, changedAt }: SessionThread, task: ThreadOrder): string[] {
	const proofs = orders.slice(orders.indexOf(task)).flatMap((order) => order.proofs);
	const commits = proofs.filter(({ kind }) => kind === "commit");
	const newest = commits.at(-1);
	if (!newest || uncommitted.length > 0 || newest.seq < changedAt) return [];
	const pushed = proofs.some(({ kind, seq }) => kind === "push" && seq >= newest.seq) ? " and pushed" : "";
	return [`Committed${pushed} since: ${plural(commits.length, "commit")}, and no file changed after the last one.`];
}

/** The last requests between the task and the newest one. */
function requestsSince(thread: SessionThread, task: ThreadOrder, raw: string): string[] {
	const { orders } = thread;
	const between = orders
		.slice(orders.indexOf(task) + 1, -1)
		.filter(({ text }) => isRequest(text) && !isIn(raw, text))
		// A paste alone asks for nothing that a line of it would say.
		.map((order) => ({ order, words: wordsInLine(ownLines(order.text).join(" ").trim()) }))
		.filter(({ words }) => words !== "")
		.map(({ order, words }) => {
			return { order, words: cutWithEllipsis(words, SINCE_CHARS) + optionNote(thread, order.handle, words) };
		});
	// The same command pasted again: the newest time counts.
	const newest = new Map(between.map((each) => [each.words, each]));
	return [...newest.values()]
		.slice(-MAX_SINCE)
		.map(({ order, words }) => `${ASKED_SINCE} (${order.handle}${resultOf(order)}): ${words}`);
}

/** Where the work is in its phases, and in the agent's own plan. */
function positionIn(thread: SessionThread, failing: number): string[] {
	return [...phaseLines(thread), ...planPosition(thread, failing)];
}

const PHASE_STATES = { done: "done", doing: "now", open: "open" } as const;

function phaseLines({ phases }: SessionThread): string[] {
	const words = phases.map(({ name, text, state }) => {
		return `${name} (${PHASE_STATES[state]}): ${cutWithEllipsis(wordsInLine(text), PHASE_CHARS)}`;
	});
	const handle = phases[0]?.handle;
	return handle === undefined ? [] : [`Order of the work (${handle}): ${words.join("; ")}`];
}

/** `Position: 3 of 7 items of the plan are done; now: …` */
function planPosition(thread: SessionThread, failing: number): string[] {
	const live = thread.plan.filter(({ state }) => state !== "dropped");
	if (live.length === 0 || !isPlanInWork(thread)) return [];
	const done = live.filter(({ state }) => state === "done").length;
	if (done === live.length) {
		const but = failing > 0 ? `, but ${plural(failing, "failure")} below ${failing === 1 ? "is" : "are"} open` : "";
		return [`Position: all ${live.length} items of the plan are done${but}.`];
	}
	const now = currentItem(live);
	const step = now ? `; now: ${cutWithEllipsis(wordsInLine(now.text), STEP_CHARS)}` : "";
	const touched = Math.max(...live.map(({ seq }) => seq));
	const commit = thread.orders.flatMap(({ proofs }) => proofs).findLast(({ kind }) => kind === "commit");
	const isLeft = (commit?.seq ?? -1) > touched || thread.orders.slice(0, -1).some(({ seq }) => seq > touched);
	const stale = isLeft && thread.changedAt > touched ? ". Files changed since the agent last marked an item" : "";
	return [`Position: ${done} of ${live.length} items of the plan are done${step}${stale}`];
}
