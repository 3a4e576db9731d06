/** Outlines data: keys of JSON and YAML, columns of tables, headings, levels of logs. */

import { asObject } from "../../../base/json/read.ts";
import { formatCount, plural } from "../../../base/text/bytes.ts";
import { LEVEL, TIMESTAMP } from "./kind.ts";
import { linesOf } from "./lines.ts";

const MAX_KEYS = 60;
const MAX_KEY_DEPTH = 3;
const MAX_JSON_CHARS = 50_000_000;

export function* outlineJson(text: string): Generator<string> {
	let value: unknown;
	try {
		value = text.length > MAX_JSON_CHARS ? undefined : JSON.parse(text);
	} catch {
		// Cut off, or with line numbers. Its lines still show keys.
	}
	if (value === undefined) yield* outlineYaml(text);
	else yield* keysOf(value, "", 0);
}

export function* outlineJsonLines(text: string): Generator<string> {
	let records = 0;
	const shapes = new Map<string, number>();
	for (let start = 0; start < text.length; ) {
		const newline = text.indexOf("\n", start);
		const end = newline === -1 ? text.length : newline;
		if (end > start && ++records <= 1_000) {
			const shape = shapeOf(text.slice(start, end));
			if (shape !== undefined) shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
		}
		start = end + 1;
	}
	yield plural(records, "record");
	for (const [shape, count] of [...shapes].sort((one, other) => other[1] - one[1])) yield `${count}× {${shape}}`;
}

/** Keys by indentation. Skips block texts. */
export function* outlineYaml(text: string): Generator<string> {
	let blockIndent: number | undefined;
	for (const { number, offset, text: line } of linesOf(text)) {
		if (line.trim() === "") continue;
		const indent = line.length - line.trimStart().length;
		if (blockIndent !== undefined && indent > blockIndent) continue;
		blockIndent = undefined;
		const key = /^\s*(?:- )?("(?:[^"\\]|\\.){1,80}"|'[^']{1,80}'|[\w.$/@ -]{1,80}?)\s*:(?:\s+(.*))?$/.exec(line);
		if (!key || indent > MAX_KEY_DEPTH * 2) continue;
		if (/^[|>][+-]?\d?\s*$/.test(key[2] ?? "")) blockIndent = indent;
		yield `L${number} @${offset} ${" ".repeat(indent)}${key[1]}${key[2] ? `: ${key[2].slice(0, 60)}` : ""}`;
	}
}

export function* outlineTable(text: string): Generator<string> {
	const [head = ""] = text.slice(0, 100_000).split("\n", 1);
	const mark = ["\t", ";", ","].reduce(
		(best, each) => (head.split(each).length > head.split(best).length ? each : best),
		",",
	);
	const { rows, first } = countRows(text);
	const columns = splitRow(head.replace(/\r$/, ""), mark);
	yield `${plural(Math.max(0, rows - 1), "row")}, ${plural(columns.length, "column")}`;
	const sample = splitRow(first, mark);
	for (const [at, name] of columns.slice(0, MAX_KEYS).entries()) {
		const cell = sample[at]?.slice(0, 40).replace(/\s+/g, " ");
		yield `${name.trim().slice(0, 80)}${cell === undefined ? "" : ` (for example ${cell})`}`;
	}
	if (columns.length > MAX_KEYS) yield `+${columns.length - MAX_KEYS} more columns`;
}

export function* outlineMarkdown(text: string): Generator<string> {
	let fence: string | undefined;
	for (const { number, offset, text: line } of linesOf(text)) {
		const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
		if (mark !== undefined) fence = fence === undefined ? mark[0] : fence === mark[0] ? undefined : fence;
		else if (fence === undefined && /^#{1,6} \S/.test(line)) yield `L${number} @${offset} ${line.slice(0, 120)}`;
	}
}

export function* outlineLog(text: string): Generator<string> {
	const levels = new Map<string, number>();
	const errors: string[] = [];
	let [first, last] = ["", ""];
	for (const { number, offset, text: line } of linesOf(text)) {
		const time = TIMESTAMP.exec(line);
		if (time) {
			const stamp = line.slice(time.index, time.index + 19);
			first ||= stamp;
			last = stamp;
		}
		const level = LEVEL.exec(line)?.[1]?.toUpperCase();
		if (level === undefined) continue;
		levels.set(level, (levels.get(level) ?? 0) + 1);
		if (/ERROR|FATAL|CRITICAL|PANIC/.test(level) && errors.length < 20)
			errors.push(`L${number} @${offset} ${line.trim().slice(0, 160)}`);
	}
	if (first !== "") yield `from ${first.trim()} to ${last.trim()}`;
	for (const [level, count] of [...levels].sort((one, other) => other[1] - one[1]))
		yield `${level}: ${formatCount(count)}`;
	yield* errors;
}

function* keysOf(value: unknown, path: string, level: number): Generator<string> {
	if (Array.isArray(value)) {
		yield `${path || "(top)"}: ${plural(value.length, "item")}`;
		if (level < MAX_KEY_DEPTH && value.length > 0) yield* keysOf(value[0], `${path}[0]`, level + 1);
		return;
	}
	const object = asObject(value);
	if (!object) return yield `${path || "(top)"}: ${scalar(value)}`;
	const keys = Object.keys(object);
	if (path !== "" || keys.length > MAX_KEYS) yield `${path || "(top)"}: ${plural(keys.length, "key")}`;
	if (level >= MAX_KEY_DEPTH) return;
	for (const key of keys.slice(0, MAX_KEYS))
		yield* keysOf(object[key], path === "" ? key : `${path}.${key}`, level + 1);
}

function scalar(value: unknown): string {
	return typeof value === "string"
		? value.length > 40
			? `text of ${formatCount(value.length)} characters`
			: JSON.stringify(value)
		: String(value);
}

function shapeOf(line: string): string | undefined {
	try {
		const record = asObject(JSON.parse(line));
		return record && Object.keys(record).slice(0, 20).join(", ").slice(0, 200);
	} catch {
		return undefined;
	}
}

/** Rows may hold line breaks between quotes. */
function countRows(text: string): { rows: number; first: string } {
	let rows = 0;
	let first = "";
	let start = 0;
	let quoted = false;
	for (let at = 0; at <= text.length; at++) {
		const char = text.charCodeAt(at);
		if (char === 34) quoted = !quoted;
		if (at < text.length && (char !== 10 || quoted)) continue;
		if (at > start) rows++;
		if (rows === 2 && first === "") first = text.slice(start, Math.min(at, start + 2_000)).replace(/\r$/, "");
		start = at + 1;
	}
	return { rows, first };
}

function splitRow(row: string, mark: string): string[] {
	const cells: string[] = [];
	let cell = "";
	let quoted = false;
	for (const char of row) {
		if (char === '"') quoted = !quoted;
		else if (char === mark && !quoted) {
			cells.push(cell);
			cell = "";
		} else cell += char;
	}
	return [...cells, cell];
}
