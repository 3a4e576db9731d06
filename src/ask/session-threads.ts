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
		if (thread && thread.orders.length > 0) threads.push({ session, thread });
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
