import { EngineError } from "../error/engine-error.ts";
import { tryDuration } from "./duration.ts";

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

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
		`'${text}' is not a time. Write a date (2026-11-15), a time (2026-11-15T09:30, with Z or +02:00 for a zone) or a span back from now (12h, 7d).`,
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
