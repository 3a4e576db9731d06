/** How long a page blocks its main thread, in CPU time, so that other work on the machine does not count. */
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";

interface TraceEvent {
	readonly name: string;
	readonly ph: string;
	readonly pid: number;
	readonly tid: number;
	/** Microseconds of CPU time. */
	readonly tdur?: number;
	readonly args?: { readonly name?: string };
}

/** The longest task of the main thread during `work`, in milliseconds. */
export async function longestTask(browser: Browser, page: Page, work: () => Promise<void>): Promise<number> {
	await browser.startTracing(page, { categories: ["toplevel"] });
	await work();
	const { traceEvents } = JSON.parse((await browser.stopTracing()).toString("utf8")) as {
		traceEvents: readonly TraceEvent[];
	};
	const thread = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
	const main = new Set(
		traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain").map(thread),
	);
	const tasks = traceEvents.flatMap((event) =>
		event.ph === "X" && event.name.endsWith("RunTask") && main.has(thread(event)) && event.tdur !== undefined
			? [event.tdur / 1_000]
			: [],
	);
	assert.ok(tasks.length > 20, `the browser traced ${tasks.length} tasks`);
	return tasks.reduce((longest, each) => Math.max(longest, each), 0);
}
