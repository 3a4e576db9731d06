/**
 * The name of a failure: `bash:<command>:<8 hex>`. Each error has a hash of what a recogniser found (unit, class, message),
 * and the run has one of the set of its errors, so neither the order of parallel tests nor the mixing of stdout and stderr
 * matters. Without a recogniser the hash is made from the set of lines that report an error.
 */
import { posix } from "node:path";
import { sha256 } from "../../../base/hash/sha256.ts";
import type { CommandIdentity } from "../../../base/shell/identity.ts";
import type { Recognised, UnitError } from "./recognise/types.ts";
import type { ShellRun } from "./run-reading.ts";

/** One error of a run. */
export interface Mark {
	readonly id: string;
	readonly hash: string;
	/** The failed unit, normalised. null: the output does not say. */
	readonly unit: string | null;
	readonly file: string | null;
	readonly name: string | null;
	readonly class: string | null;
	/** The first line of the error, as printed. */
	readonly message: string;
}

export interface Fingerprint {
	/** The id of all errors together, or of the only one. */
	readonly id: string;
	readonly hash: string;
	readonly tool: string | null;
	readonly command: string;
	/** Relative to the root if it is inside. */
	readonly cwd: string;
	readonly normaliser: number;
	readonly marks: readonly Mark[];
}

const MAX_MESSAGE_CHARS = 300;

export function failureFingerprint(
	run: ShellRun,
	identity: CommandIdentity,
	lines: readonly string[],
	recognised: Recognised | null,
): Fingerprint {
	const cwd = placeOf(identity, run);
	const roots = [identity.cwd, run.cwd, run.root].filter((path) => path?.startsWith("/") === true) as string[];
	// One name for the shell, however an agent calls its tool: two agents share one failure.
	const name = `bash:${identity.command}`;
	const errors = recognised === null ? [] : recognised.errors;
	const marks =
		errors.length > 0
			? errors.map((error) => markOf(error, name, cwd, roots))
			: [plainMark(run, lines, name, cwd, roots)];
	const kept = [...new Map(marks.map((mark) => [mark.hash, mark])).values()].sort((a, b) => (a.hash < b.hash ? -1 : 1));
	const [only, ...others] = kept;
	const hash = only && others.length === 0 ? only.hash : hash8(kept.map((mark) => mark.hash));
	const tool = errors.length > 0 ? (recognised?.tool ?? null) : null;
	return {
		id: `${name}:${hash}`,
		hash,
		tool,
		command: identity.command,
		cwd,
		normaliser: NORMALISER_VERSION,
		marks: kept,
	};
}

/** The folder of a command, relative to the project's root. */
export function placeOf(identity: CommandIdentity, run: Pick<ShellRun, "cwd" | "root">): string {
	const root = run.root ?? run.cwd;
	if (root === undefined || !identity.cwd.startsWith("/")) return identity.cwd;
	const path = posix.relative(root, identity.cwd);
	return path === "" ? "." : path.startsWith("..") ? identity.cwd : path;
}

function markOf(error: UnitError, name: string, cwd: string, roots: readonly string[]): Mark {
	const unit = normalise(error.unit, { roots });
	const key = (error.key ?? error.message.slice(0, 1)).map((line) => normalise(line, { roots })).filter(Boolean);
	// Not every output names the class of a failed assertion.
	const kind = error.class === null || error.class === "AssertionError" ? "" : error.class;
	const hash = hash8([cwd, unit, kind, ...key]);
	return {
		id: `${name}:${hash}`,
		hash,
		unit,
		file: error.file === null ? null : normalise(error.file, { roots }),
		name: error.name,
		class: error.class,
		message: (error.message[0] ?? "").slice(0, MAX_MESSAGE_CHARS),
	};
}

function plainMark(run: ShellRun, lines: readonly string[], name: string, cwd: string, roots: readonly string[]): Mark {
	const errors = errorLines(lines);
	const set = [...new Set(errors.map((line) => normalise(line, { roots })).filter(Boolean))].sort();
	const hash = hash8([cwd, ...(set.length > 0 ? set : [`exit ${run.exit ?? "unknown"}`])]);
	const isReason = (line: string) => line.trim() !== "" && !NO_REASON.test(line);
	const reason = errors.find(isReason) ?? lines.findLast((line) => isReason(line) && !EMPTY.test(line));
	const silence = lines.some((line) => line.trim() !== "") ? "and no line says why" : "no output";
	const message = (reason?.trim() ?? `exit ${run.exit ?? "unknown"}, ${silence}`).slice(0, MAX_MESSAGE_CHARS);
	return { id: `${name}:${hash}`, hash, unit: null, file: null, name: null, class: null, message };
}

function hash8(parts: readonly string[]): string {
	return sha256(JSON.stringify([NORMALISER_VERSION, ...parts])).slice(0, 8);
}

/** In an output that no recogniser knows: lines that say what went wrong. */
const TELLING =
	/\b(?:error|errors|err!|fail|fails|failed|failure|failing|exception|fatal|panic|panicked|cannot|can't|could not|couldn't|unable|undefined|unresolved|unknown|not found|no such|denied|refused|unexpected|invalid|missing|abort|aborted|segmentation|killed|assert\w*|expected|mismatch|conflict|rejected|timed out|timeout|unsupported|illegal|must|duplicate|already|received|actual|got|want|which is|but was|issues|is not|are not|did not|does not|has no)\b|[✖✗✘×]/i;
/** A line that names the place, the test or the two values of an error nearby. */
const PLACE =
	/^\s*(?:\d+\) \S|(?:left|right|lhs|rhs)\s*:|on \S+ line \d+|\[(?:warn|error)\] \S)|^\S+\.[a-z]\w{0,5}:\d+:\d+(?: \S|$)/;
/** Lines that report a failure without saying which, or that name another log each time. */
const EMPTY =
	/^(?:npm (?:ERR!|error) (?:A complete log|errno|Lifecycle|Exit status|.*\.log$|path |command |workspace )|error Command failed with exit code|info Visit |\s*at \S|ELIFECYCLE|make(?:\[\d+\])?: (?:Entering|Leaving)|Node\.js v\d|\d+ (?:errors?|warnings?|failures?)(?: generated)?\.?$|\s*\S+\.(?:png|zip|log|txt|webm|html|xml)$|note: |warning: |hint: |\[\d+:0x\w+\] +\d+ ms: )/i;
/** What went well, and the command that a script runner repeats: no reason of a failure. */
const NO_REASON =
	/^\s*(?:\$ \S|> \S|(?:\[[\w:./-]+\]:? )?(?:found |with )?(?:0|no) (?:errors?|issues?|problems?|warnings?|failures?|failed|vulnerabilities)\b(?!.*\b[1-9])|.*\b(?:passed|succeeded|successful(?:ly)?|up to date)[.!]?$)/i;
const MAX_LINES = 60;
const MAX_TAIL_LINES = 5;

function errorLines(lines: readonly string[]): readonly string[] {
	const found: string[] = [];
	for (const [i, raw] of lines.entries()) {
		if (found.length >= MAX_LINES) break;
		const line = raw.replace(/^[│|] /, "");
		if (line.trim() === "" || EMPTY.test(line) || !(TELLING.test(line) || PLACE.test(line))) continue;
		found.push(withoutPrefix(line));
		// A heading announces the line below it.
		const next = lines[i + 1] ?? "";
		if (line.trimEnd().endsWith(":") && next.trim() !== "") found.push(withoutPrefix(next));
	}
	const specific = found.filter(
		(line) =>
			!/^(?:make(?:\[\d+\])?: \*\*\*|.*exited with code \d+$|.*exit(?:ed)? (?:code|status):? \d+\.?$)/i.test(line),
	);
	if (specific.length > 0) return specific;
	if (found.length > 0) return found;
	return lines.filter((line) => line.trim() !== "" && !EMPTY.test(line)).slice(-MAX_TAIL_LINES);
}

function withoutPrefix(line: string): string {
	return line
		.replace(/^npm (?:ERR!|error) /, "")
		.replace(/^\[\w+\] /, "")
		.replace(/^\s*\d+\) /, "");
}

/**
 * Removes from an error what differs between two runs of the same failure: the project's folder, addresses, times,
 * durations, line numbers, ports, processes. Numbers that carry meaning stay: "expected 3, got 4" is not "got 5".
 * A change here changes every fingerprint, so raise the version.
 */
export const NORMALISER_VERSION = 1;

interface NormaliseOptions {
	/** Folders whose paths become relative: the project's root, the folder a command ran in. */
	readonly roots?: readonly string[];
}

const MAX_LINE_CHARS = 1_000;

export function normalise(text: string, options: NormaliseOptions = {}): string {
	let line = text.slice(0, MAX_LINE_CHARS);
	for (const root of longestFirst(options.roots ?? []))
		line = line.replaceAll(`${root}/`, "").replaceAll(`${root}\\`, "");
	for (const [pattern, put] of RULES) line = line.replace(pattern, put);
	line = line.replace(PATH, (path, _file, at: number) =>
		path.startsWith("//") || (at > 0 && /[\w.<>]/.test(line.charAt(at - 1))) ? path : shortPath(path),
	);
	for (const [pattern, put] of PLACES) line = line.replace(pattern, put);
	return line.replace(/\s+/g, " ").trim();
}

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}";
const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}";

/** The more specific rules come first. */
const RULES: readonly (readonly [pattern: RegExp, put: string])[] = [
	[/file:\/\/(?=\/)/g, ""],
	[/^#\d{1,4} (?:\d{1,6}\.\d{1,6} )?/, ""],
	[/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<uuid>"],
	[/\b\d{4}-\d\d-\d\d[T _]\d\d[:_-]\d\d(?:[:_-]\d\d(?:[.,_]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?/g, "<time>"],
	[/\b\d{4}([-/])\d\d\1\d\d\b/g, "<date>"],
	[new RegExp(`\\b(?:${DAY},? )?${MONTH} \\d{1,2},? (?:\\d\\d:\\d\\d:\\d\\d )?(?:\\d{4}\\b)?`, "g"), "<date> "],
	[new RegExp(`\\b(?:${DAY},? )?\\d{1,2}[ /-]${MONTH}[ /-]\\d{4}\\b`, "g"), "<date>"],
	[/\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M\b)?/g, "<time>"],
	[/\b1[5-9]\d{8}(?:\d{3}|\.\d{1,9})?\b/g, "<time>"],
	[/\b0x[0-9a-f]{6,16}\b/gi, "<addr>"],
	[/(?<=[\w$\]])@[0-9a-f]{5,16}\b/g, "@<addr>"],
	[/\b(?=[0-9]{0,127}[a-f])(?=[a-f]{0,127}[0-9])[0-9a-f]{12,128}\b/gi, "<hex>"],
	[/\b(commit|sha|rev|revision|HEAD is now at|index) [0-9a-f]{7,11}\b/g, "$1 <hex>"],
	[/(localhost|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[[0-9a-f:]{2,40}\]|(?<!\w)::1?):\d{2,5}\b/g, "$1:<port>"],
	[/(?<=^|[\s"'(]):\d{4,5}\b/g, ":<port>"],
	[/\b(port)([ :=]{1,3})\d{2,5}\b/gi, "$1$2<port>"],
	[/\b(pid|tid|process id|process|ppid)([ :=#]{1,3})\d{1,10}\b/gi, "$1$2<id>"],
	[/\((node|pid):? ?\d{2,10}\)/g, "($1 <id>)"],
	[/==\d{2,10}==/g, ""],
	[/\b\d{3,10} +(?=(?:Segmentation fault|Killed|Aborted|Terminated|Bus error)\b)/g, ""],
	[/^(\[?[\w.-]{1,40})\[\d{2,10}\]:/, "$1:"],
	[/\b(goroutine|Thread|thread|worker|Worker|ForkPoolWorker|gw|pool|shard)([- #]?)\d{1,9}\b/g, "$1$2<id>"],
	[/('[^']{1,200}') \(\d{1,10}\) panicked/g, "$1 panicked"],
	[/\b(seed)([ :=]{1,3})\d{1,20}\b/gi, "$1$2<seed>"],
	[
		/\b(?:\d+(?:h|m|hr|min) ?){0,2}\d+(?:\.\d+)? ?(?:ms|msec|µs|μs|us|ns|secs?|seconds?|mins?|minutes?|hours?|milliseconds?)\b/gi,
		"<duration>",
	],
	[/\b(?:\d+h ?)?(?:\d+m ?)?\d+(?:\.\d+)?s\b/g, "<duration>"],
	[/\b\d+\.\d+ s\b/g, "<duration>"],
	[/\b\d+(?:\.\d+)?[mh]\b(?= |\)|$)/g, "<duration>"],
	[/^[IWEF]\d{4} <time>\s+\d{1,10} /, ""],
];

/** An absolute path, on Unix or Windows. */
const PATH = /(?:~|(?<![A-Za-z])[A-Za-z]:)?[\\/](?:[\w.@+~$%-]{1,120}[\\/]){0,40}([\w.@+~$%<>-]{1,120})?/g;

/** Lines and columns, after paths have been shortened. */
const PLACES: readonly (readonly [pattern: RegExp, put: string])[] = [
	[/(\.[A-Za-z]\w{0,7}|[\])>]|Makefile|Dockerfile|Rakefile|Gemfile)(?::\d{1,7}){1,2}(?![\w.])/g, "$1"],
	[/(\.[A-Za-z]\w{0,7}):?[([]\d{1,7}(?:[,:] ?\d{1,7}){0,3}[)\]]/g, "$1"],
	[/ ?\(\d{1,7}:\d{1,7}\)/g, ""],
	[/(\.[A-Za-z]\w{0,7})#L\d{1,7}(?:-L?\d{1,7})?/g, "$1"],
	[
		/\b(lines?|line number|ln|col|cols|column|columns|offset|position|char|character)([ :=#]{1,3})\d{1,9}(?:[-–]\d{1,9}|:\d{1,7})?\b/gi,
		"$1",
	],
	[/^[|│]?\s*>?\s*\d{1,7}(?:\s*[|│]|:\s)/, ""],
	[/[=_*~^─━═⎯#-]{4,}|\.{4,}/g, ""],
	[/<tmp>\/tmp[\w.-]{4,}/g, "<tmp>"],
];

const TEMP =
	/^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)\/|[\\/]Temp[\\/]|[\\/]te?mp[\\/](?:tmp|pytest|go-build|nix)/;
const ROOTS =
	/^(?:~|[A-Za-z]:|\/(?:private|home|Users|root|tmp|var|usr|opt|etc|mnt|media|work|workspace|workspaces|app|build|builds|github|srv|data|nix|Volumes|proc|run|lib|code|src|project|projects|repo|repos|runner|__w|go|Library|System|Applications|codebuild|drone|home2)[\\/])/;

/** Outside the roots only the file's name identifies a failure. A server's route is not a path. */
function shortPath(path: string): string {
	const name = path.split(/[\\/]/).at(-1) ?? "";
	const isFile = /\.[A-Za-z]\w{0,7}$/.test(name);
	if (TEMP.test(path)) return isFile && !/^tmp|\d{4,}/.test(name) ? `<tmp>/${name}` : "<tmp>";
	if (ROOTS.test(path)) return name === "" ? "<abs>" : `<abs>/${name}`;
	return isFile && /[\\/].*[\\/]/.test(path) ? `<abs>/${name}` : path;
}

function longestFirst(roots: readonly string[]): readonly string[] {
	return [...new Set(roots)]
		.filter((root) => root.length > 1 && root !== "..")
		.sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}
