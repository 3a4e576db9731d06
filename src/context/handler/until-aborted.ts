/** What the work yields, unless the signal fires first: a handler that does not listen must not hold up the agent. */
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
