/**
 * Reads one run: did its commands pass, and if not, with which failures? The only place that reads and bounds a run's
 * output: the TestStatus event and the failures both come from it.
 */
import { exitMeaning, printedExit } from "../../../base/shell/exit.ts";
import { type CommandIdentity, commandIdentity } from "../../../base/shell/identity.ts";
import { findOutputExtent, type SearchedWords, searchedWords } from "../../../base/shell/output.ts";
import type { Payload } from "../../../log/event/types.ts";
import type { MessageView } from "../../../message/view.ts";
import { type Fingerprint, failureFingerprint, placeOf } from "./fingerprint.ts";
import { RECOGNISERS, recognise } from "./recognise/recognise.ts";
import type { Recognised } from "./recognise/types.ts";

export interface ShellRun {
	readonly command: string;
	/** Where the shell started. */
	readonly cwd?: string | undefined;
	/** The project's root; default: where the shell started. */
	readonly root?: string | undefined;
	/** Null: not known. */
	readonly exit: number | null;
	readonly output: string;
}

export interface RunReading {
	readonly identity: CommandIdentity;
	/** Where it ran, relative to the root. */
	readonly cwd: string;
	/** Commands that only look have no status: a `grep` that finds nothing is an answer. */
	readonly status: "pass" | "fail" | "unknown";
	/** The tool that ran, by its output or else by its name. */
	readonly tool: string | null;
	readonly recognised: Recognised | null;
	/** For a run that failed. */
	readonly fingerprint: Fingerprint | null;
	/** The output names everything that failed: the rest has passed. */
	readonly whole: boolean;
	/** The exit status is hidden, but no error was printed. A tool that lists every error has passed then. */
	readonly silent: boolean;
	/** Words that the output of a tool which lists every error was searched for, and that it does not have. */
	readonly absent: SearchedWords | null;
	/** It printed a few lines at most: a call that was refused before it did anything looks so. */
	readonly brief: boolean;
}

/** These list every error and print no total. */
export const LISTS_ALL: ReadonlySet<string> = new Set(["tsc", "eslint"]);

export function readRun(given: ShellRun): RunReading {
	const run = { ...given, output: boundOutput(given.output) };
	const identity = commandIdentity(run.command, { cwd: run.cwd });
	const cwd = placeOf(identity, run);
	if (identity.kind !== "work" && identity.kind !== "chore") {
		return {
			identity,
			cwd,
			status: "unknown",
			tool: null,
			recognised: null,
			fingerprint: null,
			whole: false,
			silent: false,
			absent: null,
			brief: false,
		};
	}
	const lines = readLines(run.output);
	const recognised = recognise(lines, identity.command);
	const tool = recognised?.tool ?? toolByName(identity.command) ?? lines.map(scriptTool).find(Boolean) ?? null;
	const known = neverBegan(identity, lines, recognised) ? "unknown" : statusOf(run, identity, lines, recognised);
	const silent = known === "unknown" && recognised === null && isSilent(run, lines);
	const status = silent && tool !== null && LISTS_ALL.has(tool) ? "pass" : known;
	let fingerprint: Fingerprint | null | undefined;
	return {
		identity,
		cwd,
		status,
		tool,
		recognised,
		// Computed lazily: a status needs it only if no error was recognised.
		get fingerprint() {
			fingerprint ??= status === "fail" ? failureFingerprint(run, identity, lines, recognised) : null;
			return fingerprint;
		},
		whole: status === "fail" && !STOPS_EARLY.test(run.command) && isWhole(run, recognised),
		silent,
		absent: tool !== null && LISTS_ALL.has(tool) && foundNothing(run, lines) ? searchedWords(run.command) : null,
		brief: lines.filter((line) => line.trim() !== "" && !AGENTS_LINE.test(line)).length <= MAX_BRIEF_LINES,
	};
}

const MAX_BRIEF_LINES = 4;
/** Lines that agents put before what a command printed. */
const AGENTS_LINE =
	/^(?:Exit code \d+$|Chunk ID: |Wall time: |Process exited with code |Original token count: |Output:$|Command: )/;

/** A shell names the program that it does not find: `zsh:1: command not found: go`, `sh: 1: go: not found`. */
const NOT_FOUND = /\bcommand not found: (\S+)\s*$|(?:^|[\s:])(\S+): (?:command )?not found\s*$/;
const NO_FOLDER = /(?:^|[:\s])cd:.*no such file or directory/i;
const USAGE = /^\s*(?:error:\s*)?usage(?: of \S+)?:/i;

/**
 * The line's own commands were not tried: the shell did not find them or their folder, or they only told how they are called. A
 * script that does not find a program of its own is a failure like any other.
 */
function neverBegan({ parts }: CommandIdentity, lines: readonly string[], recognised: Recognised | null): boolean {
	if (parts.length > 0 && parts.every(({ words }) => words.includes("--help") || words[1] === "help")) return true;
	if (recognised !== null) return false;
	return lines.some((line) => {
		const [, first, second] = NOT_FOUND.exec(line) ?? [];
		const missing = first ?? second;
		if (missing !== undefined && parts.some(({ words }) => words[0] === missing)) return true;
		return NO_FOLDER.test(line) || USAGE.test(line);
	});
}

const INTERRUPTED = 130;
const STOPS_EARLY =
	/(?:^|\s)(?:-x|--exitfirst|--maxfail\S*|--bail\S*|-b|-failfast|--fail-fast|--lf|--last-failed|--sw|--failfast)(?=\s|=|$)|\bunittest\s(?:.*\s)?-f(?=\s|$)/;
function statusOf(
	run: ShellRun,
	{ parts, alters }: CommandIdentity,
	lines: readonly string[],
	recognised: Recognised | null,
): RunReading["status"] {
	const meaning = exitMeaning(run.command);
	if (run.exit === INTERRUPTED) return "unknown";
	// A run without tests proves nothing, whatever its exit.
	if (run.exit === 0 && ranNothing(run, recognised)) return "unknown";
	if (run.exit === 0 && meaning.zero === "pass") return "pass";
	if (run.exit !== null && run.exit !== 0 && meaning.nonzero === "fail") return "fail";
	const told = printedExit(run.command, run.output);
	if (told !== null) return told === 0 ? "pass" : "fail";
	if (recognised) return recognised.status;
	// `git stash && npm run lint | tail -3 && git stash pop` is about other files.
	return run.exit === 0 && parts.length === 1 && !alters && countsNoError(lines) ? "pass" : "unknown";
}

const NO_ERROR = /(?:^|[^\d.])0 (?:errors?|issues?|problems?|failures?)\b|\bno fixes applied\b/i;
const SOME_ERROR =
	/(?:^|[^\d.])[1-9]\d* (?:errors?|issues?|problems?|failures?|failed)\b|\berror[:[]|\b(?:FAIL|ERROR)|\bexited with code [1-9]|×/;

/** The end of the output has a total: `0 issues.`, also behind a pipe that hides the exit status. */
function countsNoError(lines: readonly string[]): boolean {
	return lines.some((line) => NO_ERROR.test(line)) && !lines.some((line) => SOME_ERROR.test(line));
}

const TEST_TOOLS = new Set(["jest", "vitest", "node:test", "go test", "pytest", "cargo test"]);
const NOTHING_RAN =
	/^(?:No tests? (?:files? )?found|no tests ran|collected 0 items|testing: warning: no tests to run|\[INFO\] No tests to run|running 0 tests$|\?\s+\S+\s+\[no test files\])/im;

function ranNothing({ output }: ShellRun, recognised: Recognised | null): boolean {
	if (recognised === null) return NOTHING_RAN.test(output);
	// Maven builds too: only its own words say that no test ran.
	if (recognised.tool === "python") return /^Ran 0 tests in /m.test(output);
	if (recognised.tool === "mvn") return recognised.passed.count === null && NOTHING_RAN.test(output);
	if (!TEST_TOOLS.has(recognised.tool)) return false;
	if (recognised.status === "unknown") return true;
	return recognised.passed.count === 0 && recognised.passed.names.length === 0 && recognised.status === "pass";
}

function isWhole(run: ShellRun, recognised: Recognised | null): boolean {
	if (recognised === null || recognised.errors.length === 0) return false;
	// Errors of its settings alone: the checker looked at no file.
	if (LISTS_ALL.has(recognised.tool) && recognised.errors.every(({ file }) => file === null)) return false;
	// Where the syntax is wrong anywhere, the compiler does not check any types.
	if (recognised.tool === "tsc" && recognised.errors.every(({ class: code }) => /^TS1\d{3}$/.test(code ?? "")))
		return false;
	return recognised.whole || (LISTS_ALL.has(recognised.tool) && findOutputExtent(run.command, run.output) !== "part");
}

function isSilent(run: ShellRun, lines: readonly string[]): boolean {
	if (run.exit === null || run.exit === INTERRUPTED || findOutputExtent(run.command, run.output) === "part")
		return false;
	return !lines.some((line) => /error|fail|cannot|not found|✖|×/i.test(line));
}

/** Some agents say so in words. */
const NO_OUTPUT = /^\(.*\bno output\)$/i;

function foundNothing({ exit }: ShellRun, lines: readonly string[]): boolean {
	const isNothing = (line: string) => line.trim() === "" || NO_OUTPUT.test(line.trim()) || AGENTS_LINE.test(line);
	return exit === 1 && lines.every(isNothing);
}

function toolByName(command: string): string | null {
	return RECOGNISERS.find((one) => one.hint.test(command))?.tool ?? null;
}

/** npm prints the script that it runs: `> tsc --noEmit`. */
function scriptTool(line: string): string | null {
	return line.startsWith("> ") ? toolByName(line.slice(2)) : null;
}

/** Agents show models far less than this. */
const MAX_CHARS_PER_END = 100_000;

/** Outputs of the runs in a message, bounded, by call id. "" is a command that the user ran by hand. */
export function outputsOf(view: MessageView): Map<string, string> {
	const outputs = new Map<string, string>();
	if (view.command) outputs.set("", boundOutput(view.command.output));
	for (const block of view.blocks) if (block.kind === "result") outputs.set(block.callId, boundOutput(block.text));
	return outputs;
}

/** Keeps both ends: tools print what they run first, and what failed last. Bounding a bounded text changes nothing. */
function boundOutput(text: string): string {
	if (text.length <= 2 * MAX_CHARS_PER_END + 1) return text;
	return `${text.slice(0, MAX_CHARS_PER_END)}\n${text.slice(-MAX_CHARS_PER_END)}`.toWellFormed();
}

const MAX_NAMES = 100;
/** These recognisers cannot tell whether a test or a check passed. */
const NO_CHECK = new Set(["diagnostics", "python", "stack"]);

/** The TestStatus event of a run. null: the run is not a known test or check. */
export function testStatus(run: ShellRun): Payload<"TestStatus"> | null {
	const reading = readRun(run);
	const { tool, status, recognised, identity } = reading;
	if (tool === null || NO_CHECK.has(tool)) return null;
	const of = { command: identity.command, status };
	if (status !== "fail") return { ...of, failed: [] };
	const firstError = recognised?.firstError ?? reading.fingerprint?.marks[0]?.message;
	const failed = recognised?.failed.slice(0, MAX_NAMES) ?? [];
	return firstError === undefined ? { ...of, failed } : { ...of, failed, firstError };
}

/** Output as lines for recognisers: no colours, no carriage returns, no line long enough to slow a pattern down. */

const MAX_LINE_CHARS = 2_000;
const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
/** Colours and cursor moves, titles and links, and the short ones. */
const ESCAPES = new RegExp(
	[
		`${ESC}\\[[0-9;:?<=>]*[ -/]*[@-~]`,
		`${ESC}\\][^${BEL}${ESC}]{0,4000}(?:${BEL}|${ESC}\\\\)?`,
		`${ESC}[()][0-9A-Z]`,
		`${ESC}[=>@-Z\\\\^_]`,
	].join("|"),
	"g",
);

export function readLines(text: string): readonly string[] {
	return text
		.replace(ESCAPES, "")
		.split("\n")
		.map((line) => lastPaint(line).slice(0, MAX_LINE_CHARS));
}

/** A progress line overwrites itself with carriage returns: only the last part is visible. */
function lastPaint(line: string): string {
	const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
	const at = bare.lastIndexOf("\r");
	return at < 0 ? bare : bare.slice(at + 1);
}
