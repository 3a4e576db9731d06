import { EngineError } from "../error/engine-error.ts";

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

const MAX_QUOTED_CHARS = 80;

/**
 * A point in time as people write it, in ms since the epoch: an ISO date or time, or a span back from `now` (`2w`).
 * Without a zone it is local time, as the timeline shows it; a date alone is its midnight.
 */
export function parseTime(text: string, now: number): number {
	const spanMs = tryDuration(text);
	if (spanMs !== undefined) return now - spanMs;
	const ms = isoTime(text.trim());
	if (ms !== undefined) return ms;
	throw new EngineError(
		"usage",
		`'${text.slice(0, MAX_QUOTED_CHARS)}' is not a time. Write a date (2026-11-15), a time (2026-11-15T09:30, with Z or +02:00 for a zone) or a span back from now (12h, 7d).`,
	);
}

/** `2026-11-15`, local time. */
export function formatDay(ms: number): string {
	return formatTime(ms).slice(0, 10);
}

/** `2026-11-15 09:30`, local time. */
export function formatMinute(ms: number): string {
	return formatTime(ms).slice(0, 16);
}

/** `2026-11-15 09:30:07`, local time. */
export function formatTime(ms: number): string {
	const at = new Date(ms);
	if (Number.isNaN(at.getTime())) return "unknown time";
	const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
	return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":")}`;
}

function isoTime(text: string): number | undefined {
	const match = ISO.exec(text);
	if (match === null) return undefined;
	const [, year, month, day, hour = "00", minute = "00", second = "00", zone = ""] = match;
	const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
	// Date would roll 30 February over into March; here it is a typing error.
	if (new Date(`${wall}Z`).toJSON()?.slice(0, 19) !== wall) return undefined;
	const ms = Date.parse(text.replace(" ", "T").length === 10 ? `${text}T00:00` : withColon(text, zone));
	return Number.isNaN(ms) ? undefined : ms;
}

function withColon(text: string, zone: string): string {
	const spelt = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
	return (
		text
			.slice(0, text.length - zone.length)
			.replace(" ", "T")
			.toUpperCase() + spelt
	);
}

function two(value: number): string {
	return String(value).padStart(2, "0");
}

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
