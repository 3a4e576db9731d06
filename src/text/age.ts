/** `just now`, `5m ago`, `2h ago`, `3d ago`: short, for lists that a model reads. The future is `just now` too. */
export function shortAge(ms: number, now: number): string {
	const seconds = Math.floor((now - ms) / 1000);
	for (const [size, unit] of [
		[86_400, "d"],
		[3_600, "h"],
		[60, "m"],
	] as const) {
		const count = Math.floor(seconds / size);
		if (count > 0) return `${count}${unit} ago`;
	}
	return "just now";
}
