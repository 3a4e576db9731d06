/**
 * Answers a question about the work from everything that weft knows: state, thread, memory, runs, changed files and the log's own
 * words. Without a model: the same log, question and clock give the same answer. Each line is a quotation or a fact with the
 * handle of its source. Where nothing bears on the question, the answer says what was searched.
 */
import { plural } from "../base/text/bytes.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatDay, formatMinute } from "../base/text/time.ts";
import { bytesOfTokens } from "../base/tokens/estimate.ts";
import { nameInLine, wordsInLine } from "../message/enclosure.ts";
import type { Aim } from "../state/thread/aims.ts";
import { changedSection } from "./changed-files.ts";
import { lineStory, renderEdit } from "./line-story.ts";
import { type NarrowedQuestion, narrowQuestion } from "./narrowed-question.ts";
import { quoteSections, rankSaid } from "./quotes.ts";
import { isTelling } from "./ranked-texts.ts";
import { failureSection, runSection } from "./run-sections.ts";
import { digestSection } from "./session-digest.ts";
import { placesOf, subjectFirst, type ThreadOfSession, threadsOf } from "./session-threads.ts";
import {
	commitSection,
	decisionSection,
	memorySection,
	openSection,
	ruleSections,
	turnSection,
} from "./thread-sections.ts";
import type { AnswerLine, AnswerSection, AskAnswer, AskInput, AskSources, FoundSection } from "./types.ts";

const MAX_ANSWER_TOKENS = 1_500;
const MAX_THREADS = 60;
const EDIT_CHARS = 240;
/** Kept free for the list of sessions and the last line. */
const FOOT_BYTES = 900;

/** Throws `usage` or `not-found` for an argument that names nothing. */
export function answerQuestion(sources: AskSources, input: AskInput): AskAnswer {
	const question = narrowQuestion(withMemoryOnce(sources), input);
	const found = sectionsOf(question)
		.filter(({ lines, isAnswer }) => lines.length > 0 || isAnswer === false)
		.toSorted((one, other) => Number(one.isBeside ?? false) - Number(other.isBeside ?? false));
	const sections = fit(
		withoutRepeats(found.filter(({ lines }) => lines.length > 0)),
		bytesOfTokens(MAX_ANSWER_TOKENS) - FOOT_BYTES,
	);
	const quoted = new Set(sections.flatMap(({ lines }) => lines.flatMap(({ session }) => session ?? [])));
	return {
		question: question.reading.text,
		sections,
		sessions: [...quoted].flatMap((id) => {
			const row = question.sessions.find(({ session }) => session === id);
			return row ? [{ session: id, agent: row.host, title: row.title, first: row.first_ts, last: row.last_ts }] : [];
		}),
		searched: searchedWords(question),
		found: sections.length > 0,
	};
}

/** Several sections read the same items. */
function withMemoryOnce(sources: AskSources): AskSources {
	let items: ReturnType<AskSources["memory"]> | undefined;
	return {
		...sources,
		memory: (words) => {
			items ??= sources.memory(words);
			return items;
		},
	};
}

/** What the question asks for comes first; what only shares its words follows. */
function sectionsOf(question: NarrowedQuestion): readonly FoundSection[] {
	const { aims, place, span, subject } = question.reading;
	const threads = threadsOf(question, MAX_THREADS);
	const has = (...some: readonly Aim[]) => some.some((aim) => aims.has(aim));
	const said = rankSaid(question);
	const spoken = subject === "" ? [] : said.filter(isTelling).map(({ item }) => item);
	const places = placesOf(spoken, threads);
	const isRun = has("runs") || (has("errors") && question.reading.end !== undefined);
	const sections = [
		...(place ? placeSections(question) : []),
		...(isRun ? [runSection(question, places)] : []),
		...(has("files") ? [changedSection(question, places)] : []),
		...(has("open")
			? [
					openSection(
						question,
						subjectFirst(threads, places, ({ session }) => session.session),
					),
				]
			: []),
		...(has("agents") || (has("work") && (subject === "" || span !== undefined))
			? [digestSection(question, threads)]
			: []),
		// "In the same PR" only says where.
		...(has("commits") && !has("decisions", "errors", "reason")
			? [
					commitSection(
						question,
						subjectFirst(threads, places, ({ session }) => session.session),
					),
				]
			: []),
		...(has("decisions", "reason") ? [decisionSection(question, threads, places)] : []),
		...(has("rules") ? ruleSections(question, threads) : []),
		...(has("errors") ? [failureSection(question)] : []),
		...restSections(question, threads, said, has),
	];
	// A day, an agent or a session that is named has a story, even where no word of the question is in it.
	const isEmpty = sections.every(({ lines }) => lines.length === 0);
	return isEmpty && (span !== undefined || question.isNamed)
		? [...sections, digestSection(question, threads)]
		: sections;
}

function restSections(
	question: NarrowedQuestion,
	threads: readonly ThreadOfSession[],
	said: ReturnType<typeof rankSaid>,
	has: (...aims: readonly Aim[]) => boolean,
): readonly FoundSection[] {
	const turns = turnSection(question, threads);
	const quotes = quoteSections(question, said, threads);
	const memory = has("decisions", "rules") ? [] : [memorySection(question)];
	return has("work", "agents", "commits", "requests")
		? [turns, ...memory, ...quotes]
		: [...memory, ...quotes.slice(0, 1), turns, ...quotes.slice(1)];
}

function placeSections(question: NarrowedQuestion): readonly FoundSection[] {
	const { sources, reading, within } = question;
	if (!reading.place) return [];
	const { root, log } = sources;
	const story = lineStory({ log, within, root, known: Object.keys(sources.state().files.files) }, reading.place);
	const name = story.line === undefined ? story.path : `${story.path}:${story.line}`;
	if (story.changes === 0) return [];
	const lines: AnswerLine[] = story.edits.map((edit) => ({
		text: renderEdit(edit, EDIT_CHARS),
		handle: edit.handle,
		session: edit.session,
		ts: edit.ts,
	}));
	const isLine = story.line !== undefined && story.text !== null;
	const title = isLine
		? `Why ${name} says "${oneLine(story.text ?? "").slice(0, 120)}"`
		: `Changes of ${name}, the newest of ${story.changes}`;
	const none = `No recorded edit wrote this line as it is now; ${plural(story.changes, "change")} of the file ${story.changes === 1 ? "is" : "are"} recorded`;
	return [{ title, share: 0.6, lines: lines.length > 0 ? lines : [{ text: none }] }];
}

/** A source that answers two sections is shown in the first. */
function withoutRepeats(sections: readonly FoundSection[]): readonly FoundSection[] {
	const known = new Set<string>();
	return sections.map((section) => ({
		...section,
		lines: section.lines.filter(({ handle, text }) => {
			const key = `${handle} ${text.slice(0, 60)}`;
			return !known.has(key) && known.add(key);
		}),
	}));
}

/** Each section gets its share first; what is left goes to those with more lines, in order. */
function fit(sections: readonly FoundSection[], bytes: number): readonly AnswerSection[] {
	let left = bytes;
	const taken = sections.map(() => 0);
	const take = (room: number, at: number): void => {
		const { lines, title } = sections[at] ?? { lines: [], title: "" };
		let used = taken[at] === 0 ? Buffer.byteLength(title) + 2 : 0;
		for (let next = taken[at] ?? 0; next < lines.length; next++) {
			const size = Buffer.byteLength(renderLine(lines[next] ?? { text: "" })) + 1;
			if (used + size > Math.min(room, left)) break;
			used += size;
			taken[at] = next + 1;
		}
		if ((taken[at] ?? 0) > 0) left -= used;
	};
	// None may take the room of those after it.
	const all = Math.max(
		1,
		sections.reduce((sum, { share }) => sum + share, 0),
	);
	for (const [at, { share }] of sections.entries()) take((bytes * share) / all, at);
	for (const at of sections.keys()) take(left, at);
	return sections.flatMap(({ title, lines }, at) => {
		const shown = lines.slice(0, taken[at]);
		return shown.length === 0 ? [] : [{ title, lines: shown, left: lines.length - shown.length }];
	});
}

function searchedWords({ reading, span, sessions, inScope, isNamed, sources }: NarrowedQuestion): string {
	// The number of all texts would tell of other people's.
	const texts =
		sources.scope.searched === "all"
			? `, ${plural(sources.log.search.stats().docs, "text")} in the log`
			: ", what was said";
	const which = isNamed || span ? `${plural(sessions.length, "session")} of ${inScope}` : plural(inScope, "session");
	const [first, last] = [
		Math.min(...sessions.map(({ first_ts }) => first_ts)),
		Math.max(...sessions.map(({ last_ts }) => last_ts)),
	];
	const when = sessions.length === 0 ? "" : ` (${formatDay(first)} to ${formatDay(last)})`;
	const asked = span ? ` between ${formatMinute(span.since)} and ${formatMinute(span.until)}` : "";
	const words = reading.subject === "" ? "" : ` for: ${reading.subject}`;
	return `Searched ${which}${when}${asked}${texts}, threads, decisions, runs, changed files and memory${words}.`;
}

/** Within `MAX_ANSWER_TOKENS`. */
export function renderAnswer(answer: AskAnswer, { more }: { readonly more: string }): string {
	const { sections, sessions, searched, found } = answer;
	const body = sections.map(({ title, lines, left }) =>
		[
			`${title}:`,
			...lines.map((line) => renderLine(line)),
			...(left > 0 && title !== "Said" && title !== "Printed by tools" ? [`  (${left} more)`] : []),
		].join("\n"),
	);
	const named = sessions
		.slice(0, 5)
		.map(
			({ session, agent, title, last }) =>
				`${session} (${agent}, ${formatMinute(last)}) "${wordsInLine(title ?? "").slice(0, 60)}"`,
		);
	const foot = [...(named.length > 0 ? [`Sessions: ${named.join("; ")}.`] : []), searched, more];
	return [
		...(found ? body : ["Not known: nothing in this project's record bears on the question."]),
		foot.join("\n"),
	].join("\n\n");
}

function renderLine({ text, handle, session, ts }: AnswerLine): string {
	const source = [
		handle,
		session === undefined ? undefined : shortName(session),
		ts === undefined ? undefined : formatMinute(ts),
	].filter((part) => part !== undefined);
	// A name of a file, or words of a program, may hold line breaks and marks.
	return `- ${nameInLine(text)}${source.length === 0 ? "" : ` [${source.join(", ")}]`}`;
}

const SHORT_CHARS = 8;

function shortName(session: string): string {
	const own = session.lastIndexOf("/");
	return own === -1 ? session.slice(0, SHORT_CHARS) : session.slice(own, own + 1 + SHORT_CHARS);
}
