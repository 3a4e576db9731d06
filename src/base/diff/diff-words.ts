/**
 * Describes a diff of one file in a few words: the names that it adds, changes and removes. Works on lines and the
 * keywords of common languages, without parsing. Pure, and bounded for any diff.
 */
import { cutWithEllipsis } from "../text/cut.ts";

const MAX_DIFF_CHARS = 100_000;
const MAX_NAMES = 3;
const MAX_NAME_CHARS = 60;
const MAX_LINE_CHARS = 400;

/**
 * `adds parseDate, formatDate; removes parse`; `in parseDate` where only its body changed; "" where no name is found.
 */
export function describeDiff(diff: string): string {
	const added = new Set<string>();
	const removed = new Set<string>();
	const around = new Set<string>();
	let enclosing: string | undefined;
	let isInHunk = false;
	for (const line of diff.slice(0, MAX_DIFF_CHARS).split("\n")) {
		if (line.startsWith("@@")) {
			isInHunk = true;
			enclosing = undefined;
		} else if (isInHunk) {
			const name = nameIn(line.slice(1));
			if (line.startsWith("+") || line.startsWith("-")) {
				if (name !== undefined) (line.startsWith("+") ? added : removed).add(name);
				else if (enclosing !== undefined) around.add(enclosing);
			} else enclosing = name?.startsWith(IMPORT) ? enclosing : (name ?? enclosing);
		}
	}
	const isChanged = (name: string) => added.has(name) && removed.has(name);
	const parts = [
		list("adds", added, (name) => !isChanged(name)),
		list("changes", added, (name) => isChanged(name) && !name.startsWith(IMPORT)),
		list("removes", removed, (name) => !isChanged(name)),
	].filter((part) => part !== "");
	return parts.length > 0 ? parts.join("; ") : list("in", around);
}

function list(verb: string, all: Iterable<string>, isMeant: (name: string) => boolean = () => true): string {
	const names = [...all].filter(isMeant);
	if (names.length === 0) return "";
	const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
	return `${verb} ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}

const IMPORT = "import of ";
const MODIFIERS =
	"(?:(?:export|default|declare|abstract|async|public|private|protected|internal|static|final|sealed|open|override|data|unsafe|pub(?:\\([^)]*\\))?)\\s+)*";
/** A definition, however far it is indented. */
const DEFINED = new RegExp(
	`^\\s*${MODIFIERS}(?:function\\*?|class|interface|enum|namespace|module|def|fn|func|fun|struct|trait|record|protocol|object)\\s+(?:\\([^)]*\\)\\s*)?(?:self\\.)?([\\p{L}_$][\\p{L}\\p{N}_$]*[?!]?)`,
	"u",
);
/** A constant or a type at the top level: inside a function they say little. */
const AT_TOP = new RegExp(
	`^${MODIFIERS}(?:const|let|var|val|static|type)\\s+(?:mut\\s+)?([\\p{L}_$][\\p{L}\\p{N}_$]*)`,
	"u",
);
const CAPITALS_AT_TOP = /^([A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=/;
/** `name(…) {` of a class; `public int name(…)`. */
const METHOD =
	/^\s+(?:(?:public|private|protected|static|async|override|readonly|get|set|final|virtual)\s+)*(?:[\w<>[\],.]+\s+)?#?([A-Za-z_$][\w$]*)\s*\([^;]*\)\s*(?::\s*[^=;]+)?\{$/;
const NO_METHOD =
	/^(?:if|for|while|switch|catch|function|return|with|do|else|new|throw|await|match|foreach|using|lock)$/;
const TEST = /^\s*(test|it|describe)(?:\.\w+)?\(\s*(["'`])(.+?)\2/;
const HEADING = /^#{2,6}\s+(\S.*)$/;
const MODULE =
	/^(?:import\s.*?\bfrom\s+["']([^"']+)["']|import\s+["']([^"']+)["']|from\s+(\S+)\s+import\b|import\s+([\w.]+)\s*;?$|(?:pub\s+)?use\s+([\w:]+)|#include\s+[<"]([^>"]+)[>"])/;

function nameIn(whole: string): string | undefined {
	const line = whole.slice(0, MAX_LINE_CHARS);
	const name = DEFINED.exec(line)?.[1] ?? AT_TOP.exec(line)?.[1] ?? CAPITALS_AT_TOP.exec(line)?.[1] ?? methodIn(line);
	if (name !== undefined) return cutWithEllipsis(name, MAX_NAME_CHARS);
	const [, call, , title] = TEST.exec(line) ?? [];
	if (title !== undefined) return `${call === "it" ? "test" : call} "${cutWithEllipsis(title, MAX_NAME_CHARS)}"`;
	const heading = HEADING.exec(line)?.[1];
	if (heading !== undefined) return `"${cutWithEllipsis(heading.trim(), MAX_NAME_CHARS)}"`;
	const module = MODULE.exec(line)?.slice(1).find(Boolean);
	return module === undefined ? undefined : `${IMPORT}${cutWithEllipsis(module, MAX_NAME_CHARS)}`;
}

function methodIn(line: string): string | undefined {
	const name = METHOD.exec(line)?.[1];
	return name === undefined || NO_METHOD.test(name) ? undefined : name;
}
