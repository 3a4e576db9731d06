/**
 * Limits how much of a tool's result enters the conversation. A result is shortened once, before it is first sent, and
 * the whole text is one call away. Text that an agent may copy into an edit keeps its words: only line numbers go.
 * Limiting a limited result changes nothing.
 */
import { sha256 } from "../../base/hash/sha256.ts";
import { commandIdentity } from "../../base/shell/identity.ts";
import { plural } from "../../base/text/bytes.ts";
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import type { ToolClass } from "./tool-class.ts";

export interface LimitedCall {
	readonly class: ToolClass;
	/** For a shell. */
	readonly command?: string | undefined;
	/** The agent adds line numbers, echoes and reminders to results. */
	readonly isDecorated?: boolean | undefined;
}

export interface LimitedResult {
	readonly text: string;
	/** SHA-256 of the whole text, if some of it was left out. The caller stores that text. */
	readonly hash?: string | undefined;
}

/** Undefined: the result is fine as it is. */
export function limitToolResult(text: string, call: LimitedCall): LimitedResult | undefined {
	const kind = kindOf(call);
	if (kind === undefined) return undefined;
	const own = call.isDecorated ? withoutDecoration(text, kind) : text;
	const entered =
		kind === "command" ? enterCommand(own) : kind === "search" ? cap(own, marksOf(own), SEARCH) : undefined;
	return entered ?? (own === text ? undefined : { text: own });
}

type LimitedKind = "read" | "edit" | "command" | "search";

function kindOf({ class: of, command }: LimitedCall): LimitedKind | undefined {
	switch (of) {
		case "read":
			return "read";
		case "edit":
		case "write":
		case "patch":
			return "edit";
		case "exact-search":
			return "search";
		case "shell":
			return command === undefined ? "command" : kindOfCommand(command);
		default:
			return undefined;
	}
}

const SHOWING = new Set(["cat", "sed", "head", "tail", "nl", "less", "more", "bat", "awk", "git", "diff"]);
const SEARCHING = new Set(["grep", "egrep", "fgrep", "rg", "ag", "ack", "find", "fd", "ls", "tree"]);

/** A command that shows files is a way to read them. */
function kindOfCommand(command: string): LimitedKind | undefined {
	const { kind, parts } = commandIdentity(command);
	if (kind !== "looking") return "command";
	const names = parts.map(({ words }) => words[0] ?? "");
	if (names.some((name) => SHOWING.has(name))) return "read";
	return names.some((name) => SEARCHING.has(name)) ? "search" : "command";
}

function enterCommand(text: string): LimitedResult | undefined {
	const mark = marksOf(text);
	const own = withoutPassed(text, mark);
	return cap(own ?? text, mark, COMMAND) ?? (own === undefined ? undefined : { text: own, hash: mark.hash });
}

function withoutDecoration(text: string, kind: LimitedKind): string {
	const own = withoutReminders(text);
	return kind === "read" ? withoutNumbers(own) : kind === "edit" ? withoutEcho(own) : own;
}

/** Reminders that Claude Code repeats word for word after results. */
const REPEATED =
	/\n*<system-reminder>\s*(?:Whenever you read a file, you should consider|The TodoWrite tool hasn't been used|The task tools haven't been used)(?:(?!<\/?system-reminder>)[\s\S])*<\/system-reminder>\n*/g;

function withoutReminders(text: string): string {
	return text.includes("<system-reminder>") ? text.replace(REPEATED, "") : text;
}

const NUMBERED = /^ *(\d+)(?:→|\t)/;

/** Turns `  12→text` into `text`, as long as each line has the next number. */
function withoutNumbers(text: string): string {
	const first = NUMBERED.exec(text);
	if (!first) return text;
	const from = Number(first[1]);
	const lines = text.split("\n");
	const bare: string[] = [];
	for (const line of lines) {
		const numbered = NUMBERED.exec(line);
		if (!numbered || Number(numbered[1]) !== from + bare.length) break;
		bare.push(line.slice(numbered[0].length));
	}
	// A single numbered line may be part of a table.
	if (bare.length < 2 && lines.length > 1) return text;
	const rest = lines.slice(bare.length);
	return [...(from === 1 ? [] : [`[from line ${from}]`]), ...bare, ...rest].join("\n");
}

const LONG_ECHO_CHARS = 300;

/** The call already holds the edited text: the result need not repeat it. */
function withoutEcho(text: string): string {
	if (text.length <= LONG_ECHO_CHARS) return text;
	const echo = /(?:\.|^) ?Here's the result of running `cat -n` on a snippet of the edited file:\n/.exec(text);
	return echo ? `${text.slice(0, echo.index)}.` : text;
}

const PASSED =
	/^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)\b|--- PASS\b|PASS$|ok\s+\S+\s+(?:\(cached\)|[\d.]+s)|\?\s+\S+\s+\[no test files\]|[✓✔√] |ok \d+ - |PASS (?:\S+\/)?\S+\.\w+|\S+::\S+ PASSED\b|test \S+ \.\.\. ok$)/;
const FEW_PASSED_LINES = 8;

/** Undefined: too few lines report passed tests. */
function withoutPassed(text: string, mark: Marks): string | undefined {
	const lines = text.split("\n");
	const kept = lines.filter((line) => !PASSED.test(line));
	const passed = lines.length - kept.length;
	return passed > FEW_PASSED_LINES ? [mark.say(`${passed} lines of passed tests`), ...kept].join("\n") : undefined;
}

interface Shares {
	readonly tokens: number;
	readonly head: number;
	readonly tail: number;
}

const COMMAND: Shares = { tokens: 1_500, head: 0.3, tail: 0.45 };
const SEARCH: Shares = { tokens: 1_200, head: 0.8, tail: 0.1 };
/** A text that is only a little too long stays whole. */
const SLACK = 1.25;
/** Room for a line that marks a gap. */
const GAP_BYTES = 24;

const TELLING =
	/\b(?:error|fail(?:ed|ure|ures|ing|s)?|panic|exception|traceback|cannot|undefined|unexpected|expected|received|actual|warning|assert\w*)\b|^\s*(?:E {2,}|✗|✖|×|not ok\b|FAIL\b|--- FAIL)|^\s+at .+:\d+/i;

/** Keeps the head, the tail, and lines between them that report trouble. */
function cap(text: string, mark: Marks, { tokens, head, tail }: Shares): LimitedResult | undefined {
	const most = bytesOfTokens(tokens);
	if (Buffer.byteLength(text) <= most * SLACK) return undefined;
	const lines = text.split("\n");
	const kept = new Uint8Array(lines.length);
	let free = most;
	const take = (at: number): boolean => {
		if (at < 0 || at >= lines.length || kept[at]) return true;
		const bytes = Buffer.byteLength(lines[at] ?? "") + 1;
		if (bytes > free) return false;
		kept[at] = 1;
		free -= bytes;
		return true;
	};
	for (let at = 0; at < lines.length && free > most * (1 - head) && take(at); at++);
	const afterHead = free;
	for (let at = lines.length - 1; at >= 0 && free > afterHead - most * tail && take(at); at--);
	for (const [at, line] of lines.entries()) {
		if (kept[at] || !TELLING.test(line)) continue;
		free -= GAP_BYTES;
		take(at);
		take(at + 1);
	}
	const shortened = kept.includes(1) ? withGaps(lines, kept, mark) : "";
	const fits = shortened !== "" && Buffer.byteLength(shortened) <= most * SLACK;
	return { text: fits ? shortened : firstOf(text, most, mark), hash: mark.hash };
}

/** The kept lines, with a mark for each gap. */
function withGaps(lines: readonly string[], kept: Uint8Array, mark: Marks): string {
	const out: string[] = [];
	let gap = 0;
	const closeGap = () => {
		if (gap > 0) out.push(mark.say(`… ${plural(gap, "line")}`));
		gap = 0;
	};
	for (const [at, line] of lines.entries()) {
		if (!kept[at]) {
			gap++;
			continue;
		}
		closeGap();
		out.push(line);
	}
	closeGap();
	return out.join("\n");
}

/** For lines that are all too long: the first characters. */
function firstOf(text: string, bytes: number, mark: Marks): string {
	const head = Buffer.from(text)
		.subarray(0, bytes)
		.toString()
		.replace(/\ufffd+$/, "");
	return `${head}\n${mark.say("… the rest")}`;
}

interface Marks {
	/** SHA-256 of the whole text. */
	readonly hash: string;
	/** Renders a line that says what is missing. The first one says how to get it. */
	say(missing: string): string;
}

function marksOf(whole: string): Marks {
	const hash = sha256(whole);
	let isFirst = true;
	return {
		hash,
		say(missing) {
			const way = isFirst ? ` left out; lcm_expand("b-${hash.slice(0, 12)}") returns the whole text` : "";
			isFirst = false;
			return `[${missing}${way}]`;
		},
	};
}
