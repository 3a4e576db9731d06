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
