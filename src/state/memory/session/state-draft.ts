/**
 * Drafts SESSION.md without a model, from the state of the work, in the words of the user and the tools. Pure. The seed of
 * an epoch begins with two of its parts.
 */

import { plural } from "../../../base/text/bytes.ts";
import { cutWithEllipsis } from "../../../base/text/cut.ts";
import { getKey, getRecent } from "../../../log/fold/keyed.ts";
import { wordsInLine } from "../../../message/enclosure.ts";
import {
	type ConversationState,
	conversationIn,
	type Quote,
	type SessionConversation,
} from "../../session/conversation.ts";
import { fixedIn, whatFailed } from "../../work/failure/lifecycle.ts";
import type { Failure } from "../../work/failure/types.ts";
import type { SessionProgress } from "../../work/progress.ts";
import type { WorkState } from "../../work/work-state.ts";
import { stripRecalled } from "../recall-tags.ts";
import type { SessionDraft } from "./draft.ts";

export interface NotedState extends WorkState {
	readonly said: ConversationState;
}

const LINE_CHARS = 280;
const TITLE_CHARS = 100;
const MAX_FILES = 6;
const MAX_NEXT = 5;
const MAX_FAILURES = 4;
const MAX_CONSTRAINTS = 8;
const MAX_COMMANDS = 6;

export function draftFromState(state: NotedState, session: string): SessionDraft {
	const said = conversationIn(state.said, session);
	const progress = getRecent(state.progress.sessions, session);
	const intent = getRecent(state.intent.sessions, session);
	const handleByText = new Map<string, string>();
	const from = (text: string, handle: string | undefined): string => {
		if (handle !== undefined) handleByText.set(text, handle);
		return text;
	};
	const { open, resolved } = state.failures.failures;
	const wanted = [...(intent?.earlier ?? []).slice(-2), ...(intent ? [intent.current] : [])];
	const task = titleIn(said);
	const openErrors = newest(open).map((failure) => from(errorLine(failure), failure.lastHandle));
	const mended = resolved.slice(-MAX_FAILURES);
	return {
		sections: {
			"Session Title": task ? [from(short(firstLine(task.text), TITLE_CHARS), task.handle)] : [],
			"Current State": [
				...doneLines(progress),
				...lastRun(progress),
				...newest(open)
					.slice(0, 1)
					.map((failure) => `${plural(open.length, "failure")} open: ${short(whatFailed(failure))}`),
				...lastWords(said).map(({ text, handle }) => from(`Quote last: ${text}`, handle)),
			],
			"User Intent": wanted.map(({ text, handle }) => from(short(stripRecalled(text), 480), handle)),
			"Active Files": activeFiles(state, progress),
			Decisions: state.decisions.active
				.filter((each) => each.session === session)
				.map(({ text, rationale, handle }) => from(short(rationale ? `${text} (${rationale})` : text), handle)),
			Constraints: constraintsIn(said).map(({ text, handle }) => from(text, handle)),
			"Errors & Corrections": [
				...mended.map((failure) => from(mendedLine(failure, state), failure.resolvedHandle ?? failure.lastHandle)),
				...openErrors,
			],
			"Next Steps": nextSteps(said, open),
			Worklog: worklog(progress),
		},
		// Fixed failures resolve their open lines.
		resolved: mended.map(errorLine),
		sources: handleByText,
	};
}

/** Work done for the newest request. */
export function doneLines(progress: SessionProgress | undefined): string[] {
	if (!progress) return [];
	const { changes, added, removed, files, commands, failedCommands } = progress.sinceIntent;
	const names = files.slice(-MAX_FILES).reverse().join(", ");
	const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : "";
	const failed = failedCommands > 0 ? `, ${failedCommands} failed` : "";
	const ran = commands > 0 ? `; ${plural(commands, "command")} run${failed}` : "";
	const done = changes > 0 ? `changed ${names}${more} (+${added}/-${removed} lines)` : "nothing changed yet";
	return [`Done for it: ${done}${ran}`];
}

/** Open items of the plan, those in progress first. Without a plan: open failures, and what the agent announced. */
export function nextSteps(said: SessionConversation | undefined, open: readonly Failure[]): string[] {
	const items = (said?.plan?.text ?? "").split("\n");
	const under = items.filter((item) => /^\s*[-*+] \[~\]/.test(item));
	const waiting = items.filter((item) => /^\s*[-*+] \[ \]/.test(item));
	const planned = [...under, ...waiting].map((item) => short(item.replace(/^\s*[-*+] \[.\]\s*/, "")));
	if (planned.length > 0) return [...new Set(planned)].slice(0, MAX_NEXT);
	const announced = (said?.remarks ?? []).slice(-1).flatMap(({ text }) => announcedIn(text));
	return [
		...newest(open)
			.slice(0, 2)
			.map((failure) => `Repair: ${short(whatFailed(failure))}`),
		...announced,
	].slice(0, MAX_NEXT);
}

const ANNOUNCED =
	/(?:^|[.!?:]\s+|\n)((?:next(?:,| I| step| up)|now (?:I|let)|let me|I(?:'ll| will| am going to|'m going to| need to| still need)|remaining:|still to do:|to do:)[^\n]{8,240}?)(?=[.!?](?:\s|$)|\n|$)/gi;

function announcedIn(text: string): string[] {
	const found = [...text.slice(-2_000).matchAll(ANNOUNCED)].at(-1)?.[1];
	return found === undefined ? [] : [short(found)];
}

function newest(failures: readonly Failure[]): Failure[] {
	return failures
		.toSorted((one, other) => other.lastSeq - one.lastSeq || (one.id < other.id ? -1 : 1))
		.slice(0, MAX_FAILURES);
}

/** Has no count of attempts, so that the same failure stays the same bullet. */
function errorLine(failure: Failure): string {
	return short(`Open: ${failure.command}: ${whatFailed(failure)}`);
}

function mendedLine(failure: Failure, state: NotedState): string {
	const files = fixedIn(failure, state.files);
	const where = files.length === 0 ? "" : ` Mended in ${files.join(", ")}.`;
	return short(`Was broken, now passes: ${failure.command}: ${whatFailed(failure)}.${where}`);
}

const GREETING =
	/^(?:(?:hello|hi|hey|hallo|moin|good (?:morning|evening|afternoon)|guten (?:morgen|tag|abend)|bonjour|salut|hola|ol[aá]|ciao|there|again|everyone|こんにちは|おはよう|안녕(?:하세요)?|你好|您好)[\s,.!…！。]*)+$/iu;

/** The first request of the session that is not a greeting. */
function titleIn(said: SessionConversation | undefined): Quote | null {
	const first = said?.task ?? null;
	if (!first || !GREETING.test(first.text.trim())) return first;
	return said?.users.find(({ text }) => !GREETING.test(text.trim())) ?? first;
}

function lastRun(progress: SessionProgress | undefined): string[] {
	const last = progress?.recentCommands.at(-1);
	return last ? [`Ran last: ${short(last.command, 160)} → exit ${last.exit ?? "unknown"}`] : [];
}

function lastWords(said: SessionConversation | undefined): { readonly text: string; readonly handle: string }[] {
	const last = said?.remarks.at(-1);
	return last ? [{ text: short(last.text, 240), handle: last.handle }] : [];
}

function activeFiles(state: NotedState, progress: SessionProgress | undefined): string[] {
	const changed = (progress?.sinceIntent.files ?? []).toReversed();
	const read = state.files.recent.toReversed().filter((path) => !changed.includes(path));
	const told = [
		...changed.map((path) => `${path} (changed)`),
		...read.filter((path) => getKey(state.files.files, path) !== undefined),
	];
	return told.slice(0, MAX_FILES * 2).map((each) => short(each));
}

/** Sentences in which the user demands or forbids something. */
const RULE =
	/\b(?:never|always|must(?: not)?|mustn't|do not|don't|only ever|leave .{1,60} alone|without (?:touching|changing)|under no|make sure|keep .{1,60} (?:as|un)|no new dependenc)\b/i;

/** The same words in a statement or question: not a rule. */
const NO_RULE =
	/\?$|\bnever ?mind\b|\b(?:do not|don't) (?:know|think|worry|care|understand|remember|mind|bother|see|need|have)\b|\b(?:it|this|that|they|there) (?:never|always)\b|\bmust (?:be|have been) (?:a|an|the|because)\b/i;

function isRule(sentence: string): boolean {
	return sentence.length >= 12 && sentence.length <= LINE_CHARS && RULE.test(sentence) && !NO_RULE.test(sentence);
}

function constraintsIn(said: SessionConversation | undefined): { readonly text: string; readonly handle: string }[] {
	const found = new Map<string, string>();
	for (const { text, handle } of [...(said?.task ? [said.task] : []), ...(said?.users ?? [])]) {
		for (const sentence of sentencesOf(text)) {
			if (isRule(sentence)) found.set(sentence, handle);
		}
	}
	return [...found].slice(-MAX_CONSTRAINTS).map(([text, handle]) => ({ text, handle }));
}

function sentencesOf(text: string): string[] {
	const own = stripRecalled(text).slice(0, 6_000);
	// Code and quoted output are not the user's rules.
	const prose = own
		.replace(/```[\s\S]*?(?:```|$)/g, "\n")
		.split("\n")
		.filter((line) => !/^\s*[>|$]|^\s{4}|[{};]\s*$/.test(line));
	return prose
		.flatMap((line) => line.split(/(?<=[.!?;])\s+/))
		.map((each) => short(each.replace(/^\s*[-*+\d.)]+\s+/, "")));
}

function worklog(progress: SessionProgress | undefined): string[] {
	const distinct = (progress?.recentCommands ?? []).filter(
		({ command }, at, all) => all.findLastIndex((other) => other.command === command) === at,
	);
	return distinct.slice(-MAX_COMMANDS).map(({ command, exit }) => `${short(command, 140)} → exit ${exit ?? "unknown"}`);
}

function firstLine(text: string): string {
	return stripRecalled(text).trim().split("\n", 1)[0] ?? "";
}

function short(text: string, most = LINE_CHARS): string {
	return cutWithEllipsis(wordsInLine(text), most);
}
