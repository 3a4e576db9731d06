/**
 * A regular expression that runs in linear time (re2js) over texts of any length. Testing for a match is fast; locating it uses
 * an engine that may be a thousand times slower, so that one only sees a few lines.
 */
import type { RE2JS } from "re2js";
import { EngineError } from "../../base/error/engine-error.ts";
import type { TextRange } from "./types.ts";

const MAX_PATTERN_CHARS = 500;
const MAX_WINDOW_CHARS = 262_144;
const MIN_WINDOW_CHARS = 8_192;
/** Characters times instructions that the slow engine does in about one slice. */
const MAX_SLICE_WORK = 2_000_000;
const MAX_MARKS = 20;

export interface Pattern {
	/** A generator, so that the caller can pause between windows. Returns the first matches; undefined: none. */
	match(text: string): Generator<void, readonly TextRange[] | undefined>;
}

/** Throws `bad-pattern` with the reason for a pattern that cannot run. Loads the engine at its first use. */
export async function compilePattern(pattern: string, options: { readonly ignoreCase: boolean }): Promise<Pattern> {
	if (pattern.length > MAX_PATTERN_CHARS) {
		throw new EngineError(
			"bad-pattern",
			`The pattern has ${pattern.length} characters; at most ${MAX_PATTERN_CHARS} are allowed. Shorten it, or search for a literal part of it.`,
		);
	}
	const { RE2JS } = await import("re2js");
	let regex: RE2JS;
	try {
		regex = RE2JS.compile(pattern, RE2JS.MULTILINE | (options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
	} catch (cause) {
		throw new EngineError("bad-pattern", complaint(pattern, cause), { cause });
	}
	const size = regex.programSize();
	const window = Math.max(MIN_WINDOW_CHARS, Math.min(MAX_WINDOW_CHARS, Math.floor((MAX_SLICE_WORK * 4) / size)));
	// A match may depend on where the text begins and ends.
	const anchored = /[\^$]|\\[AzbB]/.test(pattern);
	return {
		*match(text) {
			for (const { start, end } of windows(text, window)) {
				const part = text.slice(start, end);
				if (regex.test(part)) {
					const ranges = locate(regex, part, size).map((range) => ({
						start: start + range.start,
						end: start + range.end,
					}));
					// An anchor may match at the edge of a window but not in the text: the whole text decides.
					const [first] = ranges;
					const atEdge = (first?.start === start && start > 0) || (first?.end === end && end < text.length);
					return atEdge && anchored && !regex.test(text) ? undefined : ranges;
				}
				yield;
			}
			return undefined;
		},
	};
}

/**
 * Cuts a long text into windows that begin and end at lines, unless a line is longer than a window. They overlap by a quarter: a
 * longer match across an edge may be missed.
 */
export function* windows(text: string, size: number): Generator<TextRange> {
	let start = 0;
	while (text.length - start > size) {
		const newline = text.lastIndexOf("\n", start + size - 1);
		const end = newline > start + size / 2 ? newline + 1 : start + size;
		yield { start, end };
		const lineStart = text.indexOf("\n", end - Math.floor(size / 4) - 1) + 1;
		start = lineStart > 0 && lineStart < end ? lineStart : end - Math.floor(size / 4);
	}
	yield { start, end: text.length };
}

/** The first matches in a text that matches. */
function locate(regex: RE2JS, text: string, size: number): readonly TextRange[] {
	const { start, end } = text.length * size <= MAX_SLICE_WORK ? { start: 0, end: text.length } : narrow(regex, text);
	// A huge line and a costly pattern: marks the whole line.
	if ((end - start) * size > MAX_SLICE_WORK * 4) return [{ start, end }];
	const ranges: TextRange[] = [];
	const matcher = regex.matcher(text.slice(start, end));
	while (ranges.length < MAX_MARKS && matcher.find()) {
		ranges.push({ start: start + matcher.start(), end: start + matcher.end() });
	}
	return ranges.length > 0 ? ranges : [{ start, end }];
}

/** The fewest lines from the first match on that match alone, by binary search with the fast engine. */
function narrow(regex: RE2JS, text: string): TextRange {
	const starts = [0];
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
	const edge = (line: number) => starts[line] ?? text.length;
	const last = smallest(1, starts.length, (line) => regex.test(text.slice(0, edge(line))));
	const first = smallest(0, last - 1, (back) => regex.test(text.slice(edge(last - 1 - back), edge(last))));
	return { start: edge(last - 1 - first), end: edge(last) };
}

/** The smallest number from `low` on for which `holds` is true; it is true for `high`. */
function smallest(low: number, high: number, holds: (n: number) => boolean): number {
	while (low < high) {
		const middle = Math.floor((low + high) / 2);
		if (holds(middle)) high = middle;
		else low = middle + 1;
	}
	return low;
}

function complaint(pattern: string, cause: unknown): string {
	const message =
		cause instanceof Error ? cause.message.replace("error parsing regexp: ", "").replace("`(?m)", "`") : String(cause);
	const linear = "patterns run in linear time, so that none can hang";
	if (/\(\?<?[=!]/.test(message)) {
		return `Lookahead and lookbehind are not supported (${linear}): ${pattern}. Match the surrounding text too.`;
	}
	if (/`\\[1-9k]/.test(message) || (message.includes("(?P") && pattern.includes("(?P="))) {
		return `Back-references are not supported (${linear}): ${pattern}. Spell out what repeats.`;
	}
	if (/\(\?>|nested repetition operator: `[*+?}]\+/.test(message)) {
		return `Atomic groups and possessive quantifiers are not supported, and not needed (${linear}): ${pattern}.`;
	}
	return `Invalid pattern: ${message}. To search for it as plain text, omit --regex.`;
}
