/** Sections about commands: the first and last runs, with what they printed, and the failures of the state. */
import { commandIdentity } from "../base/shell/identity.ts";
import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import type { EventRecord } from "../log/event/types.ts";
import { numberIn, textIn } from "../log/fold/state-fold.ts";
import { handleOf } from "../log/handle.ts";
import { isWithin } from "../log/search/filter.ts";
import { viewMessage } from "../message/view.ts";
import { isOrdinary, termsOf } from "../state/memory/recall/terms.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { outputsOf, type RunReading, readLines, readRun } from "../state/work/failure/run-reading.ts";
import type { NarrowedQuestion } from "./narrowed-question.ts";
import { isTelling, rankTexts } from "./ranked-texts.ts";
import { type Place, subjectFirst } from "./session-threads.ts";
import type { AnswerLine, FoundSection } from "./types.ts";

/** Runs of a session that are looked at for the first or the last ones. */
const MAX_READ = 400;
/** Of these the output is read. */
const MAX_OUTPUTS = 60;
const MAX_SHOWN = 4;
const MAX_SESSIONS = 12;
const COMMAND_CHARS = 160;
const ERROR_CHARS = 420;
const MAX_FAILURES = 8;

interface RunNote {
	readonly seq: number;
	readonly ts: number;
	readonly session: string;
	readonly handle: string;
	readonly command: string;
	readonly status: "pass" | "fail" | "unknown";
	readonly exit: number | null;
	/** What it printed that matters. */
	readonly told: string;
}

/**
 * The first or last runs of the session that worked on the subject, else of the nearest that has any; failed ones first where the
 * question is about errors.
 */
export function runSection(question: NarrowedQuestion, places: readonly Place[]): FoundSection {
	const { reading, nearest } = question;
	const end = reading.end ?? "last";
	const wanted = termsOf(reading.words).filter((word) => word.length >= 3 && !ANY_RUN.test(word));
	const runsIn = new Map(nearest.map((session) => [session, lazily(() => runsOf(question, session, end))]));
	const bySubject = subjectFirst(nearest, places, (each) => each.session).slice(0, MAX_SESSIONS);
	// A command that has the names says which run is meant, wherever they were spoken of.
	const called = wanted.filter((word) => !isOrdinary(word));
	const isMeant = ({ command }: RunNote) => called.every((word) => command.toLowerCase().includes(word));
	const named =
		called.length === 0 ? [] : nearest.slice(0, MAX_SESSIONS).filter((each) => runsIn.get(each)?.().some(isMeant));
	for (const session of [...named, ...bySubject]) {
		const runs = runsIn.get(session)?.() ?? [];
		if (runs.length === 0) continue;
		const isFailed = reading.aims.has("errors");
		const chosen = isFailed ? failedFirst(runs) : runs;
		const isAbout = ({ seq }: RunNote) =>
			places.some((place) => place.session === session.session && place.from <= seq && seq < place.to);
		const isNamed = ({ command }: RunNote) => sharesWord(command, wanted);
		const fits = (run: RunNote) => Number(isNamed(run)) + Number(isAbout(run));
		const shown = chosen.toSorted((one, other) => fits(other) - fits(one)).slice(0, MAX_SHOWN);
		const title = end === "first" ? "First runs" : "Last runs";
		// People call a run by a name that its command does not have: then their own words say more of it.
		const names = new Set(termsOf(reading.subject));
		const isCalled = ({ command, told }: RunNote) => termsOf(`${command} ${told}`).some((term) => names.has(term));
		const isBeside = isFailed && names.size > 0 && !shown.some((run) => isCalled(run) || isAbout(run));
		return {
			title: isFailed ? `${title}, failed ones first` : title,
			share: isBeside ? 0.2 : 0.6,
			lines: shown.map(lineOf),
			isBeside,
		};
	}
	return { title: "Runs", share: 0.1, lines: [], isAnswer: false };
}

function lazily<Value>(make: () => Value): () => Value {
	let made: { readonly value: Value } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}

/** `npm run lint` has the word too. */
const ANY_RUN = /^(?:runs?|ran|running|commands?)$/;

function failedFirst(runs: readonly RunNote[]): readonly RunNote[] {
	const isRed = ({ status, told }: RunNote) => status === "fail" && told !== "";
	return [...runs.filter(isRed), ...runs.filter((run) => !isRed(run))];
}

/** `go test` has the word "test", and so has `vitest`. */
function sharesWord(command: string, words: readonly string[]): boolean {
	const text = command.toLowerCase();
	return words.some((word) => text.includes(word.replace(/s$/, "")));
}

function runsOf(question: NarrowedQuestion, { session }: SessionState, end: "first" | "last"): readonly RunNote[] {
	const { sources, span } = question;
	const order = end === "first" ? "oldest" : "newest";
	const records = sources.log.read({
		session,
		types: ["CommandRun"],
		order,
		limit: MAX_READ,
		since: span?.since,
		until: span?.until,
	});
	const runs: RunNote[] = [];
	for (const record of records) {
		const command = textIn(record.payload, "command") ?? "";
		const { kind } = commandIdentity(command);
		if (kind !== "work") continue;
		runs.push(noteOf(sources.log, record, command));
		if (runs.length === MAX_OUTPUTS) break;
	}
	return runs;
}

function noteOf(log: NarrowedQuestion["sources"]["log"], record: EventRecord, command: string): RunNote {
	const { payload, cause, seq, ts, session } = record;
	const message = cause === undefined || cause === null ? undefined : log.get(cause);
	const outputs = message && message.type === "Message" ? outputsOf(viewMessage(message.payload)) : undefined;
	const output = outputs?.get(payload["by"] === "user" ? "" : (textIn(payload, "callId") ?? "")) ?? "";
	const exit = numberIn(payload, "exit");
	const reading = readRun({ command, exit, output });
	const told = reading.status === "fail" ? errorWords(output, reading) : lastWords(output);
	return {
		seq,
		ts,
		session,
		handle: message ? handleOf(message) : handleOf(record),
		command: reading.identity.command,
		status: reading.status,
		exit,
		told,
	};
}

/** Names of what failed and the error's own lines; else the lines that look like one, else the end. */
function errorWords(output: string, { recognised, fingerprint }: RunReading): string {
	const errors = (recognised?.errors ?? [])
		.slice(0, 4)
		.map(({ unit, class: kind, message }) =>
			[unit, kind, message.slice(0, 3).join(" ")].filter((part) => part).join(": "),
		);
	if (errors.length > 0) return errors.join(" | ");
	const marks = (fingerprint?.marks ?? [])
		.map(({ message }) => message)
		.filter((message) => !EXIT_ONLY.test(message))
		.slice(0, 3);
	const failed = (recognised?.failed ?? []).slice(0, 6);
	const loud = readLines(output)
		.filter((each) => LOUD.test(each))
		.slice(0, 4);
	const parts = [...failed, ...marks, ...loud.filter((each) => !marks.some((mark) => mark.includes(each.trim())))];
	return parts.length > 0 ? parts.join(" | ") : lastWords(output);
}

/** An agent's own line above the output: it does not say what went wrong. */
const EXIT_ONLY = /^\s*exit (?:code|status):? -?\d+\.?\s*$/i;
const LOUD = /error|fail|cannot|can't|not found|undefined|unexpected|denied|refused|panic|✖|×|expected/i;
const MAX_LAST_LINES = 4;

function lastWords(output: string): string {
	return readLines(output)
		.map((each) => each.trim())
		.filter((each) => each !== "")
		.slice(-MAX_LAST_LINES)
		.join(" | ");
}

function lineOf({ command, status, exit, told, handle, session, ts }: RunNote): AnswerLine {
	const became =
		status === "fail"
			? `failed${exit === null || exit === 0 ? "" : ` (exit ${exit})`}`
			: status === "pass"
				? "passed"
				: "ran";
	const text = `${cut(command, COMMAND_CHARS)}: ${became}${told === "" ? "" : `: ${cut(told, ERROR_CHARS)}`}`;
	return { text, handle, session, ts };
}

/** Failures that the state holds, by the words of the question, else the newest. */
export function failureSection(question: NarrowedQuestion): FoundSection {
	const { sources, reading, span, within } = question;
	const { open, resolved } = sources.state().failures.failures;
	const known = [...open, ...resolved]
		.filter(({ lastTs, firstTs }) => span === undefined || (lastTs >= span.since && firstTs < span.until))
		.map((failure) => ({
			...failure,
			text: `${failure.command} ${failure.unit ?? ""} ${failure.class ?? ""} ${failure.message}`,
			ts: failure.lastTs,
		}));
	const inTime = known.toSorted((one, other) =>
		reading.end === "first" ? one.firstSeq - other.firstSeq : other.lastSeq - one.lastSeq,
	);
	const ranked = rankTexts(known, reading.subject, MAX_FAILURES * 2)
		.filter(isTelling)
		.map(({ item }) => item);
	const isAll = within === "all" || !question.isNamed;
	const chosen = (ranked.length > 0 ? ranked : inTime)
		.slice(0, MAX_FAILURES * 3)
		.filter(({ lastSeq }) => isAll || isWithin(within, sources.log.getStored(lastSeq)?.session ?? ""))
		.slice(0, MAX_FAILURES);
	const lines = chosen.map((failure): AnswerLine => {
		const name = [failure.unit ?? failure.file, failure.class].filter((part) => part !== null).join(" ");
		const end = failure.resolvedHandle === null ? `, ${failure.state}` : `, resolved by ${failure.resolvedHandle}`;
		return {
			text: `${cut(failure.command, COMMAND_CHARS)}: ${name === "" ? "" : `${name}: `}${cut(failure.message, ERROR_CHARS)} (${failure.attempts === 1 ? "once" : `${failure.attempts} times`}${end})`,
			handle: failure.lastHandle,
			session: sources.log.getStored(failure.lastSeq)?.session,
			ts: failure.lastTs,
		};
	});
	const isAsked = ranked.length > 0 || reading.subject === "";
	return {
		title: isAsked ? "Failures" : "Failures, the newest",
		share: isAsked ? 0.4 : 0.2,
		lines,
		isBeside: !isAsked,
	};
}

function cut(text: string, chars: number): string {
	return cutWithEllipsis(oneLine(text), chars);
}
