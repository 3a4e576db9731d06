/**
 * Drafts SESSION.md without a model, from the state of the work, in the words of the user and the tools. Pure. The seed of
 * an epoch begins with two of its parts.
 */

import { exitWords } from "../../../base/shell/exit.ts";
import { plural } from "../../../base/text/bytes.ts";
import { cutWithEllipsis } from "../../../base/text/cut.ts";
import { getKey, getRecent } from "../../../log/fold/keyed.ts";
import { wordsInLine } from "../../../message/enclosure.ts";
import { stripRecalled } from "../../../message/recall-tags.ts";
import { announcedIn } from "../../thread/cues.ts";
import { firstRequest, isGreeting } from "../../thread/governing-task.ts";
import { answerOf, threadItems } from "../../thread/items.ts";
import { type SessionThread, type ThreadState, threadIn } from "../../thread/thread.ts";
import { fixedIn, isLeftOut, whatFailed } from "../../work/failure/lifecycle.ts";
import type { Failure } from "../../work/failure/types.ts";
import type { SessionProgress } from "../../work/progress.ts";
import type { WorkState } from "../../work/work-state.ts";
import { isSettled } from "../durable/lasting-cues.ts";
import { isTyped, requestGist } from "../request-gist.ts";
import type { SessionDraft } from "./draft.ts";

export interface NotedState extends WorkState {
	readonly thread: ThreadState;
}

const LINE_CHARS = 280;
const TITLE_CHARS = 100;
const MAX_FILES = 6;
const MAX_NEXT = 5;
const MAX_FAILURES = 4;
const MAX_CONSTRAINTS = 8;
const MAX_COMMANDS = 6;

/** `isOwn`: whether a failure was the session's, in part at least. */
export function draftFromState(
	state: NotedState,
	session: string,
	{ isOwn }: { readonly isOwn: (failure: Failure) => boolean },
): SessionDraft {
	const thread = threadIn(state.thread, session);
	const progress = getRecent(state.progress.sessions, session);
	const intent = getRecent(state.intent.sessions, session);
	const handleByText = new Map<string, string>();
	const from = (text: string, handle: string | undefined): string => {
		if (handle !== undefined) handleByText.set(text, handle);
		return text;
	};
	const { resolved } = state.failures.failures;
	const open = state.failures.failures.open.filter((failure) => !isLeftOut(failure));
	const items = thread ? threadItems(thread, session, state.decisions, ["rule", "correction", "decision"]) : [];
	const held = (kinds: readonly string[]) =>
		items.filter(({ kind, state: of }) => kinds.includes(kind) && of === "holds");
	const wanted = [...(intent?.earlier ?? []).slice(-2), ...(intent ? [intent.current] : [])];
	const typed = thread?.orders.find(({ text, via }) => via !== "answer" && !isGreeting(text) && isTyped(text));
	const task = typed ?? (thread && firstRequest(thread));
	const openErrors = newest(open).map((failure) => from(errorLine(failure), failure.lastHandle));
	const mended = resolved.filter(isOwn).slice(-MAX_FAILURES);
	return {
		sections: {
			"Session Title": task ? [from(short(requestGist(task.text), TITLE_CHARS), task.handle)] : [],
			"Current State": [
				...doneLines(progress),
				...lastRun(progress),
				...newest(open)
					.slice(0, 1)
					.map((failure) => `${plural(open.length, "failure")} open: ${short(whatFailed(failure))}`),
				...lastWords(thread).map(({ text, handle }) => from(`Said last: ${text}`, handle)),
			],
			"User Intent": wanted.map(({ text, handle }) => from(short(stripRecalled(text), 480), handle)),
			"Active Files": activeFiles(state, progress),
			Decisions: held(["decision", "correction"])
				.filter(isSettled)
				.map(({ text, handle }) => from(short(text), handle)),
			Constraints: held(["rule"])
				.slice(-MAX_CONSTRAINTS)
				.map(({ text, handle }) => from(short(text), handle)),
			"Errors & Corrections": [
				...mended.map((failure) => from(mendedLine(failure, state), failure.resolvedHandle ?? failure.lastHandle)),
				...openErrors,
			],
			"Next Steps": nextSteps(thread, open),
			Worklog: worklog(progress),
		},
		// Fixed failures resolve their open lines.
		resolved: mended.map(errorLine),
		sources: handleByText,
	};
}

/** Work done for the newest request. */
function doneLines(progress: SessionProgress | undefined): string[] {
	if (!progress || progress.sinceIntent.changes === 0) return [];
	const { added, removed, files, commands, failedCommands } = progress.sinceIntent;
	const names = files.slice(-MAX_FILES).reverse().join(", ");
	const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : "";
	const failed = failedCommands > 0 ? `, ${failedCommands} failed` : "";
	const ran = commands > 0 ? `; ${plural(commands, "command")} run${failed}` : "";
	return [`Done for it: changed ${names}${more} (+${added}/-${removed} lines)${ran}`];
}

/** Open items of the plan, those in progress first. Without a plan: open failures, and what the agent announced. */
function nextSteps(thread: SessionThread | undefined, open: readonly Failure[]): string[] {
	const plan = thread?.plan ?? [];
	const planned = (["doing", "open"] as const).flatMap((state) => plan.filter((item) => item.state === state));
	if (planned.length > 0) return [...new Set(planned.map(({ text }) => short(text)))].slice(0, MAX_NEXT);
	const announced = announcedIn(answerOf(thread?.orders.at(-1))?.text ?? "");
	return [
		...newest(open)
			.slice(0, 2)
			.map((failure) => `Repair: ${short(whatFailed(failure))}`),
		...(announced === undefined ? [] : [short(announced)]),
	].slice(0, MAX_NEXT);
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

function lastRun(progress: SessionProgress | undefined): string[] {
	const last = progress?.recentCommands.at(-1);
	return last ? [`Ran last: ${short(last.command, 160)} → ${exitWords(last.command, last.exit)}`] : [];
}

function lastWords(thread: SessionThread | undefined): { readonly text: string; readonly handle: string }[] {
	const last = thread?.orders.findLast(({ outcome }) => outcome !== null)?.outcome;
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

function worklog(progress: SessionProgress | undefined): string[] {
	const distinct = (progress?.recentCommands ?? []).filter(
		({ command }, at, all) => all.findLastIndex((other) => other.command === command) === at,
	);
	return distinct
		.slice(-MAX_COMMANDS)
		.map(({ command, exit }) => `${short(command, 140)} → ${exitWords(command, exit)}`);
}

function short(text: string, most = LINE_CHARS): string {
	return cutWithEllipsis(wordsInLine(text), most);
}
