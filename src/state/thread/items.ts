/** The thread as one list of items, for everything that shows, searches or remembers it. */
import { sha256 } from "../../base/hash/sha256.ts";
import { getKey } from "../../log/fold/keyed.ts";
import { announcedIn, givesReason, isAnnouncement, isFinding, isLeftOpen, isQuestion } from "./cues.ts";
import { governingTask } from "./governing-task.ts";
import { currentItem, isPlanInWork } from "./plan-items.ts";
import { retractedIn } from "./retractions.ts";
import { sentencesOf } from "./sentences.ts";
import { rewordSentences, supersededIn } from "./superseded-words.ts";
import { termsOf } from "./terms.ts";
import type { Passage, PlanItem, Proof, SessionThread, Statement, ThreadOrder } from "./thread.ts";

export type ItemKind =
	| "task"
	| "order"
	| "rule"
	| "correction"
	| "decision"
	| "plan"
	| "open"
	| "finding"
	| "dead-end"
	| "next"
	/** What the session's own model wrote at a seal. */
	| "note";

export interface ThreadItem {
	/** Stable over the session: `rule-3f2a91`. */
	readonly id: string;
	readonly kind: ItemKind;
	/** Word for word. */
	readonly text: string;
	readonly handle: string;
	readonly seq: number;
	readonly by: "user" | "agent" | "model" | "tool";
	readonly state: "holds" | "open" | "doing" | "done" | "dropped" | "replaced" | "struck";
	/** Handle of the words that replaced it. */
	readonly replacedBy?: string | undefined;
	/** Handle of a choice among options that the agent gave for it. */
	readonly narrowedBy?: string | undefined;
	readonly isPinned: boolean;
	readonly proof?: Proof | undefined;
	/** More words on an item of the plan. */
	readonly detail?: string | undefined;
	/** What became of an order, in the agent's words. */
	readonly outcome?: string | undefined;
	/** The model that wrote the item; for words of the user: that found them. */
	readonly foundBy?: string | undefined;
	/** The model that says it is over. */
	readonly closedBy?: string | undefined;
}

/** Decisions that were recorded with `decide`. */
interface MadeDecisions {
	readonly active: readonly {
		readonly session: string;
		readonly text: string;
		readonly rationale: string | null;
		readonly handle: string;
		readonly seq: number;
	}[];
}

type NewItem = Omit<ThreadItem, "id" | "isPinned">;

const ID_DIGITS = 6;
const MAX_FINDINGS = 40;
const MAX_SUMMARY_FINDINGS = 12;
const MAX_PROMISES = 12;
/** Newer requests replace what was put off before them. */
const RECENT_ORDERS = 2;
/** "What next?" names nothing. */
const MIN_QUESTION_TERMS = 3;
const MIN_NEXT_TERMS = 2;
const DONE_MARK = /^[\s*+-]*(?:✅|✓|✔|☑|\[x\])/iu;

/**
 * The items of a session, each kind the oldest first. `kinds`: only these, and requests that the user pinned. A session of
 * thousands of requests takes no longer for the others.
 */
export function threadItems(
	thread: SessionThread,
	session: string,
	decisions?: MadeDecisions,
	kinds?: readonly ItemKind[],
): ThreadItem[] {
	const isWanted = (kind: ItemKind) => kinds === undefined || kinds.includes(kind);
	const task = isWanted("task") ? governingTask(thread) : undefined;
	const orders = isWanted("order") ? thread.orders : pinnedOrders(thread);
	const items: NewItem[] = [
		...(task
			? [
					{
						kind: "task" as const,
						text: task.text,
						handle: task.handle,
						seq: task.seq,
						by: task.via === "parent" ? ("agent" as const) : ("user" as const),
						state: "holds" as const,
					},
				]
			: []),
		...orders.map(({ text, handle, seq, outcome, via }): NewItem => {
			const replacedBy = supersededIn(thread).disproofOf(text, seq)?.handle;
			const by = via === "parent" ? "agent" : "user";
			return { kind: "order", text, handle, seq, by, state: "holds", replacedBy, outcome: outcome?.text };
		}),
		...thread.remarks.map(({ kind, text, handle, seq, replacedBy, foundBy, narrowedBy }): NewItem => {
			const state = replacedBy === null ? "holds" : "replaced";
			return { kind, text, handle, seq, by: "user", state, replacedBy: replacedBy ?? undefined, foundBy, narrowedBy };
		}),
		...(decisions?.active ?? [])
			.filter((each) => each.session === session)
			.map(({ text, rationale, handle, seq }): NewItem => {
				const words = rationale ? `${text} (${rationale})` : text;
				return { kind: "decision", text: words, handle, seq, by: "agent", state: "holds" };
			}),
		...thread.plan.map((item): NewItem => planned(item)),
		...openEnds(thread),
		...(isWanted("finding") ? findings(thread) : []),
		...thread.failedForms.map(({ call, error, works, handle, seq }): NewItem => {
			const way = works === null ? "" : `; works: ${works}`;
			return {
				kind: "dead-end",
				text: `${call}: ${error}${way}`,
				handle,
				seq,
				by: "tool",
				state: works === null ? "open" : "done",
			};
		}),
		...nextStep(thread),
		...writtenByModels(thread),
	];
	return items.filter(({ kind }) => isWanted(kind) || kind === "order").map((item) => marked(thread, item));
}

function pinnedOrders({ orders, marks }: SessionThread): readonly ThreadOrder[] {
	if (Object.keys(marks).length === 0) return [];
	return orders.filter((order) => marks[itemId({ ...order, kind: "order" })] === "pin");
}

/** The words of a request may be cut later, so its handle names it; other items are named by their words. */
export function itemId({ kind, handle, text }: Pick<ThreadItem, "kind" | "handle" | "text">): string {
	const name = kind === "order" || kind === "task" ? handle : text;
	return `${kind}-${sha256(`${kind}\n${name}`).slice(0, ID_DIGITS)}`;
}

function marked(thread: SessionThread, item: NewItem): ThreadItem {
	const id = itemId(item);
	const mark = thread.marks[id];
	if (mark === undefined) return { ...closed(thread, id, item), id, isPinned: false };
	return mark === "strike"
		? { ...item, id, isPinned: false, state: "struck" }
		: { ...item, id, isPinned: true, state: item.state === "replaced" ? "holds" : item.state };
}

/** As a model closed it, unless it has changed since. Done by a model's word alone is not proved. */
function closed({ closed: all }: SessionThread, id: string, item: NewItem): NewItem {
	const how = getKey(all, id);
	if (!how || item.by === "user" || item.seq > how.seq || item.state === "done") return item;
	if (item.kind === "plan") return { ...item, state: "done", closedBy: how.by };
	return { ...item, state: "replaced", replacedBy: how.handle, closedBy: how.by };
}

/** Without values that the user has corrected since. */
function writtenByModels(thread: SessionThread): NewItem[] {
	const { written, note, orders } = thread;
	const items = written.map(({ kind, text, handle, seq, by }): NewItem => {
		const replacedBy = supersededIn(thread).replacerOf(text, seq)?.handle;
		const state = replacedBy !== undefined ? "replaced" : kind === "open" || kind === "dead-end" ? "open" : "holds";
		return { kind, text, handle, seq, by: "model", state, replacedBy, foundBy: by };
	});
	if (!note) return items;
	const text = rewordSentences(note.text, (sentence) =>
		supersededIn(thread).disproofOf(sentence, note.seq) ? "" : sentence,
	).trim();
	// It says where the work was: a newer request has moved on.
	const state = (orders.at(-1)?.seq ?? -1) > note.seq ? "replaced" : "holds";
	const { handle, seq, by } = note;
	return text === "" ? items : [...items, { kind: "note", text, handle, seq, by: "model", state, foundBy: by }];
}

function planned({ text, detail, handle, seq, state, proof }: PlanItem): NewItem {
	return { kind: "plan", text, detail, handle, seq, by: "agent", state, proof: proof ?? undefined };
}

/** Promises of the last requests, and the agent's question while it has no answer. */
function openEnds(thread: SessionThread): NewItem[] {
	const recent = thread.orders.slice(-RECENT_ORDERS);
	// What an answer puts off in its last words; before them it may have been done.
	const promises = recent
		.flatMap(({ statements, outcome }) =>
			statements.filter(
				({ text, handle }) =>
					handle === outcome?.handle &&
					!outcome.leadsToCalls &&
					isLeftOpen(text) &&
					!isQuestion(text) &&
					!DONE_MARK.test(text),
			),
		)
		.slice(-MAX_PROMISES);
	const last = answerOf(thread.orders.at(-1));
	const question = last && sentencesOf(last.text).findLast((sentence) => /[?？]["')*_\]]*$/.test(sentence));
	const open: NewItem[] = promises.map(said("open"));
	const seq = thread.orders.at(-1)?.seq ?? 0;
	if (last && question && termsOf(question).size >= MIN_QUESTION_TERMS)
		open.push({ kind: "open", text: question, handle: last.handle, seq, by: "agent", state: "open" });
	return open;
}

/** What the agent said last, once it has stopped: with calls after it a text only says what they do. */
export function answerOf(order: ThreadOrder | undefined): Passage | undefined {
	return order?.outcome && !order.outcome.leadsToCalls ? order.outcome : undefined;
}

function findings(thread: SessionThread): NewItem[] {
	const { summary } = thread;
	const isTrue = (text: string, seq: number) => supersededIn(thread).disproofOf(text, seq) === undefined;
	const found: Statement[] = [];
	for (const { statements } of thread.orders.toReversed()) {
		if (found.length >= MAX_FINDINGS) break;
		const retracted = retractedIn(statements);
		const isFound = ({ text }: Statement) => isFinding(text) && (!isAnnouncement(text) || givesReason(text));
		found.unshift(...statements.filter((each) => isFound(each) && !retracted.has(each) && isTrue(each.text, each.seq)));
	}
	// A summary of the agent's model says what was so when it was written.
	const summed = sentencesOf(summary?.text ?? "")
		.filter((text) => isFinding(text) && isTrue(text, summary?.seq ?? -1))
		.slice(0, MAX_SUMMARY_FINDINGS);
	return [
		...summed.map((text) => ({
			...said("finding")({ text, seq: summary?.seq ?? -1, handle: summary?.handle ?? "" }),
			by: "model" as const,
		})),
		...found.slice(-MAX_FINDINGS).map(said("finding")),
	];
}

function said(kind: "open" | "finding"): (statement: Statement) => NewItem {
	return ({ text, seq, handle }) => ({
		kind,
		text,
		handle,
		seq,
		by: "agent",
		state: kind === "open" ? "open" : "holds",
	});
}

/** The plan's next open item; else what the agent announced last. */
function nextStep(thread: SessionThread): NewItem[] {
	const live = thread.plan.filter((each) => thread.marks[itemId({ ...each, kind: "plan" })] !== "strike");
	const item = currentItem(live);
	if (item && isPlanInWork(thread))
		return [{ kind: "next", text: item.text, handle: item.handle, seq: item.seq, by: "agent", state: "open" }];
	const last = thread.orders.at(-1);
	const answer = answerOf(last);
	const announced = answer && announcedIn(answer.text);
	if (!last || !answer || announced === undefined || announced === "") return [];
	// "Let me fix that" names nothing.
	if (termsOf(announced).size < MIN_NEXT_TERMS) return [];
	return [{ kind: "next", text: announced, handle: answer.handle, seq: last.seq, by: "agent", state: "open" }];
}
