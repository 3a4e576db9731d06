/** Runs work that goes on until the user has seen enough; Ctrl-C and `kill` then end it in order. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
	const controller = new AbortController();
	const stop = (): void => controller.abort();
	process.once("SIGINT", stop);
	process.once("SIGTERM", stop);
	try {
		await work(controller.signal);
	} finally {
		process.off("SIGINT", stop);
		process.off("SIGTERM", stop);
	}
}
