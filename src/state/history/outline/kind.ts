/** The kind of a text, by its name or else by how it looks. */
import { ownValue } from "../../../base/collection/own-value.ts";
import { firstLines } from "./lines.ts";

export type ContentKind =
	| "typescript"
	| "python"
	| "go"
	| "rust"
	| "json"
	| "jsonl"
	| "yaml"
	| "csv"
	| "markdown"
	| "log"
	| "text";

const BY_EXTENSION: Readonly<Record<string, ContentKind>> = {
	ts: "typescript",
	tsx: "typescript",
	mts: "typescript",
	cts: "typescript",
	js: "typescript",
	jsx: "typescript",
	mjs: "typescript",
	cjs: "typescript",
	py: "python",
	pyi: "python",
	go: "go",
	rs: "rust",
	json: "json",
	jsonl: "jsonl",
	ndjson: "jsonl",
	yaml: "yaml",
	yml: "yaml",
	csv: "csv",
	tsv: "csv",
	md: "markdown",
	markdown: "markdown",
	log: "log",
};

export const LEVEL = /\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|PANIC)\b/i;
export const TIMESTAMP = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b|^\[?\d{10,13}\b/;
const SAMPLE_LINES = 200;

const LOOKS: readonly (readonly [kind: ContentKind, line: RegExp, share: number])[] = [
	["rust", /^\s*(?:pub )?(?:fn|impl|struct|enum|mod|trait)\s+\w|^use \w+(?:::|;)|^\s*let mut /, 0.04],
	["go", /^(?:package \w+$|func[ (]|import \(|type \w+ (?:struct|interface))|:= /, 0.04],
	["python", /^\s*(?:def \w+\(|class \w+[(:]|from [\w.]+ import |import [\w.]+$|if __name__)|^\s*@\w+/, 0.04],
	[
		"typescript",
		/^\s*(?:export |import .* from |const \w+ = |let \w+ = |function \w+\(|interface \w+ |class \w+ )|=> \{$/,
		0.06,
	],
	["markdown", /^#{1,6} \S|^```|^[-*] \S|^\|.*\|$/, 0.1],
	["yaml", /^\s*(?:- )?[\w."'/-]+:(?: |$)|^---$/, 0.6],
];

export function kindOf(text: string, path?: string): ContentKind {
	const extension = path === undefined ? undefined : /\.(\w{1,8})$/.exec(path)?.[1]?.toLowerCase();
	const named = extension === undefined ? undefined : ownValue(BY_EXTENSION, extension);
	return named ?? looksLike(text);
}

function looksLike(text: string): ContentKind {
	const lines = firstLines(text, SAMPLE_LINES).filter((line) => line.trim() !== "");
	const [first = ""] = lines;
	if (/^\s*[[{]/.test(first)) {
		const records = lines.slice(0, 5).every((line) => /^\{.*[\]}"\w]$/.test(line.trim()));
		return records && lines.length > 1 && isJson(first)
			? "jsonl"
			: /^\s*[[{]\s*(?:["[{\]}]|$|-?\d)/.test(first)
				? "json"
				: "log";
	}
	const share = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length / Math.max(1, lines.length);
	if (share(LEVEL) > 0.3 && share(TIMESTAMP) > 0.3) return "log";
	if (isTable(lines)) return "csv";
	for (const [kind, line, least] of LOOKS) if (share(line) >= least) return kind;
	return share(TIMESTAMP) > 0.5 ? "log" : "text";
}

function isTable(lines: readonly string[]): boolean {
	const [head = "", ...rows] = lines.slice(0, 8);
	return [",", "\t", ";"].some((mark) => {
		const columns = head.split(mark).length;
		return columns > 2 && rows.length > 2 && rows.every((row) => Math.abs(row.split(mark).length - columns) <= 1);
	});
}

function isJson(line: string): boolean {
	try {
		JSON.parse(line);
		return true;
	} catch {
		return line.length >= 400;
	}
}
