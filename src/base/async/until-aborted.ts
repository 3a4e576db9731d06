/** The result of the work, or a rejection as soon as the signal fires: work that ignores its signal is not waited for. */
export async function untilAborted<Value>(signal: AbortSignal, work: () => Value | Promise<Value>): Promise<Value> {
	signal.throwIfAborted();
	const aborted = Promise.withResolvers<never>();
	const stop = (): void => aborted.reject(signal.reason);
	signal.addEventListener("abort", stop, { once: true });
	try {
		return await Promise.race([work(), aborted.promise]);
	} finally {
		signal.removeEventListener("abort", stop);
	}
}
