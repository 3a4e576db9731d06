/**
 * Consolidates without a model what outlives a session: decisions that the agent recorded, and a line about the work of each day.
 * The user's own words are promoted in `promotion.ts`. Everything else is working state and stays in SESSION.md.
 */

import { cutAtSentence } from "../../../base/text/cut.ts";
import { wordsInLine } from "../../../message/enclosure.ts";
import { isRequest } from "../../session/intent.ts";
import { asksForSomething, governingTask, isGreeting, isReply } from "../../thread/governing-task.ts";
import { threadItems } from "../../thread/items.ts";
import { isFailedRun } from "../../thread/proofs.ts";
import { asksForWork } from "../../thread/requested-work.ts";
import { sentencesOf } from "../../thread/sentences.ts";
import { type Proof, type SessionThread, type ThreadOrder, threadIn } from "../../thread/thread.ts";
import { whatFailed } from "../../work/failure/lifecycle.ts";
import type { Failure } from "../../work/failure/types.ts";
import { keyOfText } from "../document.ts";
import type { SessionName } from "../memory-files.ts";
import type { CurrentBullet, MemoryOp } from "../operation.ts";
import { isTyped, requestGist } from "../request-gist.ts";
import type { NotedState } from "../session/state-draft.ts";
import { markOf } from "../session-mark.ts";
import { isModel } from "../writer-rank.ts";
import { isPastedMessage, isSettled, isTalk, pointsAtTalk } from "./lasting-cues.ts";

export const PROBATION_MS = 30 * 24 * 3_600_000;
const STATE = { by: "state" } as const;

/** Decisions that were recorded with `decide`. */
export function decisionsFromState(state: NotedState, { session }: SessionName) {
	return (current: readonly CurrentBullet[]): MemoryOp[] => [
		...replacedDecisions(state, session, current),
		...state.decisions.active
			.filter((each) => each.session === session)
			.map(({ text, rationale, handle }): MemoryOp => {
				const words = rationale ? `${text} (${rationale})` : text;
				return { op: "add", section: "Decisions", text: words, source: handle, ...STATE };
			}),
	];
}

/** Removes replaced decisions from MEMORY.md. */
function replacedDecisions(state: NotedState, session: string, current: readonly CurrentBullet[]): MemoryOp[] {
	const said = new Set(
		state.decisions.superseded
			.filter((each) => each.session === session)
			.flatMap(({ text, rationale }) => [keyOfText(text), keyOfText(`${text} (${rationale})`)]),
	);
	return current
		.filter(({ section, text, by }) => section === "Decisions" && by === "state" && said.has(keyOfText(text)))
		.map(({ id }): MemoryOp => ({ op: "invalidate", id, reason: "another decision replaced it", ...STATE }));
}

export interface DayLineInput {
	readonly day: string;
	/** seq of the day's first event. */
	readonly since: number;
	/** Failures that are open where the session's own commands ran. */
	readonly open: readonly Failure[];
	/** seq of the write that brought a bullet. */
	readonly writtenAt: (bullet: CurrentBullet) => number;
	/** Whether the user later named a value of the text as the old one. */
	readonly isDisproved: (text: string, seq: number) => boolean;
}

/**
 * One line per session and day. The next boundary of that day replaces it. A model's line stays as it is; what came after it gets a
 * line of its own.
 */
export function historyFromState(state: NotedState, { session }: SessionName, input: DayLineInput) {
	return (current: readonly CurrentBullet[]): MemoryOp[] => {
		const thread = threadIn(state.thread, session);
		if (!thread) return [];
		const mark = markOf(session);
		const own = current.filter((each) => each.section === input.day && each.text.includes(mark));
		const byModel = own.filter(({ by }) => isModel(by) || by === "user").map(input.writtenAt);
		const since = Math.max(input.since - 1, ...byModel);
		const text = dayLine(thread, { ...input, since, session, state });
		const known = own.find(({ by }) => by === "state");
		if (text === undefined) return [];
		return known
			? [{ op: "supersede", replaces: known.id, text, ...STATE }]
			: [{ op: "add", section: input.day, text, ...STATE }];
	};
}

const [MAX_ASKED, MAX_DONE, MAX_DECIDED, MAX_OPEN, MAX_FILES] = [4, 3, 3, 3, 6];
const [ASKED_CHARS, PART_CHARS] = [140, 120];
/** The mark of the session follows. */
const MAX_LINE_CHARS = 1_100;

interface DayLineParts extends DayLineInput {
	readonly session: string;
	readonly state: NotedState;
}

/** Asked, done with proof, decided, left open, files. Undefined: nothing was answered that day. */
function dayLine(
	thread: SessionThread,
	{ since, session, state, open, isDisproved }: DayLineParts,
): string | undefined {
	const orders = thread.orders.filter(({ seq, via }) => seq > since && via !== "parent");
	if (!orders.some(({ outcome, changed }) => outcome !== null || changed.length > 0)) return undefined;
	const holds = ({ text, seq }: { readonly text: string; readonly seq: number }) => !isDisproved(text, seq);
	const requests = orders.filter((order) => isRequest(order.text) && !isGreeting(order.text) && holds(order));
	const typed = requests.filter(({ text, via }) => via !== "answer" && isTyped(text));
	const asked = requestsWithWork(typed.length > 0 ? typed : requests, orders);
	const proofs = orders.flatMap((order) => order.proofs).filter((proof) => !isFailedRun(proof));
	const tests = proofs.findLast(({ kind }) => kind === "tests");
	const done = [...deliveries(proofs), ...(tests ? [tests] : [])];
	const items = threadItems(thread, session, state.decisions, ["correction", "decision", "plan"]).filter(
		({ seq }) => seq > since,
	);
	const pasted = new Set(orders.filter(({ text }) => isPastedMessage(text)).map(({ handle }) => handle));
	const decided = items.filter(
		(item) =>
			item.state === "holds" &&
			(item.kind === "decision" || (item.kind === "correction" && !isTalk(item.text))) &&
			isSettled(item) &&
			!pointsAtTalk(item.text) &&
			!pasted.has(item.handle),
	);
	const undone = items.filter(({ kind, state: of }) => kind === "plan" && (of === "open" || of === "doing"));
	const files = [...new Set(orders.flatMap(({ changed }) => changed).toReversed())];
	const parts = [
		part(
			"Asked",
			asked.map(({ text }) => short(requestGist(text), ASKED_CHARS)),
		),
		part(
			"Done",
			done.map((proof) => short(nameProof(proof))),
		),
		part(
			"Decided",
			decided.slice(-MAX_DECIDED).map(({ text }) => short(text)),
		),
		part("Left open", [
			...undone.slice(0, MAX_OPEN).map(({ text }) => short(text)),
			...open.slice(-MAX_OPEN).map((failure) => short(`${failure.command}: ${whatFailed(failure)}`)),
		]),
		part("Files", files.length === 0 ? [] : [named(files)]),
	];
	const text = parts.filter((each) => each !== "").join(" ");
	return text === "" ? undefined : `${cutAtSentence(text, MAX_LINE_CHARS)} ${markOf(session)}`;
}

/**
 * The first request, the task, and those that most was done for, in their order. A yes or a "commit it" is part of the request before
 * it, and a remark is no request where work was asked for.
 */
function requestsWithWork(requests: readonly ThreadOrder[], orders: readonly ThreadOrder[]): readonly ThreadOrder[] {
	const [first] = requests;
	const actsOf = ({ changed, proofs }: ThreadOrder) =>
		changed.length + proofs.filter(({ kind }) => !DELIVERIES.has(kind)).length;
	// In talk every request counts.
	if (!first || !orders.some((order) => actsOf(order) > 0)) return pick(requests, first);
	const work = new Map<ThreadOrder, number>();
	const asked = new Set(requests);
	let asking: ThreadOrder | undefined;
	for (const [at, order] of orders.entries()) {
		const isOwn = asked.has(order) && !isReply(order.text, orders[at - 1]);
		if (isOwn && asksForSomething(order.text)) asking = order;
		const acts = actsOf(order);
		const by = isOwn ? order : asking;
		if (!by) continue;
		const weight = (isOwn && sentencesOf(order.text).some(asksForWork) ? 1 : 0) + (acts > 0 ? acts + 1 : 0);
		work.set(by, (work.get(by) ?? 0) + weight);
	}
	// Of the same weight the newest.
	const most = [...work].toReversed().filter(([, acts]) => acts > 0);
	const task = governingTask({ orders: [...orders] });
	const opening = task && asked.has(task) && asksForSomething(task.text) ? [first, task] : [first];
	const worked = most.toSorted(([, one], [, other]) => other - one).map(([order]) => order);
	const kept = [...new Set([...opening, ...worked])].slice(0, MAX_ASKED);
	return kept.toSorted((one, other) => one.seq - other.seq);
}

const DELIVERIES: ReadonlySet<Proof["kind"]> = new Set(["commit", "push", "pull-request"]);

/** The first request, then those that ask for work, then the newest ones. */
function pick(requests: readonly ThreadOrder[], first: ThreadOrder | undefined): readonly ThreadOrder[] {
	if (requests.length <= MAX_ASKED) return requests;
	const newest = requests.toReversed();
	const asking = newest.filter(({ text }) => sentencesOf(text).some(asksForWork));
	const kept = [...new Set([...(first ? [first] : []), ...asking, ...newest])].slice(0, MAX_ASKED);
	return kept.toSorted((one, other) => one.seq - other.seq);
}

/** A push says nothing beside the commits that it sent. */
function deliveries(proofs: readonly Proof[]): readonly Proof[] {
	const delivered = proofs.filter(({ kind }) => kind !== "tests");
	const named = delivered.filter(({ kind }) => kind !== "push");
	return (named.length > 0 ? named : delivered).slice(-MAX_DONE);
}

/** "ok pkg/strategy 5.3s" is the line of a test run, but does not say so. */
function nameProof({ kind, text }: Proof): string {
	return kind === "tests" && !/test|pass|spec/i.test(text) ? `tests pass: ${text}` : text;
}

function part(name: string, texts: readonly string[]): string {
	const distinct = [...new Set(texts)];
	if (distinct.length === 0) return "";
	const words = distinct.map((text) => text.replace(/[.;。]+$/, "")).join("; ");
	return `${name}: ${words}${/[?!…]$/.test(words) ? "" : "."}`;
}

function named(files: readonly string[]): string {
	const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : "";
	return `${files.slice(0, MAX_FILES).join(", ")}${more}`;
}

function short(text: string, most = PART_CHARS): string {
	return cutAtSentence(wordsInLine(text), most);
}
