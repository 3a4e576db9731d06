/** Numbers and times as the pages show them. The locale is fixed, so that the page looks the same for every reader. */
import { type CostMarks, markCost } from "../../../view/cost-words.ts";

export const count = (x: number): string => Math.round(x).toLocaleString("en-US");
export const kilo = (x: number): string => {
	const [size, unit] = x >= 999_500 ? [x / 1e6, "M"] : [x / 1000, "k"];
	if (x < 1000) return String(Math.round(x));
	return `${size >= 99.95 ? Math.round(size) : size.toFixed(1).replace(/\.0$/, "")}${unit}`;
};
export const dollars = (x: number, digits?: number): string => {
	const size = Math.abs(x);
	return `${x < 0 ? "−" : ""}$${size.toFixed(digits ?? (size < 1 ? 4 : 2))}`;
};
export const percent = (share: number, digits = 1): string => `${(100 * share).toFixed(digits)} %`;
/** Local time, as the commands show it. */
const localTime = (ts: number): string => new Date(ts - new Date(ts).getTimezoneOffset() * 60_000).toISOString();
export const clock = (ts: number): string => localTime(ts).slice(11, 19);
export const clockMs = (ts: number): string => localTime(ts).slice(11, 23);
export const day = (ts: number): string => localTime(ts).slice(0, 10);
export const ago = (ts: number, now: number): string => {
	// The agent wrote no time.
	if (ts === 0) return "–";
	const s = Math.max(0, Math.round((now - ts) / 1000));
	if (s < 100) return `${s} s ago`;
	if (s < 6000) return `${Math.round(s / 60)} min ago`;
	if (s < 172_800) return `${Math.round(s / 3600)} h ago`;
	return day(ts);
};
export const bytes = (x: number): string =>
	x < 1000 ? `${x} B` : x < 1e6 ? `${(x / 1000).toFixed(0)} kB` : `${(x / 1e6).toFixed(1)} MB`;
export const many = (n: number, one: string, more = `${one}s`): string => `${count(n)} ${n === 1 ? one : more}`;
export const span = (ms: number): string => {
	if (ms < 1000) return `${Math.round(ms)} ms`;
	const s = ms / 1000;
	if (s < 60) return `${s.toFixed(1)} s`;
	const min = Math.round(s / 60);
	return min < 60 ? `${min} min` : `${Math.floor(min / 60)} h ${min % 60} min`;
};

/** Ends with an ellipsis where something was left out. */
export const shorten = (text: string, max: number): string =>
	text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;

const MAX_PATH_CHARS = 28;
/** The end of a long path: it says more than the beginning. */
export const pathEnd = (path: string): string => {
	if (path.length <= MAX_PATH_CHARS) return path;
	const end = path.slice(1 - MAX_PATH_CHARS);
	const from = end.indexOf("/");
	return `…${from === -1 ? end : end.slice(from)}`;
};

/** With its marks, as the commands show them. */
export const cost = ({ dollars: x, ...marks }: CostMarks & { readonly dollars: number }, digits?: number): string =>
	markCost(dollars(x, digits), marks);

/** Whose prices a cost is at. */
export const sourceOfCost = ({ estimated, assumed }: { estimated: boolean; assumed: boolean }): string => {
	if (assumed) return "at an assumed price";
	return estimated ? "at list prices" : "as the agent computed";
};

/** Money at a line of a chart. */
export const axisMoney = (x: number): string => (x === 0 ? "$0" : dollars(x, x < 10 ? 2 : 0));
