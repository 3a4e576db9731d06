/** Files that hold rules, the project's own and documents that the user names, and the lines in them that set one. */

const RULE_FILE =
	/(?:[\w./~-]*\/)?(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|CONVENTIONS|\.cursorrules|copilot-instructions)[\w.-]*(?:\.mdc?)?\b/;
const RULE_LINE =
	/\b(?:never|always|must|do not|don't|should(?: not)?|only|avoid|prefer|use|required?|before|unless|without|ensure|make sure|keep|under \d+|no )\b|(?:必ず|禁止|しない|すること|してはいけない|必须|不要|总是|请勿|항상|절대|하지|금지|반드시|immer|niemals|nie|nicht|muss|siempre|nunca|debe|toujours|jamais)/i;
const MAX_LINES = 60;
const [MIN_LINE_CHARS, MAX_LINE_CHARS] = [15, 400];

/** A file in words: what the user names by hand is a plan, a list or a specification. */
const DOCUMENT = /[\w./~-]*[\w-]+\.(?:mdx?|txt|rst|adoc)\b/gi;
const CHECK_BOX = /^[-*+] \[[ xX~]\] /;

/** The name of a file of rules in a path or a command. `order`: a document that the user names in it binds too. */
export function ruleFileIn(call: string, order = ""): string | undefined {
	const known = RULE_FILE.exec(call)?.[0];
	if (known !== undefined || order === "") return known;
	const named = order.match(DOCUMENT) ?? [];
	return call
		.match(DOCUMENT)
		?.find((path) => named.some((name) => isSameFile(path, name)))
		?.replace(/^\/\//, "");
}

/** One path may begin further up than the other. Many folders have a `README.md` or a `SKILL.md`: the folders that both name count. */
export function isSameFile(one: string, other: string): boolean {
	const [path, name] = [foldersOf(one), foldersOf(other)];
	return path.slice(-name.length).join("/") === name.slice(-path.length).join("/");
}

function foldersOf(path: string): string[] {
	return path.split("/").filter((part) => part !== "" && part !== "." && part !== ".." && part !== "~");
}

/** No file of rules by its name: the user named it. */
export function isDocument({ path }: { readonly path: string }): boolean {
	return !RULE_FILE.test(path);
}

export function isCheckBox(line: string): boolean {
	return CHECK_BOX.test(line);
}

/** `docs/plan.md:12: text`: a search prints lines of many files, which are no rules of one. */
const FOUND_LINE = /^[\w@~./-]+[:-]\d+[:-]/;

/** Lines of a read, with or without line numbers. */
export function ruleLines(text: string): string[] {
	return text
		.split("\n")
		.map((line) => line.replace(/^\s*\d+(?:→|\t)/, "").trim())
		.filter(
			(line, at, lines) =>
				lines.indexOf(line) === at &&
				!FOUND_LINE.test(line) &&
				line.length >= MIN_LINE_CHARS &&
				line.length <= MAX_LINE_CHARS &&
				!/^[|`#{}<]/.test(line) &&
				(RULE_LINE.test(line) || CHECK_BOX.test(line)),
		)
		.slice(0, MAX_LINES)
		.map((line) => (CHECK_BOX.test(line) ? line : line.replace(/^[-*+] /, "")));
}
