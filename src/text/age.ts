const STEPS = [
	[86_400_000, "d"],
	[3_600_000, "h"],
	[60_000, "m"],
] as const;

/** `just now`, `5m ago`, `2h ago`, `3d ago`. Only for text that no cache is to keep: it differs with the clock. */
export function age(ms: number, now: number): string {
	for (const [size, unit] of STEPS) if (now - ms >= size) return `${Math.floor((now - ms) / size)}${unit} ago`;
	return "just now";
}

/** `40ms`, `1.2s`, `3m 20s`. */
export function span(ms: number): string {
	if (ms < 1_000) return `${Math.round(ms)}ms`;
	if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
	return `${Math.floor(ms / 60_000)}m ${Math.floor((ms % 60_000) / 1_000)}s`;
}
