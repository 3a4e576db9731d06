/**
 * Which lines of which files a shell command prints: `cat`, `sed -n`, `nl`, `head`, `tail`, `grep -n`, `rg -n`, `git diff`,
 * alone, in pipes and one after another. Reads the command line and its output, never the disk. A part of the output counts only
 * where the line leaves no doubt to which file and which lines it belongs; the rest is left out.
 */
import { changeFolder, parseCommand } from "./parse.ts";
import type { ShellNode, SimpleCommand } from "./types.ts";
import { unwrap } from "./unwrap.ts";

export interface PrintedLines {
	/** As written, after the `cd`s before it. */
	readonly path: string;
	/** First line, from 1. */
	readonly from: number;
	readonly lines: readonly string[];
	/** A search found these lines, or a diff has them; the command did not ask for them by their place. */
	readonly isMatch: boolean;
}

/** Lines that the files of a command print; null: to the end of the file. */
type Stretch = readonly [from: number, to: number | null];

/** The output of one pipe. */
type Part =
	| { readonly kind: "text"; readonly lines: readonly string[] }
	| {
			readonly kind: "file";
			readonly path: string;
			readonly stretches: readonly Stretch[];
			/** `nl` or `cat -n` writes a number before each line; the line of the file is this much higher. */
			readonly numbered: number | undefined;
	  }
	/** `path`: the only file that was searched, so that its name is not printed. */
	| { readonly kind: "matches"; readonly path: string | undefined; readonly cwd: string }
	/** `git diff` shows the lines of the new files with their numbers. */
	| { readonly kind: "diff"; readonly cwd: string }
	/** Between two commands whose outputs were put together: perhaps an empty line. */
	| { readonly kind: "gap" }
	| { readonly kind: "unknown" };

const SHOWING: ReadonlySet<Part["kind"]> = new Set(["file", "matches", "diff"]);
const MAX_PARTS = 64;
const MAX_OUTPUT_LINES = 20_000;

/** The commands in the order of their output. */
export function linesPrintedBy(commands: readonly string[], output: string): PrintedLines[] {
	const parts = commands.flatMap((command, at) => [...(at === 0 ? [] : [GAP]), ...partsOf(command)]);
	if (parts.length > MAX_PARTS || !parts.some(({ kind }) => SHOWING.has(kind))) return [];
	const lines = output.split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines.length > MAX_OUTPUT_LINES ? [] : new PartReader(parts, lines).read();
}

function partsOf(command: string): Part[] {
	const line = parseCommand(command);
	if (!line.parsed || line.groupRedirects.length > 0) return [UNKNOWN];
	return partsIn(line.tree);
}

const UNKNOWN: Part = { kind: "unknown" };
const GAP: Part = { kind: "gap" };

function partsIn(node: ShellNode): Part[] {
	switch (node.kind) {
		case "simple":
			return pipeParts([node.command]);
		case "pipe": {
			const stages = node.stages.flatMap((stage) => (stage.kind === "simple" ? [stage.command] : []));
			return stages.length === node.stages.length ? pipeParts(stages) : [UNKNOWN];
		}
		case "chain":
			// The command after `||` runs only if the one before it fails, and then prints instead of it.
			return node.nodes.flatMap((part, at) => {
				const own = partsIn(part);
				return node.operators[at - 1] === "||" && own.length > 0 ? [UNKNOWN] : own;
			});
		case "list":
			return node.items.flatMap(({ node: item, background }) => (background ? [UNKNOWN] : partsIn(item)));
		case "block":
			return [UNKNOWN];
	}
}

const SILENT = new Set(["cd", "set", "export", "unset", "true", ":", "mkdir", "touch", "test", "[", "sleep", "pushd"]);

/** Empty: the pipe prints nothing. */
function pipeParts(stages: readonly SimpleCommand[]): Part[] {
	const [first, ...filters] = stages;
	if (!first || stages.some(isSentAway)) return filters.length === 0 && first && isSentAway(first) ? [] : [UNKNOWN];
	const { words } = unwrap(first.words);
	const [name = ""] = words;
	if (name === "" || SILENT.has(name)) return filters.length === 0 ? [] : [UNKNOWN];
	let parts = sourceParts(words, first);
	for (const filter of filters) parts = parts.length === 1 ? [filtered(parts[0] ?? UNKNOWN, filter)] : [UNKNOWN];
	return parts;
}

/** The output goes into a file. */
function isSentAway({ redirects }: SimpleCommand): boolean {
	return redirects.some(
		({ operator, fd, target }) => operator.includes(">") && fd !== 2 && !/^[&\d-]+$|^\/dev\/std/.test(target),
	);
}

function sourceParts(words: readonly string[], command: SimpleCommand): Part[] {
	const [name = ""] = words;
	if (name === "echo" || name === "printf") return [printedText(words)];
	if (name === "git") return [isDiff(words) ? { kind: "diff", cwd: command.cwd } : UNKNOWN];
	const input = command.redirects.find(({ operator }) => operator === "<")?.target;
	const { options, operands } = splitWords(words, VALUED[name] ?? "");
	const place = (path: string) => (isPlain(path) ? changeFolder(command.cwd, path) : undefined);
	if (SEARCHES.has(name)) return [searchPart(name, options, operands, command.cwd)];
	const scripts = name === "sed" ? sedScripts(options, operands) : undefined;
	const paths = [...(scripts?.paths ?? operands), ...(input === undefined ? [] : [input])].map(place);
	if (paths.length === 0 || paths.includes(undefined)) return [UNKNOWN];
	// Several files have a headline each in `head` and `tail`, and are numbered as one in `nl` and `sed`.
	if (paths.length > 1 && name !== "cat") return [UNKNOWN];
	return paths.map((path = "") => {
		const whole: Part = { kind: "file", path, stretches: [[1, null]], numbered: undefined };
		return limited(whole, name, options, scripts?.ranges);
	});
}

/** Options of `git diff` after which it prints no diff, or one without the usual names. */
const OTHER_DIFF = /^--(?:stat|numstat|shortstat|name-only|name-status|summary|check|word-diff|no-prefix|relative|raw)/;

function isDiff(words: readonly string[]): boolean {
	const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
	return words[at] === "diff" && !words.some((word) => OTHER_DIFF.test(word));
}

function filtered(part: Part, command: SimpleCommand): Part {
	const { words } = unwrap(command.words);
	const [name = ""] = words;
	const { options, operands } = splitWords(words, VALUED[name] ?? "");
	if (part.kind === "matches") {
		const isRenumbered = SEARCHES.has(name) && options.some(isNumbering);
		return MATCH_FILTERS.has(name) && !isRenumbered ? part : UNKNOWN;
	}
	if (part.kind !== "file") return UNKNOWN;
	if (SEARCHES.has(name)) {
		// Lines that carry their number stay readable. Otherwise the search numbers the lines that it is fed.
		if (part.numbered !== undefined) return options.some(isNumbering) ? UNKNOWN : part;
		return isFromTop(part) ? searchPart(name, options, [operands[0] ?? "", part.path], ".") : UNKNOWN;
	}
	const scripts = name === "sed" ? sedScripts(options, operands) : undefined;
	if ((scripts?.paths ?? operands).length > 0) return UNKNOWN;
	return limited(part, name, options, scripts?.ranges);
}

function isFromTop({ stretches }: Extract<Part, { kind: "file" }>): boolean {
	return stretches.length === 1 && stretches[0]?.[0] === 1;
}

/** The part of its lines that a command passes on. */
function limited(
	part: Extract<Part, { kind: "file" }>,
	name: string,
	options: readonly Option[],
	ranges: readonly Stretch[] | undefined,
): Part {
	const [own, ...others] = part.stretches;
	if (!own || others.length > 0) return UNKNOWN;
	switch (name) {
		case "cat": {
			const isPlainCat = options.every(({ flag }) => flag === "-n" || flag === "--number");
			if (!isPlainCat) return UNKNOWN;
			return options.length === 0 ? part : { ...part, numbered: own[0] - 1 };
		}
		case "nl": {
			const isAll = options.some(({ flag, value }) => flag === "-b" && value === "a");
			const isPlainNl = options.every(({ flag }) => flag === "-b" || flag === "-w");
			return isAll && isPlainNl ? { ...part, numbered: own[0] - 1 } : UNKNOWN;
		}
		case "sed":
			return ranges ? { ...part, stretches: ranges.map((range) => within(own, range)) } : UNKNOWN;
		case "head":
		case "tail": {
			const count = countOf(options);
			if (count === undefined) return UNKNOWN;
			if (name === "head") return count.sign === "" ? { ...part, stretches: [within(own, [1, count.lines])] } : UNKNOWN;
			if (count.sign === "+") return { ...part, stretches: [within(own, [count.lines, null])] };
			// Where the last lines begin is known only if they are numbered.
			return part.numbered === undefined ? UNKNOWN : part;
		}
		default:
			return UNKNOWN;
	}
}

/** A stretch of a stretch. */
function within([first, last]: Stretch, [from, to]: Stretch): Stretch {
	const end = to === null ? last : Math.min(first + to - 1, last ?? Number.POSITIVE_INFINITY);
	return [first + from - 1, end];
}

interface Option {
	readonly flag: string;
	readonly value?: string | undefined;
}

/** Options that take a value, as one letter each. */
const VALUED: Readonly<Record<string, string>> = {
	head: "nc",
	tail: "nc",
	nl: "bwsvidf",
	sed: "ef",
	grep: "ABCemf",
	egrep: "ABCemf",
	fgrep: "ABCemf",
	rg: "ABCegtTmfjMdE",
};

function splitWords(words: readonly string[], valued: string): { options: Option[]; operands: string[] } {
	const options: Option[] = [];
	const operands: string[] = [];
	for (let at = 1; at < words.length; at++) {
		const word = words[at] ?? "";
		if (word === "--") {
			operands.push(...words.slice(at + 1));
			break;
		}
		if (word === "-" || !word.startsWith("-")) operands.push(word);
		else if (word.startsWith("--")) {
			const [flag = "", value] = word.split(/=(.*)/s);
			options.push({ flag, value });
		} else if (/^-\d+$/.test(word)) options.push({ flag: "-n", value: word.slice(1) });
		else at += readLetters(word, words[at + 1], valued, options);
	}
	return { options, operands };
}

/** `-rn`, `-C3`, `-n 20`; returns how many of the words after it belong to it. */
function readLetters(word: string, next: string | undefined, valued: string, options: Option[]): number {
	for (let at = 1; at < word.length; at++) {
		const letter = word[at] ?? "";
		if (!valued.includes(letter)) {
			options.push({ flag: `-${letter}` });
			continue;
		}
		const rest = word.slice(at + 1);
		options.push({ flag: `-${letter}`, value: rest === "" ? next : rest });
		return rest === "" ? 1 : 0;
	}
	return 0;
}

/** `-n 20`, `-20`, `-n +5`, `--lines=20`; ten by default. */
function countOf(options: readonly Option[]): { readonly sign: string; readonly lines: number } | undefined {
	const [option, ...others] = options.filter(({ flag }) => flag !== "-q" && flag !== "--quiet");
	if (!option) return { sign: "", lines: 10 };
	const [, sign = "", digits] = /^([+-]?)(\d{1,7})$/.exec(option.value ?? "") ?? [];
	const isCount = option.flag === "-n" || option.flag === "--lines";
	return others.length > 0 || !isCount || digits === undefined ? undefined : { sign, lines: Number(digits) };
}

/** `sed -n '10,20p;30p' file`. Ranges undefined: the script does something else. */
function sedScripts(
	options: readonly Option[],
	operands: readonly string[],
): { readonly ranges: readonly Stretch[] | undefined; readonly paths: readonly string[] } {
	const given = options.flatMap(({ flag, value }) => (flag === "-e" || flag === "--expression" ? [value ?? ""] : []));
	const isQuiet = options.some(({ flag }) => flag === "-n" || flag === "--quiet" || flag === "--silent");
	const isKnown = options.every(({ flag }) => /^-(?:n|e|E|r|-quiet|-silent|-expression)$/.test(flag));
	const [script = "", ...rest] = operands;
	const paths = given.length > 0 ? operands : rest;
	const text = given.length > 0 ? given.join(";") : script;
	return { ranges: isQuiet && isKnown ? sedRanges(text) : undefined, paths };
}

function sedRanges(script: string): Stretch[] | undefined {
	const ranges: Stretch[] = [];
	for (const part of script.split(/[;\n]/).map((each) => each.trim())) {
		if (part === "" || /^\d+q$/.test(part)) continue;
		const [, from, to] = /^(\d{1,7})(?:\s*,\s*(\d{1,7}|\$))?\s*p$/.exec(part) ?? [];
		if (from === undefined) return undefined;
		const last = to === undefined ? Number(from) : to === "$" ? null : Math.max(Number(from), Number(to));
		// sed prints in the order of the file, and a line of two ranges twice.
		const before = ranges.at(-1);
		if (before && (before[1] === null || Number(from) <= before[1])) return undefined;
		ranges.push([Math.max(1, Number(from)), last]);
	}
	return ranges.length > 0 ? ranges : undefined;
}

const SEARCHES = new Set(["grep", "egrep", "fgrep", "rg"]);
const MATCH_FILTERS = new Set(["head", "tail", "sort", "grep", "egrep", "fgrep", "rg", "uniq", "cat"]);
/** With these a search prints something else than lines of files. */
const OTHER_OUTPUT =
	/^(?:-[loLcqhZ0r]|--(?:only-matching|count|files|files-with-matches|files-without-match|count-matches|json|replace|heading|null|no-filename|vimgrep|quiet|type-list))$/;

function searchPart(name: string, options: readonly Option[], operands: readonly string[], cwd: string): Part {
	const isRecursive = options.some(({ flag }) => flag === "-r" || flag === "-R" || flag === "--recursive");
	const isOther = options.some(({ flag }) => OTHER_OUTPUT.test(flag) && !(name !== "rg" && flag === "-r"));
	if (isOther || !options.some(isNumbering)) return UNKNOWN;
	const hasPattern = options.some(({ flag }) => flag === "-e" || flag === "-f" || flag === "--regexp");
	const paths = hasPattern ? operands : operands.slice(1);
	const isNamed = options.some(({ flag }) => flag === "-H" || flag === "--with-filename");
	const [only, ...others] = paths;
	const isOne = only !== undefined && others.length === 0 && !isNamed && !(isRecursive && name !== "rg");
	return { kind: "matches", path: isOne && isPlain(only) ? changeFolder(cwd, only) : undefined, cwd };
}

function isNumbering({ flag }: Option): boolean {
	return flag === "-n" || flag === "--line-number";
}

/** The shell expands nothing in it, or brackets that are part of a name: `app/[id]/page.tsx`. */
function isPlain(path: string): boolean {
	return path !== "" && path !== "-" && !/[$`*?{\n]/.test(path) && !path.startsWith("/dev/");
}

function printedText(words: readonly string[]): Part {
	const [name, ...rest] = words;
	const said = rest.filter((word) => word !== "--");
	const [format = ""] = said;
	if (said.some((word) => /[$`]/.test(word))) return UNKNOWN;
	if (name === "echo") {
		return format.startsWith("-") ? UNKNOWN : { kind: "text", lines: said.join(" ").split("\n") };
	}
	if (said.length !== 1 || !/^(?:[^%\\]|\\n)*\\n$/.test(format)) return UNKNOWN;
	return { kind: "text", lines: format.replaceAll("\\n", "\n").slice(0, -1).split("\n") };
}

const DIFF_HEAD =
	/^(?:diff --git |index |--- (?:a\/|\/dev\/null)|\+\+\+ (?:b\/|\/dev\/null)|(?:new|deleted) file mode |similarity |rename |old mode |new mode )/;
const NUMBERED = /^ *(\d{1,7})\t(.*)$/s;
const MATCH = /^([^\s:][^:]*):(\d{1,7}):(.*)$/s;

class PartReader {
	readonly #parts: readonly Part[];
	readonly #lines: readonly string[];
	readonly #printed: PrintedLines[] = [];
	#at = 0;

	constructor(parts: readonly Part[], lines: readonly string[]) {
		this.#parts = parts;
		this.#lines = lines;
	}

	/** From the first part on, until one ends at a place that the output does not show. */
	read(): PrintedLines[] {
		for (const [index, part] of this.#parts.entries()) {
			if (!this.#take(part, index)) break;
		}
		return this.#printed;
	}

	#take(part: Part, index: number): boolean {
		switch (part.kind) {
			case "text": {
				const isHere = part.lines.every((line, at) => this.#lines[this.#at + at] === line);
				if (isHere) this.#at += part.lines.length;
				return isHere;
			}
			case "matches":
				return this.#takeMatches(part.path, part.cwd);
			case "file":
				return part.numbered === undefined
					? this.#takeFile(part, index)
					: this.#takeNumbered(part.path, part.numbered, part.stretches);
			case "gap":
				if (this.#lines[this.#at] === "") this.#at++;
				return true;
			case "diff":
				return this.#takeDiff(part.cwd);
			case "unknown":
				return false;
		}
	}

	/** The new side of each hunk, by the numbers of its header. */
	#takeDiff(cwd: string): boolean {
		let path: string | undefined;
		let next = 0;
		for (let line = this.#lines[this.#at]; line !== undefined; line = this.#lines[++this.#at]) {
			const head = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
			if (head) next = Number(head[1]);
			else if (DIFF_HEAD.test(line)) {
				path = /^\+\+\+ b\/(.+?)\t?$/.exec(line)?.[1];
				next = 0;
			} else if (next === 0) break;
			else if (/^[ +]/.test(line) || line === "") {
				if (path !== undefined) this.#add(changeFolder(cwd, path), next, line.slice(1), true);
				next++;
			} else if (!/^[-\\]/.test(line)) break;
		}
		return true;
	}

	#takeNumbered(path: string, offset: number, stretches: readonly Stretch[]): boolean {
		let last = 0;
		for (let line = this.#lines[this.#at]; line !== undefined; line = this.#lines[++this.#at]) {
			const [, digits, text = ""] = NUMBERED.exec(line) ?? [];
			const number = Number(digits ?? 0) + offset;
			const isAsked = stretches.some(([from, to]) => number >= from && number <= (to ?? number));
			if (digits === undefined || number <= last || !isAsked) break;
			last = number;
			this.#add(path, number, text, false);
		}
		return true;
	}

	/** `path:12:text`, `12:text`, and the lines around a match with `-`. */
	#takeMatches(only: string | undefined, cwd: string): boolean {
		let path: string | undefined;
		for (let line = this.#lines[this.#at]; line !== undefined; line = this.#lines[++this.#at]) {
			if (line === "--") continue;
			const [, number, text = ""] = only === undefined ? [] : (/^(\d{1,7})[:-](.*)$/s.exec(line) ?? []);
			if (only !== undefined && number !== undefined) {
				this.#add(only, Number(number), text, true);
				continue;
			}
			const [, named, at, found = ""] = MATCH.exec(line) ?? [];
			if (named !== undefined) {
				path = named;
				this.#add(changeFolder(cwd, named), Number(at), found, true);
				continue;
			}
			const [, digits, around = ""] =
				path !== undefined && line.startsWith(`${path}-`)
					? (/^(\d{1,7})-(.*)$/s.exec(line.slice(path.length + 1)) ?? [])
					: [];
			if (path !== undefined && digits !== undefined) this.#add(changeFolder(cwd, path), Number(digits), around, true);
			// A line around a match may come before the first match that names its file.
			else if (!/^\S+-\d+-/.test(line)) break;
		}
		return true;
	}

	#takeFile({ path, stretches }: Extract<Part, { kind: "file" }>, index: number): boolean {
		const asked = sizeOf(stretches);
		const length = this.#lengthOf(asked, index);
		if (length === undefined) return false;
		// Of several stretches only the last may be cut short by the end of the file.
		let left = length;
		for (const [from, to] of stretches) {
			const count = Math.min(left, to === null ? left : to - from + 1);
			for (let at = 0; at < count; at++) this.#add(path, from + at, this.#lines[this.#at + at] ?? "", false);
			this.#at += count;
			left -= count;
		}
		return left === 0;
	}

	/** How many lines belong to a file of which at most `asked` lines were printed; undefined: the output does not say. */
	#lengthOf(asked: number, index: number): number | undefined {
		const rest = this.#lines.length - this.#at;
		const [next, ...others] = this.#parts.slice(index + 1);
		if (!next) return rest <= asked ? rest : undefined;
		const starts = this.#startsOf(next, asked);
		if (starts.includes(asked)) return asked;
		if (starts.length > 0) return starts.length === 1 ? starts[0] : undefined;
		// Files that all have as many lines as were asked for.
		const sizes = [next, ...others].map((part) => (part.kind === "file" ? sizeOf(part.stretches) : sizeBetween(part)));
		return sizes.reduce((sum, size) => sum + size, asked) === rest ? asked : undefined;
	}

	/** Where the next part may begin, in lines from here. */
	#startsOf(next: Part, asked: number): number[] {
		const starts: number[] = [];
		const most = Math.min(asked, this.#lines.length - this.#at);
		for (let length = 0; length <= most; length++) {
			const at = this.#at + length;
			if (next.kind === "gap" && this.#lines[at] === "") starts.push(length);
			if (next.kind === "text" && next.lines.every((line, n) => this.#lines[at + n] === line)) starts.push(length);
			if (next.kind !== "file" || next.numbered === undefined) continue;
			const number = Number(NUMBERED.exec(this.#lines[at] ?? "")?.[1] ?? Number.NaN) + next.numbered;
			if (number === next.stretches[0]?.[0]) starts.push(length);
		}
		return starts;
	}

	#add(path: string, number: number, text: string, isMatch: boolean): void {
		const last = this.#printed.at(-1);
		if (last && last.path === path && last.isMatch === isMatch && last.from + last.lines.length === number)
			(last.lines as string[]).push(text);
		else this.#printed.push({ path, from: number, lines: [text], isMatch });
	}
}

function sizeBetween({ kind }: Part): number {
	return kind === "gap" ? 0 : Number.NaN;
}

function sizeOf(stretches: readonly Stretch[]): number {
	return stretches.reduce((sum, [from, to]) => sum + (to === null ? Number.POSITIVE_INFINITY : to - from + 1), 0);
}

/** The lines of a search tool that prints as `grep -n` does; `path`: the only file that it searched. */
export function linesFoundBy(path: string | undefined, output: string): PrintedLines[] {
	const lines = output.split("\n");
	return lines.length > MAX_OUTPUT_LINES ? [] : new PartReader([{ kind: "matches", path, cwd: "." }], lines).read();
}
