/** Time by the processor, not by a clock: other programs on the machine do not count. */

/** Milliseconds that this process has worked so far. */
export function processorMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1_000;
}
