/**
 * Tells the user's own sentences from what they pasted: logs, stack traces, code, listings. Sentences are kept whole; a paste
 * is cut to its first and last lines, so that a long one never takes the room of a rule.
 */

const MIN_PASTED_LINES = 4;
const HEAD_LINES = 4;
const TAIL_LINES = 3;
const MAX_LINE_CHARS = 300;
/** Of the first line of a paste, where it stands for the paste. */
const MAX_FIRST_CHARS = 100;
/** A line of this length without an end of a sentence is no prose. */
const MAX_PROSE_LINE_CHARS = 1_200;

/** Where something was left out. */
const CUT = /\[… (?:\d+ pasted lines …\]|cut; whole: )/;

/** Lines that a person does not type: prompts, times, stack frames, markup, code, rulers. */
const TYPED_BY_PROGRAM = [
	/^\S+@\S+ .{0,80}[%$#] \S/,
	new RegExp(`^${CUT.source}`),
	/^\s*(?:❯|➜|⏺|⎿|\$ |> |>>> |PS [A-Z]:|\+{1,2} |@@ )/,
	/^\s*\[?(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\d{1,2}\/\d{1,2}\/\d{2,4})/,
	/^\s*(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* +\d{1,2},? \d\d:\d\d/,
	/^\s*[{[]\s*["{[]/,
	/^\s*\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|error|warning|info)\b[\]:(]/,
	/^\s*(?:at .+[(:]\d|File ".+", line \d|Traceback|Caused by:|goroutine \d|panic:|\w+Error:)/,
	/^\s*(?:<\/?[\w-]+[ >/]|[{}[\]()]+[,;]?$|"[\w-]+":|\/\/|\/\*|\*\/|#include|import .+ from|export |const |let |var |function |def |class |return\b|if \(|for \()/,
	/[{};]\s*$|=>|\w\(.*\)\s*[;{]|[\w\])]\s*[!=]==?\s/,
	/^[\s|+=\-_*─━│┌└├╭╰█▁▂▃▄▅▆▇#.]{4,}$/,
	/^\s*[│|].*[│|]\s*$/,
	/^\[[\w.:-]+(?: [\w.:-]+){0,2}\] |^[\w./-]+:\d+(?::\d+)?:? /,
	/^\s*(?:[a-z][\w./-]*: ){2,}/,
	/https?:\/\/\S+.*\bhttps?:\/\//,
] as const;

interface TextPart {
	readonly isPaste: boolean;
	readonly lines: readonly string[];
}

/** True: it is not whole any more. */
export function isShortened(text: string): boolean {
	return CUT.test(text);
}

/** The text with every paste cut to its first and last lines. */
export function shortenPastes(text: string): string {
	return partsOf(text)
		.flatMap(({ isPaste, lines }) => (isPaste ? shortenLines(lines) : lines))
		.join("\n")
		.trim();
}

/** The user's sentences alone. */
export function proseOf(text: string): string {
	return splitPastes(text).typed;
}

/** `user@host folder % command`, `❯ command`: its output follows up to the next empty line. */
const PROMPT = /^\s*(?:❯|➜|\$ |PS [A-Z]:)|^\S+@\S+ .{0,80}[%$#] \S/;
/** A line that is set in, or opens with what a runner writes. */
const OUTPUT_FORM = /^(?:\s+\S|---|===|(?:FAIL|PASS|ok|not ok|✓|✗|×)(?!\p{L}))/u;
/** Marks alone on their lines around words of somebody else. */
const QUOTE_MARK = /^\s*(?:"{2,3}|'{2,3})\s*$/;
/** Places in files as programs link them, and lines that a terminal filled up with spaces. */
const [LINKED_PLACE, PADDED] = [/\]\(\/\S+:\d+\)|\[\/\S+:\d+\]/, /\S {20,}$/];
/** From this length on a terminal breaks a line; the next one is then set in. */
const MIN_WRAPPED_CHARS = 70;
const SET_IN = /^ {2,}(?![-*+•]|\d+[.)]\s)\S/;
/** Nobody types so many spaces before a sentence. */
const FAR_IN = /^(?: {6,}|\t{2,})(?![-*+•]|\d+[.)]\s)\S/;

/**
 * The lines that the user wrote: no logs, and no sentences of others either, which have the form of a terminal, of a quotation or of
 * a program's report.
 */
export function ownLines(text: string): string[] {
	const lines = proseOf(text).split("\n");
	const lastMark = lines.findLastIndex((line) => QUOTE_MARK.test(line));
	const own: string[] = [];
	let [isQuoted, isOutput, isWrapped] = [false, false, false];
	// Output goes on after an empty line as long as its lines have the form of output.
	let wasOutput = false;
	for (const [at, line] of lines.entries()) {
		if (QUOTE_MARK.test(line)) {
			isQuoted = !isQuoted && at < lastMark;
			continue;
		}
		if (line.trim() === "") {
			wasOutput ||= isOutput;
			isOutput = false;
		} else {
			isOutput ||= PROMPT.test(line) || (wasOutput && (OUTPUT_FORM.test(line) || isProgramLine(line)));
			wasOutput = false;
		}
		// A line belongs to a broken paragraph if it is set in itself, or the next one is and this one is long.
		isWrapped =
			(isWrapped && SET_IN.test(line)) || (line.length >= MIN_WRAPPED_CHARS && SET_IN.test(lines[at + 1] ?? ""));
		if (!isQuoted && !isOutput && !isWrapped && !FAR_IN.test(line) && !LINKED_PLACE.test(line) && !PADDED.test(line))
			own.push(line);
	}
	return own;
}

/** The user's sentences, and what they pasted. */
export function splitPastes(text: string): { readonly typed: string; readonly pasted: string } {
	const parts = partsOf(text);
	const join = (isPaste: boolean) =>
		parts
			.flatMap((part) => (part.isPaste === isPaste ? part.lines : []))
			.join("\n")
			.trim();
	return { typed: join(false), pasted: join(true) };
}

/** Characters of the lines that a person typed. One of Chinese, Japanese or Korean says as much as two letters. */
export function typedChars(text: string): number {
	const typed = text.split("\n").filter((line) => !isProgramLine(line));
	const joined = typed.join("").match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu);
	return typed.reduce((sum, line) => sum + line.trim().length, joined?.length ?? 0);
}

/** In a log, what went wrong; of many such lines the first ones, which often are the cause, and the last ones. */
const TELLING =
	/(?<!\b(?:0|no) )\b(?:error|fail(?:ed|ure)?|fatal|panic(?:ked)?|exception|denied|cannot|can't|could not|unable to|not found|no such|timed out|refused|unexpected|rejected)\b|[✗✖❌]/i;
const MAX_TELLING_PER_END = 2;
/** With a mark for each gap. */
const MAX_SHORT_LINES = HEAD_LINES + TAIL_LINES + 4 * MAX_TELLING_PER_END + 1;

/** The first and the last lines, and those between them that tell of a failure. */
function shortenLines(lines: readonly string[]): string[] {
	const cut = (line: string) =>
		line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : line;
	const left = lines.length - HEAD_LINES - TAIL_LINES;
	if (left <= 4 || (lines.length <= MAX_SHORT_LINES && lines.some(isShortened))) return lines.map(cut);
	const middle = lines.slice(HEAD_LINES, -TAIL_LINES);
	const telling = tellingLines(middle);
	const shown: string[] = [];
	let omitted = 0;
	const endGap = () => {
		if (omitted > 0) shown.push(`[… ${omitted} pasted lines …]`);
		omitted = 0;
	};
	for (const [at, line] of middle.entries()) {
		if (!telling.has(at)) {
			omitted++;
			continue;
		}
		endGap();
		shown.push(cut(line));
	}
	endGap();
	const whole = lines.map(cut);
	const short = [...whole.slice(0, HEAD_LINES), ...shown, ...whole.slice(-TAIL_LINES)];
	return short.join("\n").length < whole.join("\n").length ? short : whole;
}

/** What a paste alone says of itself: its first line, and those that tell of a failure. */
export function gistOfPaste(text: string): string[] {
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	const telling = tellingLines(lines);
	const cut = (line: string, chars: number) => (line.length > chars ? `${line.slice(0, chars).toWellFormed()}…` : line);
	return lines.flatMap((line, at) => {
		if (telling.has(at)) return [cut(line, MAX_LINE_CHARS)];
		return at === 0 ? [cut(line, MAX_FIRST_CHARS)] : [];
	});
}

/** Places of the lines that tell of a failure. The same with other numbers is told once. */
function tellingLines(lines: readonly string[]): ReadonlySet<number> {
	const distinct = new Map<string, number>();
	for (const [at, line] of lines.entries()) {
		const form = line.replaceAll(/[\da-f]*\d[\da-f]*/gi, "0");
		if (TELLING.test(line) && !distinct.has(form)) distinct.set(form, at);
	}
	const places = [...distinct.values()];
	return new Set([...places.slice(0, MAX_TELLING_PER_END), ...places.slice(-MAX_TELLING_PER_END)]);
}

function partsOf(text: string): TextPart[] {
	const parts: { isPaste: boolean; lines: string[] }[] = [];
	let fenced = false;
	const lines = text.split("\n");
	const labelled = labelledLines(lines);
	for (const [at, line] of lines.entries()) {
		const isFence = /^\s*(?:```|~~~)/.test(line);
		const isPaste: boolean = fenced || isFence || labelled.has(at) || isProgramLine(line);
		if (isFence) fenced = !fenced;
		const last = parts.at(-1);
		// An empty line belongs to what it follows.
		if (last && (last.isPaste === isPaste || line.trim() === "")) last.lines.push(line);
		else parts.push({ isPaste, lines: [line] });
	}
	return joinShort(parts);
}

/** `remote: Resolving deltas`: lines in a row that open with the same label. A person writes it once. */
function labelledLines(lines: readonly string[]): ReadonlySet<number> {
	const found = new Set<number>();
	let [from, label] = [0, ""];
	for (let at = 0; at <= lines.length; at++) {
		const own = /^\s*([\p{L}][\w./-]*:)(?=\s|$)/u.exec(lines[at] ?? "")?.[1] ?? "";
		if (own === label) continue;
		if (label !== "" && at - from >= MIN_PASTED_LINES) for (let line = from; line < at; line++) found.add(line);
		[from, label] = [at, own];
	}
	return found;
}

/** A few lines of program text inside prose are part of what the user says; so is one odd line inside a paste. */
function joinShort(parts: readonly TextPart[]): TextPart[] {
	const joined: { isPaste: boolean; lines: string[] }[] = [];
	for (const part of parts) {
		const isPaste = part.isPaste ? part.lines.length >= MIN_PASTED_LINES : false;
		const last = joined.at(-1);
		if (last && last.isPaste === isPaste) last.lines.push(...part.lines);
		else joined.push({ isPaste, lines: [...part.lines] });
	}
	return joined;
}

function isProgramLine(line: string): boolean {
	if (TYPED_BY_PROGRAM.some((shape) => shape.test(line))) return true;
	return line.length > MAX_PROSE_LINE_CHARS && !/[.!?。！？]\s/.test(line);
}
