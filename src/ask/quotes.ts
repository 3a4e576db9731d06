/**
 * Quotations from the log by the words of a question. The log's index chooses a pool of messages with their neighbours; their
 * paragraphs are ranked like everything that recall ranks. What people and agents said comes before what tools printed.
 */
import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { Hit } from "../log/search/types.ts";
import { stripRecalled } from "../message/recall-tags.ts";
import { userWords } from "../message/user-words.ts";
import { termsOf } from "../state/memory/recall/terms.ts";
import { hasValue } from "../state/thread/corrections.ts";
import { isQuestion } from "../state/thread/cues.ts";
import { currentWords, replacerLine } from "./current-words.ts";
import type { NarrowedQuestion } from "./narrowed-question.ts";
import { isTelling, type RankableText, rankTexts, type WordFrequencies } from "./ranked-texts.ts";
import type { ThreadOfSession } from "./session-threads.ts";
import type { AnswerLine, FoundSection } from "./types.ts";

const POOL = 60;
const TOOL_POOL = 20;
const MAX_QUOTES = 40;
const MAX_PRINTED = 6;
/** Of one message. */
const MAX_OF_MESSAGE = 2;
const QUOTE_CHARS = 380;
const ASKED_CHARS = 160;
/** Text of a message that is read: a paste may be a whole file. */
const MAX_MESSAGE_CHARS = 24_000;
const MIN_PIECE_CHARS = 140;
const MAX_PIECE_CHARS = 420;
/** Further apart, two messages are no neighbours. */
const MAX_GAP = 24;
const MAX_SIGNED = 8;
const SIGN_DEADLINE_MS = 1_000;
const SPOKEN: Readonly<Record<string, string>> = {
	user: "user",
	assistant: "agent",
	compactionSummary: "summary",
	branchSummary: "summary",
	summary: "summary",
	decision: "decision",
	custom: "note",
};

interface Piece extends RankableText {
	readonly seq: number;
	readonly session: string;
	readonly role: string;
	readonly tool?: string | undefined;
	readonly ts: number;
}

type PoolDocument = Pick<Piece, "seq" | "session" | "role" | "tool" | "ts" | "text">;

type Quotes = ReturnType<typeof rankTexts<Piece>>;

/** What was said, by the words of the subject, or where it has none, of the whole question. */
export function rankSaid(question: NarrowedQuestion): Quotes {
	const { reading } = question;
	const words = searchedFor(question);
	const known = new Map([...spokenPool(question, words), ...namePool(question)].map((each) => [each.seq, each]));
	const pool = [...known.values()].sort((one, other) => one.seq - other.seq);
	const ranked = rankTexts(piecesOf(pool), words, MAX_QUOTES * 2, wordCounts(question, words)).filter(
		({ item }) => !isEcho(item.text, reading.text),
	);
	return namedFirst(ranked, reading.joinedNames);
}

/** Most of the pool has the words, because they chose it. */
function wordCounts({ sources: { log } }: NarrowedQuestion, words: string): WordFrequencies {
	return { texts: log.search.stats().docs, ofWord: log.search.countWords(termsOf(words)) };
}

/** A name that many texts have, as the project's own, says nothing. */
const MAX_NAMED_SHARE = 1 / 3;

/** Texts with the whole name come before those that have only its parts. */
function namedFirst(ranked: Quotes, names: readonly string[]): Quotes {
	const telling = names.filter((name) => {
		const named = ranked.filter(({ item }) => hasValue(item.text, name)).length;
		return named > 0 && named <= ranked.length * MAX_NAMED_SHARE;
	});
	const namesIn = ({ item }: Quotes[number]) => telling.filter((name) => hasValue(item.text, name)).length;
	return telling.length === 0 ? ranked : ranked.toSorted((one, other) => namesIn(other) - namesIn(one));
}

/** Of a question for a reason every word names something: "why was it not pushed" asks for no list of pushes. */
function searchedFor({ reading: { subject, words, aims } }: NarrowedQuestion): string {
	return subject === "" || aims.has("reason") ? words : subject;
}

/** `ranked`: from `rankSaid`. */
export function quoteSections(
	question: NarrowedQuestion,
	ranked: Quotes,
	threads: readonly ThreadOfSession[],
): readonly FoundSection[] {
	const { reading } = question;
	const words = searchedFor(question);
	// The user's words first where the question asks for them, and quoted errors where it asks for an error.
	const least = Math.max(0, ...ranked.map(({ evidence }) => evidence)) * MIN_WANTED_PROOF;
	const isWanted = ({ evidence, item: { role, text } }: (typeof ranked)[number]) =>
		Number(reading.isOfUser && role === "user" && evidence >= least) +
		Number(reading.aims.has("errors") && ERROR.test(text));
	const said = (reading.isOfNow ? newestFirst(ranked) : ranked).toSorted(
		(one, other) => isWanted(other) - isWanted(one),
	);
	const printed = piecesOf(toolPool(question, words));
	return [
		{
			title: "Said",
			share: 0.5,
			lines: [...signQuotes(question), ...answersTo(question, said, threads), ...pick(question, said, MAX_QUOTES)],
		},
		{
			title: "Printed by tools",
			share: 0.2,
			lines: pick(question, rankTexts(printed, words, MAX_PRINTED * 3, wordCounts(question, words)), MAX_PRINTED),
		},
	];
}

/** Less than this share of what the best proves is about something else. */
const MIN_PROOF = 0.9;
const MIN_WANTED_PROOF = 0.5;

/** Of those that say as much about the question as the best. */
function newestFirst(ranked: Quotes): Quotes {
	const least = Math.max(0, ...ranked.map(({ evidence }) => evidence)) * MIN_PROOF;
	const near = ranked.filter(({ evidence }) => evidence >= least);
	return [
		...near.toSorted((one, other) => other.item.ts - one.item.ts),
		...ranked.filter(({ evidence }) => evidence < least),
	];
}

const MAX_ANSWERED = 2;
/** Of the words of the question: less, and it was another question. */
const MIN_ASKED_SHARE = 0.6;
/** People leave out the mark of the question. */
const ASKS = /[?？]|\b(?:how|what|why|where|when|which|who|whether)\b/i;

/** Somebody who asked the same before got an answer, which need not have the words of the question. */
function answersTo(
	question: NarrowedQuestion,
	ranked: Quotes,
	threads: readonly ThreadOfSession[],
): readonly AnswerLine[] {
	const asked = ranked.filter(
		({ share, item: { role, text } }) => role === "user" && share >= MIN_ASKED_SHARE && ASKS.test(text),
	);
	return asked.slice(0, MAX_ANSWERED).flatMap(({ item }) => {
		const thread = threads.find((each) => each.session.session === item.session)?.thread;
		const outcome = thread?.orders.find(({ seq }) => seq === item.seq)?.outcome;
		if (!outcome) return [];
		const [opening = ""] = splitPieces(outcome.text);
		const { text } = currentWords(question, { text: opening, seq: item.seq, session: item.session, isAgents: true });
		if (text === "") return [];
		const told = `user: ${cutWithEllipsis(oneLine(item.text), ASKED_CHARS)} — agent: ${cutWithEllipsis(oneLine(text), QUOTE_CHARS)}`;
		return [{ text: told, handle: outcome.handle, session: item.session, ts: item.ts }];
	});
}

/** A program's words for an error, as people and agents quote them. */
const ERROR =
	/(?<![\w-])(?:\w*Error|error|fatal|panic|FAIL(?:ED)?|ERROR)\]?[:!]|\bexit (?:code|status) [1-9]|\bhttp [45]\d\d\b|\b(?:failed|happened|broke|crashed) because\b/;

/** True: the text only repeats the question, mostly because somebody just asked it. */
export function isEcho(text: string, question: string): boolean {
	const asked = new Set(termsOf(question, { stopWords: false }));
	return termsOf(text).every((word) => asked.has(word));
}

function spokenPool({ sources: { log }, within, span }: NarrowedQuestion, text: string): PoolDocument[] {
	const filters = { words: termsOf(text), limit: POOL, within, since: span?.since, until: span?.until };
	const found = ["user", "assistant"].flatMap((role) => log.search.findAny({ ...filters, role }));
	const summaries = ["compactionSummary", "decision", "custom"].flatMap((role) =>
		log.search.findAny({ ...filters, role, limit: 6 }),
	);
	const known = new Map<number, PoolDocument>();
	for (const document of [...found, ...summaries]) {
		if (SPOKEN[document.role] === undefined) continue;
		if (span && (document.ts < span.since || document.ts >= span.until)) continue;
		known.set(document.seq, document);
	}
	return [...known.values()].sort((one, other) => one.seq - other.seq);
}

/** Answers of our tools repeat what was said elsewhere. An agent may put a prefix before the name. */
const OWN_TOOL = /(?:^|[_.:/])(?:ask|recall|thread|decide|lcm_\w+)$/;

function toolPool({ sources: { log }, within, span }: NarrowedQuestion, text: string): PoolDocument[] {
	const filters = { words: termsOf(text), limit: TOOL_POOL, within, since: span?.since, until: span?.until };
	return log.search
		.findAny({ ...filters, role: "toolResult" })
		.filter(({ role, tool }) => role === "toolResult" && !OWN_TOOL.test(tool ?? ""));
}

/** Texts with the parts of a name side by side. */
function namePool({ sources: { log }, reading, within, span }: NarrowedQuestion): PoolDocument[] {
	const filters = { within, since: span?.since, until: span?.until, limit: POOL, deadlineMs: SIGN_DEADLINE_MS };
	return reading.joinedNames.flatMap((name) =>
		["user", "assistant"].flatMap((role) =>
			log.search.find({ ...filters, role, text: `"${name}"` }).hits.map((hit) => wholeDocument(log, role, hit)),
		),
	);
}

/** Signs such as `+=` are in no index of words: texts are read for them, the newest first. */
function signPool({ sources: { log }, reading, within, span }: NarrowedQuestion): PoolDocument[] {
	if (reading.signs.length === 0) return [];
	const filters = { within, since: span?.since, until: span?.until, limit: POOL, deadlineMs: SIGN_DEADLINE_MS };
	return ["user", "assistant"].flatMap((role) =>
		log.search
			.find({ ...filters, role, text: reading.signs.map((sign) => `"${sign}"`).join(" ") })
			.hits.map((hit) => wholeDocument(log, role, hit)),
	);
}

/** A hit shows one line; what answers the question may be the next one. */
function wholeDocument({ search }: Log, role: string, { seq, session, tool, ts, snippet }: Hit): PoolDocument {
	return { seq, session, role, tool, ts, text: search.textOf(seq) ?? snippet };
}

/** Those that name the sign, with the most words of the question first. */
function signQuotes(question: NarrowedQuestion): readonly AnswerLine[] {
	const { signs, words } = question.reading;
	const pieces = piecesOf(signPool(question)).filter(({ text }) => signs.some((sign) => text.includes(sign)));
	const ranked = rankTexts(pieces, words, MAX_QUOTES).map(({ item }) => item);
	const rest = pieces.filter((piece) => !ranked.includes(piece)).reverse();
	return [...ranked, ...rest].slice(0, MAX_SIGNED).flatMap((piece) => linesOf(question, piece));
}

/** Tool calls come last, and their input may have many lines. */
const CALLS = /^\[tool: [\w.:-]+\([\s\S]*$/m;

/** A link to a file of this machine: its label names the file, and the path only takes room. */
const FILE_LINK = /\[([^\]\n]{1,200})\]\((?![a-z][\w+.-]*:\/\/)[^()\n]{1,400}\)/gi;

/** In the order of the log, so that what was said next to each other is. */
function piecesOf(documents: readonly PoolDocument[]): readonly Piece[] {
	let stretch = 0;
	return documents.flatMap(({ seq, session, role, tool, ts, text }, at) => {
		const before = documents[at - 1];
		if (!before || before.session !== session || seq - before.seq > MAX_GAP) stretch++;
		return splitPieces(ownText(role, text).slice(0, MAX_MESSAGE_CHARS)).map((piece) => ({
			seq,
			session,
			role,
			tool,
			ts,
			text: piece,
			stretch: String(stretch),
		}));
	});
}

/** What was said, without what programs put around it and without the arguments of calls. */
function ownText(role: string, text: string): string {
	if (role === "assistant") return text.replace(CALLS, "").replace(FILE_LINK, "$1");
	return role === "user" ? userWords(stripRecalled(text), "") : text;
}

/**
 * Paragraphs of a readable length: short ones are joined, long ones are cut between sentences or lines. Headings, and words that end
 * with a colon, stay with what they introduce.
 */
function splitPieces(text: string): readonly string[] {
	const pieces: string[] = [];
	let open = "";
	const close = () => {
		if (open.trim() !== "") pieces.push(open.trim());
		open = "";
	};
	for (const paragraph of text.split(/\n{2,}/)) {
		for (const part of paragraph.length > MAX_PIECE_CHARS
			? paragraph.split(/\n|(?<=[.!?;])\s+|(?<=[。！？])/u)
			: [paragraph]) {
			if (open.length + part.length > MAX_PIECE_CHARS && !(open.length < MIN_PIECE_CHARS && introduces(open))) close();
			open = open === "" ? part : `${open}\n${part}`;
			if (open.length >= MIN_PIECE_CHARS && paragraph.length <= MAX_PIECE_CHARS && !introduces(open)) close();
		}
	}
	close();
	return pieces;
}

/** Its last line ends with a colon, or is a heading. */
function introduces(text: string): boolean {
	return /[:：][\s*_]*$|(?:^|\n)#{1,6} [^\n]+$/.test(text);
}

function pick(question: NarrowedQuestion, ranked: Quotes, most: number): readonly AnswerLine[] {
	// Neighbours of a message with the words may have none themselves; somewhere the words must be.
	if (!ranked.some(isTelling)) return [];
	const times = new Map<number, number>();
	const texts = new Set<string>();
	const lines: AnswerLine[] = [];
	for (const each of ranked) {
		const { item } = each;
		if (each.evidence === 0 && saysNothing(item.text)) continue;
		const key = oneLine(item.text);
		const n = (times.get(item.seq) ?? 0) + 1;
		if (n > MAX_OF_MESSAGE || texts.has(key)) continue;
		texts.add(key);
		times.set(item.seq, n);
		for (const line of linesOf(question, item)) if (!lines.some(isSame(line))) lines.push(line);
		if (lines.length >= most) break;
	}
	return lines;
}

const MIN_ANSWER_TERMS = 3;

/** "Understood.", or another question: beside what was said, and no answer by itself. */
function saysNothing(text: string): boolean {
	return isQuestion(text) || termsOf(text).length < MIN_ANSWER_TERMS;
}

function isSame({ handle, text }: AnswerLine): (other: AnswerLine) => boolean {
	return (other) => other.handle === handle && (other.text.includes(text) || text.includes(other.text));
}

/** The quote, after the words that replaced something in it. Tools print what was true then. */
function linesOf(question: NarrowedQuestion, piece: Piece): readonly AnswerLine[] {
	if (SPOKEN[piece.role] === undefined) return [quoteOf(question, piece)];
	const { text, replacers } = currentWords(question, { ...piece, isAgents: piece.role !== "user" });
	const newer = replacers.flatMap((each) => replacerLine(question, each) ?? []);
	return text === "" ? newer : [...newer, quoteOf(question, { ...piece, text })];
}

function quoteOf({ sources: { log } }: NarrowedQuestion, { seq, session, role, tool, ts, text }: Piece): AnswerLine {
	const record = log.get(seq);
	const who = SPOKEN[role] ?? tool ?? "tool";
	return {
		text: `${who}: ${cutWithEllipsis(oneLine(text), QUOTE_CHARS)}`,
		handle: record && handleOf(record),
		session,
		ts,
	};
}
