/**
 * The thread in a seed. Protected lines come first: the newest request word for word, the task, every live rule, decision and open
 * item, every request. The rest of the room goes to the sentences that say the most that is not said yet.
 */
import { plural } from "../../base/text/bytes.ts";
import { cutMiddle, cutWithEllipsis } from "../../base/text/cut.ts";
import { ENCLOSURE_BYTES, enclose, wordsInLine } from "../../message/enclosure.ts";
import type { Note } from "../../state/memory/session/notes-fold.ts";
import { isAnnouncement, isDecision, isFinding, setsRule } from "../../state/thread/cues.ts";
import { governingTask } from "../../state/thread/governing-task.ts";
import { type ThreadItem, threadItems } from "../../state/thread/items.ts";
import { provenWork } from "../../state/thread/proofs.ts";
import { correctedBy } from "../../state/thread/remarks.ts";
import { sentencesOf } from "../../state/thread/sentences.ts";
import type { SessionThread, ThreadOrder } from "../../state/thread/thread.ts";
import type { DecisionState } from "../../state/work/decision-fold.ts";
import { NewsChooser, type TextPiece } from "./pieces-by-news.ts";
import {
	bytesOf,
	bytesTaken,
	type ContextItem,
	makeSection,
	type Section,
	type SectionStyle,
	tokensOf,
} from "./section.ts";

export interface ThreadInput {
	readonly thread: SessionThread | undefined;
	readonly session: string;
	readonly decisions: DecisionState;
	/** Notes in SESSION.md by a model or the user. */
	readonly notes: readonly Note[];
	/** The messages that stay raw; their texts are not repeated. */
	readonly raw: string;
}

/** What the work is about and what holds, before the failures; and what was asked and found, after them. */
export interface ThreadSections {
	readonly before: readonly Section[];
	readonly after: readonly Section[];
}

/** Of the room: the newest request makes the thread larger where it takes more; and the most for the task. */
const NEWEST_SHARE = 0.4;
const MAX_NEWEST_SHARE = 0.7;
const TASK_SHARE = 0.25;
/** Of what is left then: the most for one line of every item. */
const LINES_SHARE = 0.75;
/** Lengths of a line, the first that lets all of them in. */
const LINE_CHARS = [480, 320, 200, 120, 80] as const;
const ORDER_LINE_CHARS = 320;
const PLAN_LINE_CHARS = 200;
const MAX_DONE_ITEMS = 8;
const CHUNK_CHARS = 260;
const MAX_PIECE_CHARS = 400;
const MAX_DEAD_ENDS = 25;

/** How much a piece counts beside the others. */
const WEIGHTS = {
	words: 2,
	rule: 4,
	statement: 1.2,
	announcement: 0.5,
	finding: 1.8,
	proof: 1,
	edge: 1.6,
	outcome: 1,
	plan: 1.3,
	rules: 1,
	summary: 0.8,
	dead: 0.8,
} as const;
/** An older request counts less, down to a third. */
const [MIN_RECENCY, RECENCY_ORDERS] = [0.35, 8];

interface ThreadPiece extends TextPiece {
	readonly slot: "asked" | "said" | "proof";
	readonly seq: number;
	/** Place within its source. */
	readonly at: number;
}

/** `most`: bytes up to which a long newest request may make the thread larger. */
export function renderThread(input: ThreadInput, style: SectionStyle, room: number, most = room): ThreadSections {
	const { thread } = input;
	if (!thread || (thread.orders.length === 0 && thread.summary === null))
		return { before: renderNotes(input, style), after: [] };
	const items = threadItems(thread, input.session, input.decisions).filter(
		({ state }) => state !== "struck" && state !== "replaced",
	);
	const newest = renderNewest(thread, input.raw, style, most * MAX_NEWEST_SHARE);
	const bytes = Math.min(most, room + Math.max(0, bytesTaken(newest) - room * NEWEST_SHARE));
	const task = renderTask(thread, input.raw, style, bytes * TASK_SHARE);
	const taken = bytesTaken(newest) + bytesTaken(task);
	const held = heldSections(input, items, style, (bytes - taken) * LINES_SHARE);
	const lines = [newest, task, ...held.sections];
	const left = lines.reduce((rest, section) => rest - bytesTaken(section), bytes);
	const shown = lines.flatMap((section) => section.lines).join("\n");
	return { before: lines, after: renderAccount(thread, input.raw, shown, style, left, held.orderChars) };
}

function renderNewest(thread: SessionThread, raw: string, style: SectionStyle, bytes: number): Section {
	const order = thread.orders.at(-1);
	if (!order || isIn(raw, order.text)) return makeSection("newest", [], []);
	return verbatim("newest", "The newest request, word for word", order, style, bytes);
}

function renderTask(thread: SessionThread, raw: string, style: SectionStyle, bytes: number): Section {
	const task = governingTask(thread);
	const position = positionIn(thread);
	const isShown = !task || task === thread.orders.at(-1) || isIn(raw, task.text);
	if (isShown && position === "") return makeSection("task", [], []);
	if (isShown) return makeSection("task", [style.heading("The task"), position], []);
	const section = verbatim("task", "The task", task, style, bytes - bytesOf([position]));
	return position === "" ? section : makeSection("task", [...section.lines, position], section.items);
}

function verbatim(name: string, title: string, order: ThreadOrder, style: SectionStyle, bytes: number): Section {
	const { handle, text } = order;
	const { until, end } = enclose(text, handle);
	const head = style.heading(`${title} (${until === "" ? handle : `${handle}, ${until}`})`);
	const room = Math.max(0, bytes - bytesOf([head]) - ENCLOSURE_BYTES);
	const lines = [head, cutMiddle(text, room, handle) + end];
	const item = {
		id: `${name}:${handle}`,
		kind: name,
		tokens: tokensOf(lines),
		why: "protected",
		included: true,
		handle,
	};
	return makeSection(name, lines, [item]);
}

/** `Position: 3 of 7 items of the plan done; now: …` */
function positionIn({ plan }: SessionThread): string {
	const live = plan.filter(({ state }) => state !== "dropped");
	if (live.length === 0) return "";
	const done = live.filter(({ state }) => state === "done").length;
	if (done === live.length) return `Position: all ${live.length} items of the plan are done.`;
	const now = live.find(({ state }) => state === "doing") ?? live.find(({ state }) => state === "open");
	const step = now ? `; now: ${cutWithEllipsis(wordsInLine(now.text), PLAN_LINE_CHARS)}` : "";
	return `Position: ${done} of ${live.length} items of the plan are done${step}`;
}

interface HeldSections {
	readonly sections: readonly Section[];
	/** The length of a request's line that leaves room for all. */
	readonly orderChars: number;
}

/** Rules, decisions, the plan and open ends: each item has a line before any has a long one. */
function heldSections(
	input: ThreadInput,
	items: readonly ThreadItem[],
	style: SectionStyle,
	bytes: number,
): HeldSections {
	const { thread, raw } = input;
	const live = items.filter(({ text, isPinned }) => isPinned || !isIn(raw, text));
	const orders = (thread?.orders.length ?? 0) * 24;
	for (const chars of LINE_CHARS) {
		const sections = renderHeld(input, live, style, chars);
		const used = sections.reduce((sum, section) => sum + bytesTaken(section), 0);
		const orderChars = Math.min(chars, ORDER_LINE_CHARS);
		const words = (thread?.orders ?? []).reduce(
			(sum, { text }) => sum + Math.min(Buffer.byteLength(text), orderChars),
			orders,
		);
		if (used + words <= bytes) return { sections, orderChars };
	}
	const [, , , , least] = LINE_CHARS;
	return { sections: fitted(renderHeld(input, live, style, least), style, bytes), orderChars: least };
}

function renderHeld(input: ThreadInput, live: readonly ThreadItem[], style: SectionStyle, chars: number): Section[] {
	const { raw } = input;
	const of = (...kinds: readonly ThreadItem["kind"][]) =>
		live.filter(({ kind, isPinned }) => kinds.includes(kind) || (isPinned && kinds.includes("rule")));
	const rules = of("rule").map((item) => lineOf(item, style, chars));
	const decided = live
		.filter(({ kind }) => kind === "correction" || kind === "decision")
		.toSorted((one, other) => other.seq - one.seq)
		.map((item) => lineOf(item, style, chars));
	const ends = live.filter(({ kind, by }) => (kind === "open" || kind === "next") && by !== "tool");
	const open = ends.map((item) => ({
		...lineOf(item, style, chars),
		text: `- ${item.kind === "next" ? "Next: " : ""}${wordsOf(item, style, chars)}`,
	}));
	return [
		held("rules", "Rules of the user", rules, style),
		held("decided", "Corrections and decisions, the newest first", decided, style),
		renderPlan(
			live.filter(({ kind }) => kind === "plan"),
			style,
			chars,
		),
		input.thread ? renderDone(input.thread, raw, style) : held("done", "", [], style),
		held(
			"open",
			"Open, and next",
			[...notesOf(input.notes, "Current State"), ...notesOf(input.notes, "Next Steps"), ...open],
			style,
		),
	];
}

interface HeldLine {
	readonly text: string;
	readonly item?: ThreadItem | undefined;
}

function lineOf(item: ThreadItem, style: SectionStyle, chars: number): HeldLine {
	return { text: `- ${wordsOf(item, style, chars)}`, item };
}

function wordsOf({ text, handle, isPinned }: ThreadItem, style: SectionStyle, chars: number): string {
	return `${isPinned ? "(pinned) " : ""}${cutWithEllipsis(wordsInLine(text), chars)}${style.reference(handle)}`;
}

function held(name: string, title: string, lines: readonly HeldLine[], style: SectionStyle): Section {
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
	const kept = provenWork(thread)
		.filter(({ text }) => !raw.includes(text))
		.slice(0, MAX_PROOFS);
	const lines = kept.map(({ text, handle }): HeldLine => {
		return { text: `- ${cutWithEllipsis(wordsInLine(text), PROOF_CHARS)}${style.reference(handle)}` };
	});
	return held("done", "Done, with proof, the newest first", lines, style);
}

const BOXES: Readonly<Record<string, string>> = { open: "[ ]", doing: "[~]", done: "[x]", dropped: "[-]" };

/** Open items first in their order; of those that are done the last ones, with their proof. */
function renderPlan(plan: readonly ThreadItem[], style: SectionStyle, chars: number): Section {
	const live = plan.filter(({ state }) => state !== "dropped");
	const done = live.filter(({ state }) => state === "done");
	const older = Math.max(0, done.length - MAX_DONE_ITEMS);
	const hidden = new Set(done.slice(0, older));
	const lines = live
		.filter((item) => !hidden.has(item))
		.map((item): HeldLine => {
			const text = item.state === "done" || item.detail === undefined ? item.text : `${item.text}: ${item.detail}`;
			const words = cutWithEllipsis(wordsInLine(text), Math.min(chars, PLAN_LINE_CHARS));
			const proof =
				item.state !== "done"
					? ""
					: item.proof
						? ` — ${cutWithEllipsis(wordsInLine(item.proof.text), 100)}`
						: " (not proved)";
			return { text: `${BOXES[item.state] ?? "-"} ${words}${proof}`, item };
		});
	const more = older > 0 ? [{ text: `[x] ${plural(older, "earlier item")} done` }] : [];
	return held("plan", "Plan", [...more, ...lines], style);
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
		.map(({ text }) => ({ text: `- ${cutWithEllipsis(wordsInLine(text), ORDER_LINE_CHARS)}` }));
}

function renderNotes({ notes }: ThreadInput, style: SectionStyle): Section[] {
	return [held("open", "Open, and next", [...notesOf(notes, "Current State"), ...notesOf(notes, "Next Steps")], style)];
}

/** What was asked and what came of it, then plans, files of rules, dead ends. */
function renderAccount(
	thread: SessionThread,
	raw: string,
	shown: string,
	style: SectionStyle,
	bytes: number,
	orderChars: number,
): Section[] {
	const orders = thread.orders.filter((order) => !isStruck(thread, order));
	const titles = { orders: "What was asked, and what came of it", dead: "Calls that failed, and the form that works" };
	let free = bytes - bytesOf(Object.values(titles).map(style.heading)) - 8;
	const heads = new Map<ThreadOrder, string>();
	const chooser = new NewsChooser<ThreadPiece>(`${raw}\n${shown}`, bytes);
	const pieces: ThreadPiece[] = [];
	const last = orders.length - 1;
	for (const [index, order] of [...orders.entries()].reverse()) {
		const recency = MIN_RECENCY + (1 - MIN_RECENCY) * 0.5 ** ((last - index) / RECENCY_ORDERS);
		const [first = "", ...rest] = chunksOf(currentWords(thread, order));
		if (!isIn(raw, order.text) && order !== orders[last]) {
			const line = `- (${order.handle}) ${VIA[order.via]}${cutWithEllipsis(wordsInLine(first), orderChars)}`;
			const size = bytesOf([line]);
			if (size <= free) {
				heads.set(order, line);
				chooser.add(line);
				free -= size;
				pieces.push(
					...piecesOf(
						order,
						rest,
						"asked",
						(text) => (setsRule(text) ? WEIGHTS.rule : WEIGHTS.words) * recency,
						order.seq,
					),
				);
			}
		}
		pieces.push(...answerPieces(thread, order, recency));
	}
	const wholes = [
		...(thread.approved
			? [
					{
						title: `The plan that the user saw (${thread.approved.handle})`,
						texts: chunksOf(thread.approved.text),
						weight: WEIGHTS.plan,
					},
				]
			: []),
		...thread.ruleFiles.map(({ path, handle, lines }) => ({
			title: `Rules in ${path} (${handle})`,
			texts: lines,
			weight: WEIGHTS.rules,
		})),
		...(thread.summary
			? [
					{
						title: `Summary by a model (${thread.summary.handle})`,
						texts: chunksOf(thread.summary.text),
						weight: WEIGHTS.summary,
					},
				]
			: []),
		{ title: titles.dead, texts: deadEnds(thread), weight: WEIGHTS.dead },
	];
	for (const { title, texts, weight } of wholes) {
		pieces.push(...texts.map((text, at) => pieceOf(title, "said", text, -1, at, weight)));
	}
	const chosen = chooser.choose(
		pieces.filter(({ text }) => !raw.includes(text)),
		free,
	);
	const byWhole = Map.groupBy(chosen, ({ whole }) => whole);
	const lines = orders.flatMap((order) => orderLines(order, heads.get(order), byWhole.get(order.handle) ?? []));
	const left = orders.length - heads.size - orders.filter((order) => isIn(raw, order.text)).length;
	const items = [...heads].map(([order, line]) => ({
		id: `order:${order.handle}`,
		kind: "order",
		tokens: tokensOf([line]),
		why: "the user asked for it",
		included: true,
		handle: order.handle,
	}));
	return [
		makeSection(
			"asked",
			lines.length === 0 ? [] : [style.heading(titles.orders), ...lines],
			items,
			Math.max(0, left - 1),
		),
		...wholes.map(({ title }, index) => {
			const own = (byWhole.get(title) ?? []).toSorted((one, other) => one.at - other.at);
			if (own.length === 0) return makeSection(`source ${index}`, [], []);
			return makeSection(`source ${index}`, [style.heading(title), ...own.map(({ text }) => `- ${text}`)], []);
		}),
	];
}

const VIA: Readonly<Record<ThreadOrder["via"], string>> = {
	message: "",
	refusal: "Refused a call: ",
	answer: "Answered: ",
};

/** The agent's sentences, its last text in parts, and what is proved, without values that were corrected later. */
function answerPieces(thread: SessionThread, order: ThreadOrder, recency: number): ThreadPiece[] {
	const { handle, statements, proofs, outcome } = order;
	const parts = outcome ? chunksOf(outcome.text) : [];
	const isOld = (text: string, seq: number) => correctedBy(thread, text, seq) !== undefined;
	return [
		...statements
			.filter(({ text, seq, handle: source }) => source !== outcome?.handle && !isOld(text, seq))
			.map(({ text, seq }, at) => pieceOf(handle, "said", text, seq, at, weightOf(text) * recency)),
		...proofs
			.filter(({ kind }) => kind === "tests")
			.map(({ text, seq }, at) => pieceOf(handle, "proof", text, seq, at, WEIGHTS.proof * recency)),
		...parts
			.map((text, at) => {
				const weight = at === 0 || at === parts.length - 1 ? WEIGHTS.edge : WEIGHTS.outcome;
				return pieceOf(handle, "said", text, Number.MAX_SAFE_INTEGER, at, weight * recency);
			})
			.filter(({ text }) => !isOld(text, order.seq)),
	];
}

function weightOf(statement: string): number {
	if (isFinding(statement) || isDecision(statement)) return WEIGHTS.finding;
	return isAnnouncement(statement) ? WEIGHTS.announcement : WEIGHTS.statement;
}

function piecesOf(
	{ handle }: ThreadOrder,
	texts: readonly string[],
	slot: ThreadPiece["slot"],
	weight: (text: string) => number,
	seq: number,
): ThreadPiece[] {
	return texts.map((text, at) => pieceOf(handle, slot, text, seq, at, weight(text)));
}

function pieceOf(
	whole: string,
	slot: ThreadPiece["slot"],
	text: string,
	seq: number,
	at: number,
	weight: number,
): ThreadPiece {
	const line = wordsInLine(text);
	return { whole, slot, text: line, seq, at, weight: line.length < 3 ? 0 : weight, bytes: Buffer.byteLength(line) + 6 };
}

function orderLines(order: ThreadOrder, head: string | undefined, pieces: readonly ThreadPiece[]): string[] {
	if (head === undefined && pieces.length === 0) return [];
	const sorted = pieces.toSorted((one, other) => one.seq - other.seq || one.at - other.at);
	const asked = sorted.filter(({ slot }) => slot === "asked").map(({ text }) => text);
	const rest = sorted.filter(({ slot }) => slot !== "asked");
	const lines = rest.map(({ text, slot }) =>
		slot === "proof" ? `  ${/\bFAIL|\b[1-9]\d* fail/.test(text) ? "✗" : "✓"} ${text}` : `  ${text}`,
	);
	return [[head ?? `- (${order.handle}) shown apart`, ...asked].join(" "), ...lines];
}

function deadEnds({ failedForms }: SessionThread): string[] {
	return failedForms
		.toReversed()
		.slice(0, MAX_DEAD_ENDS)
		.map(({ call, error, works }) => {
			const way = works === null ? "" : `; works: \`${cutWithEllipsis(works, 120)}\``;
			return `\`${cutWithEllipsis(call, 120)}\`: ${error}${way}`;
		});
}

function isStruck(thread: SessionThread, { handle }: ThreadOrder): boolean {
	return thread.marks[`order-${handle}`] === "strike";
}

/** The request without sentences that the user took back or corrected later. */
function currentWords(thread: SessionThread, { text, seq, handle }: ThreadOrder): string {
	const replaced = thread.remarks.filter((remark) => remark.handle === handle && remark.replacedBy !== null);
	let words = text;
	for (const remark of replaced) words = words.replace(remark.text, () => `[replaced in ${remark.replacedBy}]`);
	for (const sentence of sentencesOf(words)) {
		const correction = correctedBy(thread, sentence, seq);
		if (correction) words = words.replace(sentence, () => `[corrected in ${correction.handle}]`);
	}
	return words;
}

/** Whether the text is shown anyway. Pastes in a long one may be cut here, so its beginning decides. */
function isIn(raw: string, text: string): boolean {
	return raw.includes(text.length <= MAX_PIECE_CHARS ? text : text.slice(0, CHUNK_CHARS));
}

/** Pieces of a text, each some sentences long. */
function chunksOf(text: string): string[] {
	const parts: string[] = [];
	for (const line of text.split("\n")) {
		if (line.trim() === "") continue;
		const last = parts.at(-1);
		if (last !== undefined && last.length + line.length < CHUNK_CHARS)
			parts[parts.length - 1] = `${last} ${line.trim()}`;
		else
			for (let at = 0; at < line.length; at += MAX_PIECE_CHARS) parts.push(line.slice(at, at + MAX_PIECE_CHARS).trim());
	}
	return parts;
}
