/**
 * Removes from an error what differs between two runs of the same failure: the project's folder, addresses, times,
 * durations, line numbers, ports, processes. Numbers that carry meaning stay: "expected 3, got 4" is not "got 5".
 * A change here changes every fingerprint, so raise the version.
 */
export const NORMALISER_VERSION = 1;

export interface NormaliseOptions {
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
