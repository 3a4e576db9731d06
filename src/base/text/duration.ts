const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A month is 30 days, a year 365: a span says how far back to look, it is not a calendar. */
const UNIT_MS: Readonly<Record<string, number>> = {
	h: HOUR_MS,
	d: DAY_MS,
	w: 7 * DAY_MS,
	m: 30 * DAY_MS,
	y: 365 * DAY_MS,
};

/** Milliseconds of a span like `12h`, `90d`, `2w`, `3m` or `1y`; undefined for any other text. */
export function tryDuration(text: string): number | undefined {
	const match = /^(\d{1,6})([hdwmy])$/i.exec(text.trim());
	const count = Number(match?.[1]);
	const unit = UNIT_MS[match?.[2]?.toLowerCase() ?? ""];
	return count > 0 && unit !== undefined ? count * unit : undefined;
}

/** `40ms`, `1.2s`, `3m 20s`, `2h`. */
export function formatDuration(ms: number): string {
	if (ms < 1_000) return `${Math.round(ms)}ms`;
	if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
	const [size, large, small] = ms < HOUR_MS ? [60_000, "m", "s"] : [HOUR_MS, "h", "m"];
	const rest = Math.floor((ms % size) / (size / 60));
	return `${Math.floor(ms / size)}${large}${rest === 0 ? "" : ` ${rest}${small}`}`;
}
