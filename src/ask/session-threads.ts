/** The threads of the sessions that a question is about, each with its items. */
import { getRecent } from "../log/fold/keyed.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { type ThreadItem, threadItems } from "../state/thread/items.ts";
import { type SessionThread, threadIn } from "../state/thread/thread.ts";
import { threadFold } from "../state/thread/thread-fold.ts";
import type { NarrowedQuestion } from "./narrowed-question.ts";

export interface ThreadOfSession {
	readonly session: SessionState;
	readonly thread: SessionThread;
}

/** A session with more events than this is read only as far as the state has it. */
const MAX_MESSAGES = 4_000;
/** Old sessions of which the state keeps little, and that are read again for one question. */
const MAX_FOLDED = 2;

/** The asker's own first, then the last active. */
export function threadsOf(question: NarrowedQuestion, most: number): readonly ThreadOfSession[] {
	const { sources, nearest, isNamed, span } = question;
	const { thread: known } = sources.state();
	const narrows = isNamed || span !== undefined;
	let folded = 0;
	const threads: ThreadOfSession[] = [];
	for (const session of nearest) {
		if (threads.length >= most) break;
		let thread = getRecent(known.sessions, session.session);
		const isShort = thread === undefined || thread.orders.length < thread.orderCount;
		if (isShort && narrows && folded < MAX_FOLDED && session.messages <= MAX_MESSAGES) {
			folded++;
			thread = foldThread(question, session) ?? thread;
		}
		if (thread?.orders.some(({ via }) => via !== "parent")) threads.push({ session, thread });
	}
	return threads;
}

function foldThread({ sources: { log } }: NarrowedQuestion, { session }: SessionState): SessionThread | undefined {
	const state = threadFold.initial();
	for (const record of log.read({ session })) threadFold.step(state, record);
	return threadIn(state, session);
}

export interface ItemOfSession extends ThreadItem {
	readonly session: string;
}

export function itemsOf(question: NarrowedQuestion, threads: readonly ThreadOfSession[]): readonly ItemOfSession[] {
	const { decisions } = question.sources.state();
	return threads.flatMap(({ session: { session }, thread }) =>
		threadItems(thread, session, decisions).map((item) => ({ ...item, session })),
	);
}

/** A stretch of a session. */
export interface Place {
	readonly session: string;
	readonly from: number;
	/** Exclusive. */
	readonly to: number;
}

/** What was said about the subject, the best first. */
interface Spoken {
	readonly session: string;
	readonly seq: number;
}

const MAX_SPOKEN = 8;

/** The turns in which the subject was spoken of; those of the session that speaks of it most first. */
export function placesOf(spoken: readonly Spoken[], threads: readonly ThreadOfSession[]): readonly Place[] {
	const weights = new Map<string, number>();
	const best = spoken.slice(0, MAX_SPOKEN);
	for (const [at, { session }] of best.entries()) {
		weights.set(session, (weights.get(session) ?? 0) + 1 / (at + 2));
	}
	// What most sessions speak of, as the project's name, is no place.
	if (weights.size > Math.max(2, threads.length / 2)) return [];
	return best
		.map(({ session, seq }): Place => {
			const orders = threads.find((each) => each.session.session === session)?.thread.orders ?? [];
			const at = orders.findLastIndex((order) => order.seq <= seq);
			return { session, from: orders[at]?.seq ?? 0, to: orders[at + 1]?.seq ?? Number.POSITIVE_INFINITY };
		})
		.toSorted((one, other) => (weights.get(other.session) ?? 0) - (weights.get(one.session) ?? 0));
}

/** Those of sessions that speak of the subject first. */
export function subjectFirst<Item>(
	items: readonly Item[],
	places: readonly Place[],
	sessionOf: (item: Item) => string,
): readonly Item[] {
	const rankOf = (item: Item) => {
		const at = places.findIndex(({ session }) => session === sessionOf(item));
		return at === -1 ? places.length : at;
	};
	return items.toSorted((one, other) => rankOf(one) - rankOf(other));
}
