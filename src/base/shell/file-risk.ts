/**
 * May a command line overwrite or remove files? `none` only where every command is known to leave them alone, `named` where
 * all it can overwrite are the files that its redirections name, and `any` in all other cases: a script, a build, a program
 * that nobody knows.
 */
import { posix } from "node:path";
import { ownValue } from "../collection/own-value.ts";
import { memoize } from "../text/memo.ts";
import { isWrite, kindOf } from "./kind.ts";
import { parseCommand } from "./parse.ts";
import type { Redirect, ShellLine, ShellNode, SimpleCommand } from "./types.ts";
import { unwrap } from "./unwrap.ts";

export type FileRisk = "none" | "named" | "any";

const KEPT_LINES = 32;

export const fileRiskOf: (text: string) => FileRisk = memoize(KEPT_LINES, (text: string): FileRisk => {
	const line = parseCommand(text);
	if (!line.parsed || line.hides) return "any";
	const redirects = line.groupRedirects.map(({ redirect }) => riskOfRedirect(redirect));
	const risk = highest([...line.commands.map(riskOfCommand), ...redirects]);
	return risk === "named" && !isFolderSure(line) ? "any" : risk;
});

function riskOfCommand(command: SimpleCommand): FileRisk {
	const { words } = unwrap(command.words);
	const [first = ""] = words;
	const name = posix.basename(first);
	if (command.env.some(([variable, value]) => startsPrograms(variable, value))) return "any";
	const isCalm = command.words[0] !== "xargs" && (HARMLESS.has(name) || (isLook(name, words) && !isWritingLook(words)));
	return highest([isCalm ? "none" : "any", ...command.redirects.map(riskOfRedirect)]);
}

/** Programs that only look start what these variables name. */
function startsPrograms(variable: string, value: string): boolean {
	return STARTING.test(variable) && !/^(?:|cat|less|more|true|:|0|1)$/.test(value);
}

const STARTING =
	/PAGER|EDITOR|VISUAL|_ENV$|_OPTIONS$|CONFIG|^(?:ENV|PATH|CDPATH|LESS.*|LD_.*|GIT_.*|PROMPT_COMMAND|HISTFILE|SHELL|BROWSER|AWK.*)$/;

/** The folder in which a redirection names its file is known: the shell is where it started, or the line ends if `cd` fails. */
function isFolderSure({ commands, tree }: ShellLine): boolean {
	const [first, ...rest] = commands.map((command) => ({ words: unwrap(command.words).words, joint: command.joint }));
	const moves = (words: readonly string[]) => /^(?:cd|pushd|popd)$/.test(words[0] ?? "");
	if (rest.some(({ words }) => moves(words))) return false;
	if (!first || !moves(first.words)) return true;
	const [, folder = "", ...more] = first.words;
	const isPlain = more.length === 0 && folder !== "" && !/^[-~]|[$*?[{]/.test(folder);
	return isPlain && !hasBlock(tree) && rest.every(({ joint }) => joint === "&&" || joint === "|");
}

function hasBlock(node: ShellNode): boolean {
	switch (node.kind) {
		case "block":
			return true;
		case "list":
			return node.items.some((item) => hasBlock(item.node));
		case "chain":
			return node.nodes.some(hasBlock);
		case "pipe":
			return node.stages.some(hasBlock);
		default:
			return false;
	}
}

/** A program that usually only looks writes files with these arguments. */
export function isWritingLook([first = "", ...rest]: readonly string[]): boolean {
	const name = posix.basename(first);
	if (name === "curl") return !rest.every((word, at) => isCurlLook(word, rest[at - 1]));
	return ownValue(WRITES, name)?.test(rest.join(" ")) === true;
}

function isLook(name: string, words: readonly string[]): boolean {
	if (name === "git") return isGitLook(words);
	if (name === "sed") return isPlainSed(words.slice(1));
	if (/^(?:python|node)/.test(name) && words.length > 2) return false;
	// `export PAGER=…`
	if (words.slice(1).some((word) => /^\w+=/.test(word) && startsPrograms(...splitOnce(word)))) return false;
	const kind = kindOf([name, ...words.slice(1)], []);
	return (kind === "scenery" || kind === "looking") && !STARTS_OTHERS.has(name);
}

function splitOnce(assignment: string): [name: string, value: string] {
	const at = assignment.indexOf("=");
	return [assignment.slice(0, at), assignment.slice(at + 1)];
}

function isGitLook(words: readonly string[]): boolean {
	const verb = gitVerb(words);
	if (!GIT_HARMLESS.has(verb)) return false;
	const at = words.indexOf(verb);
	const settings = words.slice(1, at).filter((_, n) => words[n] === "-c");
	if (settings.some((each) => !GIT_CALM_SETTING.test(each))) return false;
	// git takes the beginning of an option's name for the whole.
	if (words.slice(1).some((word) => GIT_WRITING_OPTION.test(word))) return false;
	const rest = words.slice(at + 1);
	if (verb === "config") return rest.some((word) => /^(?:--get.*|--list|-l|get|list)$/.test(word)) || rest.length === 1;
	if (verb === "grep") return !rest.some((word) => /^-[^-\s]*O/.test(word));
	return verb !== "fetch" || !rest.some((word) => word.includes("::"));
}

/** A script of printed and deleted lines and plain replacements: no `w`, no `e`, no file of commands. */
function isPlainSed(rest: readonly string[]): boolean {
	const scripts: string[] = [];
	let hasScript = false;
	for (const [at, word] of rest.entries()) {
		if (/^(?:-e|--expression)$/.test(rest[at - 1] ?? "")) scripts.push(word);
		else if (/^--expression=/.test(word)) scripts.push(splitOnce(word)[1]);
		else if (/^(?:-[nErsuz]*e?|--expression|--quiet|--silent|--regexp-extended|--null-data)$/.test(word)) continue;
		else if (word.startsWith("-")) return false;
		else if (scripts.length === 0 && !hasScript) {
			scripts.push(word);
			hasScript = true;
		}
	}
	const commands = scripts.flatMap((script) => script.split(/[;\n]/));
	return commands.every((each) => each.length <= MAX_SED_CHARS && SED_PLAIN.test(each.trim()));
}

/** `before`: the word before it, whose value it may be. */
function isCurlLook(word: string, before = ""): boolean {
	if (/^-[sSLfkviIG]*w$|^--write-out$/.test(before)) return !word.includes("output{");
	if (/^-[sSLfkviIG]*o$|^--output$/.test(before)) return word === "/dev/null" || word === "-";
	if (!word.startsWith("-") || /^-[sSLfkviIG]*[HXdmAFu]$|^--(?:header|request|data\S*|json)$/.test(before)) return true;
	return CURL_CALM.test(word);
}

function gitVerb(words: readonly string[]): string {
	for (let at = 1; at < words.length; at++) {
		const word = words[at] ?? "";
		if (word === "-C" || word === "-c") at++;
		else if (!word.startsWith("-")) return word;
	}
	return "";
}

function riskOfRedirect(redirect: Redirect): FileRisk {
	if (!isWrite(redirect)) return "none";
	return /[$`*?[{~]/.test(redirect.target) ? "any" : "named";
}

function highest(risks: readonly FileRisk[]): FileRisk {
	if (risks.includes("any")) return "any";
	return risks.includes("named") ? "named" : "none";
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const HARMLESS = set("mkdir touch kill pkill killall mktemp");
/** They run what they are given, change what a later name means, or write a file. */
const STARTS_OTHERS = set("source . trap alias hash history jobs");
/** They leave the files of the work tree alone, and run no hook that could change them. */
const GIT_HARMLESS = set(
	"status log diff show branch remote rev-parse rev-list ls-files ls-tree blame grep describe config shortlog reflog tag cat-file merge-base fetch init help version",
);
const GIT_CALM_SETTING = /^(?:core\.(?:quotepath|pager=(?:cat|less)?$)|color\.|user\.|log\.|advice\.)/i;
const GIT_WRITING_OPTION = /^--(?:ou|open|upl|rec|exe|edi|ext)/;
const MAX_SED_CHARS = 2_000;
const SED_ADDRESS = String.raw`(?:\d+|\$|/(?:\\.|[^/\\])*/I?)`;
const SED_COMMAND = String.raw`(?:[pdqQ=lNnGHhxgD]|s([/|#,@:%!_+])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpIiMm\d]*)`;
const SED_PLAIN = new RegExp(`^(?:${SED_ADDRESS}(?:,[+~]?${SED_ADDRESS})?)? ?!? ?${SED_COMMAND}?$`);
const CURL_CALM =
	/^(?:-[sSLfkviIG#N46]*(?:[HXdmAFuwo].*)?|--(?:silent|show-error|location|fail|fail-with-body|insecure|verbose|include|head|header|request|data|data-raw|data-binary|data-urlencode|json|max-time|connect-timeout|retry|retry-delay|compressed|user-agent|url|get|form|user|write-out|output))$/;
const AWK_WRITES = />|inplace|system|\||@|(?:^|\s)(?:-\w*[fEil](?:\s|$)|--(?:file|exec|include|load))/;
/** The arguments with which a program that only looks writes files. */
const WRITES: Readonly<Record<string, RegExp>> = {
	find: /(?:^|\s)-(?:delete|exec|execdir|ok|okdir|fprint|fls)/,
	fd: /(?:^|\s)(?:-\w*[xX]|--exec)/,
	awk: AWK_WRITES,
	gawk: AWK_WRITES,
	sed: /(?:^|\s)(?:-\w*i|--in-place)|(?:^|[;{\s'"/\d])w\s*\S/,
	sort: /(?:^|\s)(?:-\w*o|--o|--compress)/,
	tee: /\S/,
	yq: /(?:^|\s)(?:-\w*i|--inplace)/,
	// Its second file is the output.
	xxd: /(?:^|\s)-r|(?:^|\s)[^-\s]\S*\s+[^-\s]\S*$/,
	less: /(?:^|\s)(?:-\w*[oO]|--log)/i,
	file: /(?:^|\s)(?:-\w*C|--compile)/,
	man: /(?:^|\s)(?:-\w*P|--pager)/,
	bat: /--pager/,
	wget: /\S/,
	sg: /(?:^|\s)(?:-\w*U|--update-all|--interactive|-i)/,
	"ast-grep": /(?:^|\s)(?:-\w*U|--update-all|--interactive|-i)/,
	tree: /(?:^|\s)-o/,
	uniq: /\S+\s+\S+/,
	env: /\S/,
	command: /\S/,
	rg: /(?:^|\s)--(?:pre|hostname-bin)(?:\s|=)/,
};
