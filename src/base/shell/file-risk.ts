/**
 * May a command line overwrite or remove files? `none` only where every command is known to leave them alone, `named` where
 * all it can overwrite are the files that its redirections name, and `any` in all other cases: a script, a build, a program
 * that nobody knows.
 */
import { posix } from "node:path";
import { ownValue } from "../collection/own-value.ts";
import { memoize } from "../text/memo.ts";
import { kindOf } from "./kind.ts";
import { parseCommand } from "./parse.ts";
import type { Redirect, SimpleCommand } from "./types.ts";
import { unwrap } from "./unwrap.ts";

export type FileRisk = "none" | "named" | "any";

const KEPT_LINES = 32;

export const fileRiskOf: (text: string) => FileRisk = memoize(KEPT_LINES, (text: string): FileRisk => {
	const line = parseCommand(text);
	if (!line.parsed) return "any";
	const redirects = line.groupRedirects.map(({ redirect }) => riskOfRedirect(redirect));
	return highest([...line.commands.map(riskOfCommand), ...redirects]);
});

function riskOfCommand(command: SimpleCommand): FileRisk {
	const { words } = unwrap(command.words);
	const [first = ""] = words;
	const name = posix.basename(first);
	// `$(…)` and `<(…)` run commands that the words only show as text.
	if (command.words.some((word) => /`|[$<>]\(/.test(word)) || command.env.some(([, value]) => /`|\$\(/.test(value)))
		return "any";
	const isCalm = command.words[0] !== "xargs" && (HARMLESS.has(name) || (isLook(name, words) && !isWritingLook(words)));
	return highest([isCalm ? "none" : "any", ...command.redirects.map(riskOfRedirect)]);
}

/** A program that usually only looks writes files with these arguments. */
export function isWritingLook([first = "", ...rest]: readonly string[]): boolean {
	return ownValue(WRITES, posix.basename(first))?.test(rest.join(" ")) === true;
}

function isLook(name: string, words: readonly string[]): boolean {
	if (name === "git") return GIT_HARMLESS.has(gitVerb(words));
	const kind = kindOf([name, ...words.slice(1)], []);
	return (kind === "scenery" && !RUNS_A_SCRIPT.has(name)) || kind === "looking";
}

function gitVerb(words: readonly string[]): string {
	for (let at = 1; at < words.length; at++) {
		const word = words[at] ?? "";
		if (word === "-C" || word === "-c") at++;
		else if (!word.startsWith("-")) return word;
	}
	return "";
}

function riskOfRedirect({ operator, target }: Redirect): FileRisk {
	if (!operator.includes(">") || operator.endsWith("&") || /^(?:\d+|-|\/dev\/\S*)$/.test(target)) return "none";
	return /[$`*?[~]/.test(target) ? "any" : "named";
}

function highest(risks: readonly FileRisk[]): FileRisk {
	if (risks.includes("any")) return "any";
	return risks.includes("named") ? "named" : "none";
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const HARMLESS = set("mkdir touch kill pkill killall mktemp");
const RUNS_A_SCRIPT = set("source . trap");
/** They leave the files of the work tree alone, and run no hook that could change them. */
const GIT_HARMLESS = set(
	"status log diff show branch remote rev-parse rev-list ls-files ls-tree blame grep describe config shortlog reflog tag cat-file merge-base fetch push init help version",
);
/** The arguments with which a program that only looks writes files. */
const WRITES: Readonly<Record<string, RegExp>> = {
	find: /(?:^|\s)-(?:delete|exec|execdir|ok|okdir|fprint|fls)/,
	fd: /(?:^|\s)(?:-\w*[xX]|--exec)/,
	awk: />|inplace|system|\|/,
	gawk: />|inplace|system|\|/,
	sed: /(?:^|\s)(?:-\w*i|--in-place)|(?:^|[;{\s'"/\d])w\s*\S/,
	sort: /(?:^|\s)(?:-\w*o|--output)/,
	tee: /\S/,
	yq: /(?:^|\s)(?:-\w*i|--inplace)/,
	xxd: /(?:^|\s)-r/,
	curl: /(?:^|\s)(?:-\w*[oO]|--output|--remote-name|--dump-header|--config)/,
	wget: /\S/,
	sg: /(?:^|\s)(?:-\w*U|--update-all|--interactive|-i)/,
	"ast-grep": /(?:^|\s)(?:-\w*U|--update-all|--interactive|-i)/,
	tree: /(?:^|\s)-o/,
	uniq: /\S+\s+\S+/,
	env: /\S/,
	command: /\S/,
	rg: /(?:^|\s)--pre(?:\s|=)/,
};
