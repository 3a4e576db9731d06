const DEFAULT_SECONDS = 300;

/** How long a resident stays after the last hook, by WEFT_RESIDENT_SECONDS. 0: there is none. */
export function residentSeconds(env: NodeJS.ProcessEnv): number {
	const seconds = Number(env["WEFT_RESIDENT_SECONDS"] || DEFAULT_SECONDS);
	return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 86_400) : DEFAULT_SECONDS;
}
