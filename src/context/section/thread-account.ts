/**
 * The account of a session: every request with what came of it, then the plan that the user saw, rules in files, summaries and dead
 * ends. Every request has a line; the rest of the room goes to the pieces that say the most that is not said yet.
 */
import { cutAtSentence, cutWithEllipsis } from "../../base/text/cut.ts";
import { quoteInList, wordsInLine } from "../../message/enclosure.ts";
import { isRequest } from "../../state/session/intent.ts";
import { isDistinct } from "../../state/thread/corrections.ts";
import {
	concedes,
	givesReason,
	isAnnouncement,
	isDecision,
	isFinding,
	isQuestion,
	offersMore,
	setsRule,
	takesBackFinding,
} from "../../state/thread/cues.ts";
import { isLookInVain } from "../../state/thread/failed-forms.ts";
import { isGreeting, isReply } from "../../state/thread/governing-task.ts";
import { itemId } from "../../state/thread/items.ts";
import { isResolved, namedOptions, withOptions } from "../../state/thread/named-options.ts";
import { isFailedRun } from "../../state/thread/proofs.ts";
import { asksForWork } from "../../state/thread/requested-work.ts";
import { retractedIn } from "../../state/thread/retractions.ts";
import { isDocument } from "../../state/thread/rule-files.ts";
import { sentencesOf } from "../../state/thread/sentences.ts";
import { withoutOldSteps } from "../../state/thread/summary-parts.ts";
import { laterThan, laterThanEcho, rewordSentences, supersededIn } from "../../state/thread/superseded-words.ts";
import type { FailedForm, Proof, SessionThread, ThreadOrder } from "../../state/thread/thread.ts";
import { gistOfPaste, splitPastes } from "../../state/thread/user-prose.ts";
import { NewsChooser, type TextPiece } from "./pieces-by-news.ts";
import { bytesOf, makeSection, type Section, type SectionStyle, tokensOf } from "./section.ts";
import { CHUNK_CHARS, chunksOf, groupLines, isLeftOut, ledChunks, MAX_PIECE_CHARS } from "./text-chunks.ts";

interface AccountInput {
	readonly thread: SessionThread;
	/** The messages that stay raw; their texts are not repeated. */
	readonly raw: string;
	/** The text of the sections before it. */
	readonly shown: string;
	/** Handles of requests that have a section of their own. */
	readonly apart: ReadonlySet<string | undefined>;
	readonly title?: string | undefined;
	/** Handles of failures that have a section of their own. */
	readonly failing?: readonly string[] | undefined;
}

/** How much a piece counts beside the others. */
const WEIGHTS = {
	words: 2,
	paste: 0.5,
	rule: 4,
	statement: 1.2,
	announcement: 0.35,
	finding: 1.8,
	retraction: 2.4,
	proof: 1,
	changed: 1,
	edge: 1.6,
	outcome: 1,
	table: 0.3,
	plan: 1.3,
	rules: 1,
	document: 0.5,
	summary: 0.8,
	dead: 0.8,
} as const;
/** An older request counts less, down to a seventh. */
const [MIN_RECENCY, RECENCY_ORDERS] = [0.15, 5];
/** What an older request came to takes a few lines, however much the agent said; an answer alone takes fewer than work. */
const [MAX_OLD_CHARS, MAX_OLD_ANSWER_CHARS, RECENT_ORDERS] = [800, 400, 3];
/** An answer before the newest request. */
const MAX_ANSWER_CHARS = 1_200;
/** Lengths of a request's line, and the share of the account that all lines may take. */
const [LEAST_CHARS, ...LONGER_CHARS] = [80, 120, 200, 320, 480, 640] as const;
const ORDER_CHARS = [...LONGER_CHARS.toReversed(), LEAST_CHARS];
/** Of a summary by a model, once newer requests have come. */
const MAX_OLD_SUMMARY_CHARS = 1_200;
/** Of the lines of one document that the user named. */
const MAX_DOCUMENT_CHARS = 1_200;
/** Of an older request that was only answered. */
const ANSWERED_CHARS = 200;
const HEADS_SHARE = 0.75;
const HANDLE_BYTES = 24;
/** Shorter words are in other sentences by chance. */
const MIN_SHOWN_CHARS = 16;
const MAX_DEAD_ENDS = 25;
const MAX_CHANGED = 12;
const TITLE = "What was asked, and what came of it";

interface ThreadPiece extends TextPiece {
	readonly slot: "asked" | "said" | "proof";
	readonly seq: number;
	/** Place within its source. */
	readonly at: number;
	/** What comes before it where the piece before it is left out. */
	readonly lead?: string | undefined;
}

export function renderAccount(input: AccountInput, style: SectionStyle, bytes: number): Section[] {
	const { thread, raw, shown, title: heading = TITLE } = input;
	const orders = thread.orders.filter((order) => thread.marks[itemId({ ...order, kind: "order" })] !== "strike");
	const sources = sourcesOf(thread, input.failing ?? []);
	const headings = [heading, ...sources.map(({ title }) => title)].map(style.heading);
	const { heads, free } = orderHeads(input, orders, bytes - bytesOf(headings) - headings.length);
	const last = orders.length - 1;
	const pieces = orders.flatMap((order, index) => {
		const recency = MIN_RECENCY + (1 - MIN_RECENCY) * 0.5 ** ((last - index) / RECENCY_ORDERS);
		const head = heads.get(order);
		if (!head || free <= 0) return [];
		const most = mostCharsOf(order, last - index);
		const answered = answerPieces(thread, order, recency).map((piece) => ({ ...piece, most }));
		return [...wordPieces(order, head, recency, most), ...answered];
	});
	const sourced = sources.flatMap(({ title, texts, weight, most }) =>
		texts.map((text, at) => pieceOf({ whole: title, slot: "said", text, seq: -1, at, weight, most })),
	);
	const chooser = new NewsChooser<ThreadPiece>([raw, shown, ...[...heads.values()].map(({ line }) => line)], bytes);
	// A piece is one line, whatever its source was.
	const rawWords = wordsOfRaw(raw);
	const chosen = chooser.choose(
		[...pieces, ...sourced].filter(({ text }) => !rawWords.includes(text)),
		free,
	);
	const byWhole = Map.groupBy(chosen, ({ whole }) => whole);
	const lines = orders.flatMap((order) => orderLines(heads.get(order), byWhole.get(order.handle) ?? []));
	const items = [...heads].map(([{ handle }, { line }]) => {
		const why = "the user asked for it";
		return { id: `order:${handle}`, kind: "order", tokens: tokensOf([line]), why, included: true, handle };
	});
	const left = orders.filter((order) => !heads.has(order) && !isIn(raw, order.text)).length;
	const rest = left > 0 ? [style.notice(`${left} more`)] : [];
	return [
		makeSection("account", lines.length === 0 ? [] : [style.heading(heading), ...rest, ...lines], items, left),
		...sources.map(({ name, title }) => renderSource(name, title, byWhole.get(title) ?? [], style)),
	];
}

/** `back`: how many requests came after it. */
function mostCharsOf(order: ThreadOrder, back: number): number | undefined {
	if (back === 0) return undefined;
	if (back > RECENT_ORDERS) return isAnswered(order) ? MAX_OLD_ANSWER_CHARS : MAX_OLD_CHARS;
	return isAnswered(order) ? MAX_ANSWER_CHARS : undefined;
}

/** As pieces have them: without the lines that a piece leaves out, and with the breaks and quotes of a text within JSON. */
function wordsOfRaw(raw: string): string {
	const lines = raw
		.replaceAll(/\\n/g, "\n")
		.replaceAll('\\"', '"')
		.split("\n")
		.filter((line) => !isLeftOut(line));
	return lines.join(" ").replace(/\s+/g, " ");
}

function renderSource(name: string, title: string, pieces: readonly ThreadPiece[], style: SectionStyle): Section {
	const own = pieces
		.toSorted((one, other) => one.at - other.at)
		.map(({ text }) => `- ${quoteInList(text.replace(/^[-*+•] /, ""))}`);
	return makeSection(name, own.length === 0 ? [] : [style.heading(title), ...own], []);
}

/** A text of the session that is not a request, in pieces. */
interface AccountSource {
	readonly name: string;
	readonly title: string;
	readonly texts: readonly string[];
	readonly weight: number;
	readonly most?: number | undefined;
}

function sourcesOf(thread: SessionThread, failing: readonly string[]): AccountSource[] {
	const { approved, ruleFiles, summary, orders } = thread;
	const hasMovedOn = orders.some(({ seq, text }) => seq > (summary?.seq ?? -1) && isRequest(text));
	const passages = [
		approved && {
			name: "approved",
			title: "The plan that the user saw",
			weight: WEIGHTS.plan,
			most: undefined,
			...approved,
		},
		summary && {
			name: "summary",
			title: "Summary by a model, true when it was written",
			weight: WEIGHTS.summary,
			...summary,
			text: hasMovedOn ? withoutOldSteps(summary.text) : summary.text,
			most: hasMovedOn ? MAX_OLD_SUMMARY_CHARS : undefined,
		},
	].filter((each) => each !== null);
	const sources = [
		...passages.map(({ name, title, weight, handle, text, most }): AccountSource => {
			return { name, title: `${title} (${handle})`, texts: chunksOf(text), weight, most };
		}),
		...ruleFiles.map(({ path, handle, lines }) => {
			const isNamed = isDocument({ path });
			const title = isNamed ? `From ${path}, which the user named (${handle})` : `Rules in ${path} (${handle})`;
			return {
				name: `rules in ${path}`,
				title,
				texts: lines,
				weight: isNamed ? WEIGHTS.document : WEIGHTS.rules,
				most: isNamed ? MAX_DOCUMENT_CHARS : undefined,
			};
		}),
		{
			name: "dead ends",
			title: "Calls that failed, and the form that works",
			texts: deadEnds(thread.failedForms.filter(({ works }) => works !== null)),
			weight: WEIGHTS.dead,
		},
		{
			name: "failed calls",
			title: "Calls that fail here",
			texts: deadEnds(
				thread.failedForms.filter(
					(form) => form.works === null && form.worked === 0 && !isLookInVain(form) && !failing.includes(form.handle),
				),
			),
			weight: WEIGHTS.dead,
		},
	];
	return sources.filter(({ texts }) => texts.length > 0);
}

interface OrderHead {
	readonly line: string;
	/** Without an outcome the line says nothing: the words are elsewhere, or they only keep the talk going. */
	readonly isNothing: boolean;
	/** The user's words that the line does not hold. */
	readonly rest: readonly string[];
	readonly pasted: readonly string[];
}

interface OrderHeads {
	readonly heads: ReadonlyMap<ThreadOrder, OrderHead>;
	/** Bytes that are left. */
	readonly free: number;
}

/** A line for every request, the newest first while there is room; as long as lets all of them in. */
function orderHeads(input: AccountInput, orders: readonly ThreadOrder[], bytes: number): OrderHeads {
	const known = new Map<ThreadOrder, RequestUnits>();
	const wordsOf = (order: ThreadOrder): RequestUnits => {
		const units = known.get(order) ?? requestUnits(input, order);
		known.set(order, units);
		return units;
	};
	const newestFirst = orders.toReversed();
	/** Stops where they do not fit: of thousands of requests only those are read that have a line. */
	const fits = (chars: number) => {
		let free = bytes * HEADS_SHARE;
		for (const order of newestFirst) {
			free -= HANDLE_BYTES + Math.min(Buffer.byteLength(wordsOf(order).typed.join(" ")), chars);
			if (free < 0) return false;
		}
		return true;
	};
	const chars = ORDER_CHARS.find(fits) ?? LEAST_CHARS;
	const heads = new Map<ThreadOrder, OrderHead>();
	let free = bytes;
	for (const [at, order] of newestFirst.entries()) {
		const { typed, pasted, isElsewhere } = wordsOf(order);
		const isOver = at > RECENT_ORDERS && isAnswered(order);
		const { head, rest } = headOf(typed, isOver ? Math.min(chars, ANSWERED_CHARS) : chars);
		const said = order.sender === undefined ? "" : `${order.sender}: `;
		const note = optionsOf(input, order);
		const line = `- (${order.handle}) ${said}${VIA[order.via]}${head}${note}`;
		free -= bytesOf([line]);
		if (free < 0) return { heads, free: 0 };
		const [next, before] = [newestFirst[at - 1], newestFirst[at + 1]];
		// What the next request replies to says what that is about.
		const isFinished = isOver && asksOnly(order) && !(next && isReply(next.text, order));
		const isNothing = isElsewhere || isSmallTalk(order) || isBareReply(order, before) || isFinished;
		heads.set(order, { line, rest: groupLines(rest), pasted, isNothing });
	}
	return { heads, free };
}

/** A choice has a line of its own above. */
function optionsOf({ thread, shown }: AccountInput, { handle, text }: ThreadOrder): string {
	const isChosen = thread.remarks.some((each) => each.handle === handle && each.choiceOf && isIn(shown, each.text));
	return isChosen ? "" : optionNote(thread, handle, text);
}

/** Of a request that is shown whole elsewhere. */
const ELSEWHERE_CHARS = 60;
const WHOLE_CHARS = 120;

interface RequestUnits {
	/** The user's own sentences. */
	readonly typed: readonly string[];
	readonly pasted: readonly string[];
	/** The whole text is above or below. */
	readonly isElsewhere: boolean;
}

/** The user's own sentences apart from their pastes: a paste never takes the room of a sentence. */
function requestUnits(input: AccountInput, order: ThreadOrder): RequestUnits {
	const elsewhere = (place: string) => {
		const words = cutWithEllipsis(wordsInLine(currentWords(input.thread, order)), ELSEWHERE_CHARS);
		return { typed: [`${words} (${place})`], pasted: [], isElsewhere: true };
	};
	if (isIn(input.raw, order.text)) return elsewhere("whole below");
	if (isShownElsewhere(input, order)) return elsewhere("whole above");
	const { typed, pasted } = splitPastes(order.text);
	// A rule or a decision has a line of its own, with the handle of its request.
	const isShown = (unit: string) => unit.length >= MIN_SHOWN_CHARS && input.shown.includes(unit);
	const left = (typed === "" ? gistOfPaste(pasted) : typed.split("\n")).flatMap((line) => {
		const isListed = LIST_ITEM.test(line);
		const kept = (unit: string) => (isShown(unit) ? [] : [{ unit, isListed }]);
		// The sentences of a short line belong together.
		return (line.length < CHUNK_CHARS ? [wordsInLine(line.trim())] : unitsOf(line)).flatMap(kept);
	});
	// All of it has lines of its own above.
	if (left.length === 0) return elsewhere("above");
	const inForce = (unit: string, isListed = false) =>
		wordsInLine(currentWords(input.thread, { ...order, text: unit }, { isListed }));
	// A choice in a few words says nothing without the rest of them.
	const isChoice = typed.length <= WHOLE_CHARS && namedOptions(input.thread, order.handle, typed) !== undefined;
	const isWhole = isChoice && typed.split("\n").every((line) => inForce(line) === wordsInLine(line));
	const current = isWhole ? [wordsInLine(typed)] : left.map(({ unit, isListed }) => inForce(unit, isListed));
	return { typed: current, pasted: chunksOf(pasted), isElsewhere: false };
}

/** The sentences of a line, with what is between them. */
function unitsOf(line: string): string[] {
	const units: string[] = [];
	let from = 0;
	for (const sentence of sentencesOf(line)) {
		const end = line.indexOf(sentence, from) + sentence.length;
		const unit = line.slice(from, end).trim();
		const last = units.at(-1);
		// `1.` belongs to what follows it.
		if (last !== undefined && !/\p{L}/u.test(last)) units[units.length - 1] = `${last} ${unit}`;
		else units.push(unit);
		from = end;
	}
	const rest = line.slice(from).trim();
	return (rest === "" ? units : [...units, rest]).map(wordsInLine);
}

/** As many whole sentences as fit; of a longer one its beginning. */
function headOf(units: readonly string[], chars: number): { readonly head: string; readonly rest: readonly string[] } {
	const [first = "", ...others] = units;
	if (first.length > chars) {
		const head = cutAtSentence(first, chars);
		return { head, rest: [first.slice(head.replace(/…$/, "").length).trim(), ...others] };
	}
	let [head, taken] = [first, 0];
	for (const unit of others) {
		if (head.length + unit.length >= chars) break;
		head = /[。！？]$/.test(head) ? head + unit : `${head} ${unit}`;
		taken++;
	}
	return { head, rest: others.slice(taken) };
}

/** A greeting, "go on", one word, the name of a command. */
function isSmallTalk({ text }: ThreadOrder): boolean {
	return !isRequest(text) || isGreeting(text) || /^\/?[\p{L}-]{1,12}[.!]*$/u.test(text.trim());
}

/** Nothing was changed or proved for it. */
function isAnswered({ changed, proofs, via }: ThreadOrder): boolean {
	return via === "message" && changed.length === 0 && proofs.length === 0;
}

/** A question, or a paste without words. "Can you add it?" asks for more than an answer. */
function asksOnly({ text }: ThreadOrder): boolean {
	const { typed } = splitPastes(text);
	return typed === "" || sentencesOf(typed).every((sentence) => isQuestion(sentence) && !asksForWork(sentence));
}

const MAX_BARE_CHARS = 24;

/** "Do this", "ok, continue": what it led to tells what it meant. */
function isBareReply(order: ThreadOrder, before: ThreadOrder | undefined): boolean {
	return order.via === "message" && order.text.length <= MAX_BARE_CHARS && isReply(order.text, before);
}

const VIA: Readonly<Record<ThreadOrder["via"], string>> = {
	message: "",
	refusal: "Refused a call: ",
	answer: "Answered: ",
	meanwhile: "",
	parent: "",
};

/** The rest of a request's words. */
function wordPieces(
	{ handle, seq }: ThreadOrder,
	{ rest, pasted }: OrderHead,
	recency: number,
	most: number | undefined,
): ThreadPiece[] {
	const piece = (text: string, at: number, weight: number) =>
		pieceOf({ whole: handle, slot: "asked", text, seq, at, weight: weight * recency });
	return [
		...rest.map((text, at) => piece(text, at, setsRule(text) ? WEIGHTS.rule : WEIGHTS.words)),
		...pasted.map((text, at) => ({ ...piece(text, rest.length + at, WEIGHTS.paste), most })),
	];
}

/** The agent's sentences, its last text in parts, and what is proved, without values that were corrected later. */
function answerPieces(thread: SessionThread, order: ThreadOrder, recency: number): ThreadPiece[] {
	const { handle: whole, statements, proofs, outcome, changed } = order;
	const parts = outcome ? ledChunks(withoutOffer(thread, order, outcome.text)) : [];
	const isOld = (text: string, seq: number) => supersededIn(thread).disproofOf(text, seq) !== undefined;
	const said = (text: string, seq: number, at: number, weight: number) => {
		const later = laterThanEcho(thread, text, seq === LAST ? order.seq + 1 : seq);
		const mark = later ? ` [but see ${later.handle}]` : "";
		return pieceOf({ whole, slot: "said", text: `${text}${mark}`, seq, at, weight: weight * recency });
	};
	const retracted = retractedIn(statements);
	const isRunning = order === thread.orders.at(-1);
	const objection = objectionTo(thread, order);
	return [
		...statements
			.filter((each) => each.handle !== outcome?.handle && !retracted.has(each) && !isOld(each.text, each.seq))
			.map(({ text, seq }, at) => said(tellingPart(text, isRunning), seq, at, statementWeight(text))),
		...(changed.length > 0 ? [said(changedLine(changed), LAST - 1, 0, WEIGHTS.changed)] : []),
		...lastRuns(proofs)
			.filter(({ text }) => !isRunAgain(thread, order, text))
			.map(({ text, seq }, at) => pieceOf({ whole, slot: "proof", text, seq, at, weight: WEIGHTS.proof * recency })),
		...parts
			.map(({ text, lead }, at) => ({
				...said(text, LAST, at, partWeight(text, at === 0 || at === parts.length - 1)),
				lead,
			}))
			.filter(({ text }) => !isOld(text, order.seq))
			.map((piece) => {
				const isEnd = piece.at === parts.length - 1;
				const text =
					isEnd && objection !== undefined
						? `${piece.text} [the user objected, and the agent agreed: ${objection}]`
						: piece.text;
				return { ...piece, text, bytes: piece.bytes + text.length - piece.text.length + piece.lead.length };
			}),
	];
}

/** An offer at the end is over once the user has asked for something else; a reply is about it. */
function withoutOffer({ orders }: SessionThread, order: ThreadOrder, answer: string): string {
	const next = orders[orders.indexOf(order) + 1];
	if (!next || isReply(next.text, order)) return answer;
	const lines = answer.trimEnd().split("\n");
	const sentences = sentencesOf(lines.at(-1) ?? "");
	const from = sentences.findIndex(offersMore);
	if (from === -1 || lines.length + from < 2) return answer;
	return [...lines.slice(0, -1), ...(from === 0 ? [] : [sentences.slice(0, from).join(" ")])].join("\n").trimEnd();
}

/** Handle of the answer that opens by granting the user's objection to this one. What of it was wrong only its reader can say. */
function objectionTo({ orders }: SessionThread, order: ThreadOrder): string | undefined {
	const next = orders[orders.indexOf(order) + 1];
	if (!next || next.via === "parent") return undefined;
	return [next.statements[0], next.outcome].find((said) => said && concedes(said.text))?.handle;
}

/** Of the runs of one suite only the last one counts: a red run that went green later is over. */
function lastRuns(proofs: readonly Proof[]): Proof[] {
	const runs = proofs.filter(({ kind }) => kind === "tests");
	const isGreen = runs.length > 0 && !isFailedRun(runs[runs.length - 1] as Proof);
	return runs.filter((run, at) => {
		const suite = suiteOf(run);
		if (runs.slice(at + 1).some((later) => suiteOf(later) === suite)) return false;
		return !(isGreen && isFailedRun(run) && suite === "");
	});
}

/** A later request has the same line. */
function isRunAgain({ orders }: SessionThread, order: ThreadOrder, text: string): boolean {
	return orders.slice(orders.indexOf(order) + 1).some(({ proofs }) => proofs.some((proof) => proof.text === text));
}

/** `ok example.org/app/cmd 0.45s`: the package; other runs count their tests, and one of them is like another. */
function suiteOf({ text }: Proof): string {
	return /^(?:ok|FAIL|---? FAIL:|PASS)\s+(\S*[./]\S*)/.exec(text)?.[1] ?? "";
}

/** Rows of a table are full of names and numbers, and say little of what came of a request. */
const TABLE = /\|.*\|.*\|/;

function partWeight(text: string, isEdge: boolean): number {
	if (TABLE.test(text)) return WEIGHTS.table;
	return isEdge ? WEIGHTS.edge : WEIGHTS.outcome;
}

/** After every event. */
const LAST = Number.MAX_SAFE_INTEGER;

function changedLine(changed: readonly string[]): string {
	const names = changed.slice(-MAX_CHANGED).toReversed().join(", ");
	return `Changed: ${names}${changed.length > MAX_CHANGED ? ` and ${changed.length - MAX_CHANGED} more` : ""}`;
}

/** Without sentences that only lead to the calls which followed them: `Let me check a.ts:`. What those did is told elsewhere. */
function tellingPart(statement: string, isRunning: boolean): string {
	const sentences = unitsOf(statement);
	const telling = sentences.filter((sentence) => !leadsToCalls(sentence, isRunning));
	const left = telling.length === sentences.length ? statement : telling.join(" ");
	if (namesSomething(left)) return left;
	const words = (left.match(WORD) ?? []).length;
	return words >= (isFinding(left) || isDecision(left) ? MIN_FINDING_WORDS : MIN_WORDS) ? left : "";
}

/** Why something is about to be done is over with its request, unless it says what was chosen. */
function leadsToCalls(sentence: string, isRunning: boolean): boolean {
	if (/[:：]["'”’)\]*_`]*$/.test(sentence)) return !isFinding(sentence) && !isDecision(sentence);
	const isChoice = CHOOSES.test(sentence) && isDecision(sentence);
	return isAnnouncement(sentence) && !(isRunning ? givesReason(sentence) : isChoice);
}

/** "Now update x instead of y" is a step, "I'll keep x rather than y" a choice. */
const CHOOSES = /^(?:(?:ok(?:ay)?|so|then|now)[,.:]? )*(?:i|we|ich|wir|yo|je|nous)(?!\p{L})/iu;

/** A sentence with fewer words and no name says nothing: `Found it!`, `Now I have the whole picture.` */
const [MIN_WORDS, MIN_FINDING_WORDS] = [8, 4];
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2}|[\p{L}\p{N}]{3,}/gu;

/** A file, an identifier, a number. */
function namesSomething(text: string): boolean {
	return text.split(/[\s"'`(),;!?]+/).some((word) => isDistinct(word.replace(/[.:…*]+$/, "")));
}

function statementWeight(statement: string): number {
	if (takesBackFinding(statement)) return WEIGHTS.retraction;
	if (isFinding(statement) || isDecision(statement)) return WEIGHTS.finding;
	return isAnnouncement(statement) ? WEIGHTS.announcement : WEIGHTS.statement;
}

function pieceOf(piece: Omit<ThreadPiece, "bytes">): ThreadPiece {
	const text = wordsInLine(piece.text);
	return { ...piece, text, weight: text.length < 3 ? 0 : piece.weight, bytes: Buffer.byteLength(text) + 9 };
}

function orderLines(head: OrderHead | undefined, pieces: readonly ThreadPiece[]): string[] {
	if (head === undefined) return [];
	const sorted = pieces.toSorted((one, other) => one.seq - other.seq || one.at - other.at);
	const asked = sorted.filter(({ slot }) => slot === "asked").map(({ text }) => text);
	const rest = sorted.filter(({ slot }) => slot !== "asked");
	const withLead = ({ text, seq, at, lead = "" }: ThreadPiece) =>
		lead === "" || sorted.some((each) => each.seq === seq && each.at === at - 1) ? text : `${lead} … ${text}`;
	if (rest.length === 0 && asked.length === 0 && head.isNothing) return [];
	const lines = rest.map((piece) => {
		const mark = isFailedRun({ kind: "tests", text: piece.text }) ? "✗" : "✓";
		return piece.slot === "proof" ? `  ${mark} ${piece.text}` : `  ${withLead(piece)}`;
	});
	return [[head.line, ...asked].join(" "), ...lines];
}

/** The newest first; calls of one program or tool with the same error are one line. */
function deadEnds(failedForms: readonly FailedForm[]): string[] {
	const groups = Map.groupBy(
		failedForms.toReversed(),
		({ call, error, works }) => `${/^\S*/.exec(call)?.[0]} ${error} ${works}`,
	);
	return [...groups.values()].slice(0, MAX_DEAD_ENDS).flatMap(([form, ...others]) => {
		if (!form) return [];
		const { call, error, works } = form;
		const more = others.length > 0 ? ` and ${others.length} more` : "";
		const way = works === null ? "" : `; works: \`${cutWithEllipsis(works, 120)}\``;
		return [`\`${cutWithEllipsis(call, 120)}\`${more}: ${error}${way}`];
	});
}

/** The request without values that the user corrected. Other words that later ones may replace say where those are. */
export function currentWords(thread: SessionThread, { text, seq }: ThreadOrder, { isListed = false } = {}): string {
	return rewordSentences(text, (sentence) => {
		const superseded = supersededIn(thread);
		const disproof = superseded.disproofOf(sentence, seq);
		if (disproof) return `[corrected in ${disproof.handle}]`;
		// An item of a list is about what the list is about: only words that surely replace it count.
		const sure = isListed ? superseded.replacerOf(sentence, seq) : undefined;
		if (isListed) return sure ? `${sentence} [but see ${sure.handle}]` : sentence;
		return `${sentence}${laterMark(thread, sentence, seq)}`;
	});
}

/** ` (the agent's "2: Keep the cache")`: what a number or a letter in the words stands for. */
export function optionNote(thread: SessionThread, handle: string, words: string): string {
	const { options = [] } = isResolved(words) ? {} : (namedOptions(thread, handle, words) ?? {});
	return quoteInList(withOptions("", options));
}

const LIST_ITEM = /^\s*(?:[-*•–]|\d{1,2}[.)])\s/;

/** Points to later words of the user on the same; empty: there are none. */
export function laterMark(thread: SessionThread, text: string, seq: number): string {
	const later = laterThan(thread, text, seq);
	return later ? ` [but see ${later.handle}]` : "";
}

function isShownElsewhere({ shown, apart }: AccountInput, { handle, text }: ThreadOrder): boolean {
	return apart.has(handle) || isIn(shown, text);
}

/** Whether the text is shown anyway. Pastes in a long one may be cut here, so its beginning decides; "yes" is in any text. */
export function isIn(raw: string, text: string): boolean {
	if (text.length < MIN_SHOWN_CHARS) return raw.split("\n").some((line) => line.trim() === text);
	return raw.includes(text.length <= MAX_PIECE_CHARS ? text : text.slice(0, CHUNK_CHARS));
}
