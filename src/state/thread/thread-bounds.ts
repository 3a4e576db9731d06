/** What a thread may take: older sessions keep what a user would miss first, and a long one gives up its oldest details. */
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { newestFirst } from "../../log/fold/keyed.ts";
import { governingTask } from "./governing-task.ts";
import type { SessionThread, ThreadOrder, ThreadState } from "./thread.ts";

/** Older sessions keep what a user would miss first when they resume one. */
const MAX_WHOLE_SESSIONS = 20;
const MAX_OLD_ORDERS = 4;
const MAX_OLD_REMARKS = 40;
const MAX_ORDERS = 2_000;
/** The sums are over all requests: twice as many of them are summed half as often. */
const [BOUND_EVERY_ORDERS, BOUND_OFTEN_ORDERS] = [16, 128];
/** Of all requests of a session together. */
const MAX_WORDS_BYTES = 400_000;
/** Left of an old request where the session has outgrown its room. */
const OLD_ORDER_CHARS = 400;
const MAX_SESSION_STATEMENTS = 900;

export function shrinkOlder({ sessions }: ThreadState): void {
	let place = 0;
	for (const [, thread] of newestFirst(sessions)) if (++place > MAX_WHOLE_SESSIONS) shrink(thread);
}

function shrink(thread: SessionThread): void {
	const task = governingTask(thread);
	const kept = new Set([...(task ? [task] : []), ...thread.orders.slice(-MAX_OLD_ORDERS)]);
	thread.orders = thread.orders.filter((order) => kept.has(order));
	for (const order of thread.orders) {
		shorten(order);
		order.statements = [];
	}
	thread.remarks = thread.remarks.filter(({ replacedBy }) => replacedBy === null).slice(-MAX_OLD_REMARKS);
	thread.corrections = thread.corrections.slice(-MAX_OLD_REMARKS);
	thread.plan = thread.plan.filter(({ state }) => state === "open" || state === "doing");
	thread.failedForms = [];
	thread.ruleFiles = [];
	thread.approved = null;
	thread.awaited = {};
	thread.running = {};
	thread.queued = [];
	thread.closed = {};
	thread.note = null;
}

function shorten(order: ThreadOrder): void {
	order.text = cutWithEllipsis(order.text, OLD_ORDER_CHARS);
	if (order.outcome) order.outcome = { ...order.outcome, text: cutWithEllipsis(order.outcome.text, OLD_ORDER_CHARS) };
}

/** The oldest requests lose every other statement, then the rest of their words. The first request is usually the task. */
export function bound(thread: SessionThread): void {
	const { orders, orderCount } = thread;
	const rarer = Math.max(0, Math.floor(Math.log2(orders.length / BOUND_OFTEN_ORDERS)));
	if (orderCount % (BOUND_EVERY_ORDERS * 2 ** rarer) !== 0) return;
	if (orders.length > MAX_ORDERS) orders.splice(1, orders.length - MAX_ORDERS);
	let statements = orders.reduce((sum, order) => sum + order.statements.length, 0);
	let bytes = orders.reduce((sum, { text, outcome }) => sum + text.length + (outcome?.text.length ?? 0), 0);
	for (const [at, order] of orders.entries()) {
		if (statements <= MAX_SESSION_STATEMENTS && bytes <= MAX_WORDS_BYTES) return;
		if (statements > MAX_SESSION_STATEMENTS) {
			const kept = order.statements.filter((_, each) => each % 2 === 1);
			statements -= order.statements.length - kept.length;
			order.statements = kept;
		}
		if (bytes > MAX_WORDS_BYTES && at > 0) {
			const before = order.text.length + (order.outcome?.text.length ?? 0);
			shorten(order);
			bytes -= before - order.text.length - (order.outcome?.text.length ?? 0);
		}
	}
}
