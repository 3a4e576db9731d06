/** Runs work that Ctrl-C or `kill` may end: the signal aborts, and the work finishes in order. */
export async function untilInterrupted<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
	const controller = new AbortController();
	const stop = (): void => controller.abort();
	process.once("SIGINT", stop);
	process.once("SIGTERM", stop);
	try {
		return await work(controller.signal);
	} finally {
		process.off("SIGINT", stop);
		process.off("SIGTERM", stop);
	}
}
