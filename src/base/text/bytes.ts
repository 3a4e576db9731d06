const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** `512 B`, `1.4 kB`, `23 MB`: decimal units, two significant digits where there is room for them. */
export function formatBytes(bytes: number): string {
	let value = bytes;
	let unit = 0;
	// 999.5 would be written as 1000 of its unit.
	while (Math.abs(value) >= 999.5 && unit < UNITS.length - 1) {
		value /= 1000;
		unit++;
	}
	const digits = unit > 0 && Math.abs(value) < 9.95 ? 1 : 0;
	return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** `12,345`: the same on every machine, whatever its locale. */
export function formatCount(count: number): string {
	return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 session`, `2 sessions`, `3 matches`. */
export function plural(count: number, one: string, many = `${one}s`): string {
	return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Numbers as people read them: the same on every machine, whatever its locale. */

/** `912`, `28.9k`, `100k`, `4.43M`. */
export function formatKilo(count: number): string {
	if (count < 1_000) return String(Math.round(count));
	if (count >= 999_950) return `${(count / 1e6).toFixed(2)}M`;
	return `${(count / 1_000).toFixed(1).replace(/\.0$/, "")}k`;
}

/** `12.3 %` of a share from 0 to 1; `–` where there is none. */
export function formatPercent(share: number | null): string {
	return share === null ? "–" : `${(share * 100).toFixed(1)} %`;
}

/** `$1.20`, `-$0.05`. */
export function formatDollars(amount: number): string {
	return `${amount < 0 ? "-" : ""}$${Math.abs(amount).toFixed(2)}`;
}
