/** How long ago something was. A time in the future, by a clock that differs, is `just now`. */
const STEPS = [
	[86_400_000, "day"],
	[3_600_000, "hour"],
	[60_000, "minute"],
] as const;

/** `just now`, `5 minutes ago`, `3 days ago`. */
export function formatAgo(ts: number, now: number): string {
	const [count, name] = ageOf(ts, now);
	return name === undefined ? "just now" : `${count} ${name}${count === 1 ? "" : "s"} ago`;
}

/** `just now`, `5m ago`, `2h ago`: for lists. */
export function shortAge(ts: number, now: number): string {
	const [count, name] = ageOf(ts, now);
	return name === undefined ? "just now" : `${count}${name[0]} ago`;
}

function ageOf(ts: number, now: number): readonly [count: number, name?: (typeof STEPS)[number][1]] {
	for (const [size, name] of STEPS) if (now - ts >= size) return [Math.floor((now - ts) / size), name];
	return [0];
}
