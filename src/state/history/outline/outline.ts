/**
 * Outlines a large text in a few hundred tokens: declarations with their lines, keys, columns, headings, levels. Uses light
 * scanners that take linear time, because the text may be anything.
 */
import { plural } from "../../../base/text/bytes.ts";
import { bytesOfTokens } from "../../../base/tokens/estimate.ts";
import { outlineJson, outlineJsonLines, outlineLog, outlineMarkdown, outlineTable, outlineYaml } from "./data.ts";
import { type ContentKind, kindOf } from "./kind.ts";
import { linesOf, type NumberedLine } from "./lines.ts";

interface Outline {
	readonly kind: ContentKind;
	readonly lines: readonly string[];
}

const PREVIEW_LINES = 12;

export function outline(
	text: string,
	{ path, maxTokens }: { readonly path?: string | undefined; readonly maxTokens: number },
): Outline {
	const kind = kindOf(text, path);
	const found = fit(scan(text, kind), maxTokens);
	return { kind, lines: found.length > 0 ? found : fit(preview(text), maxTokens) };
}

function scan(text: string, kind: ContentKind): Iterable<string> {
	switch (kind) {
		case "typescript":
		case "python":
		case "go":
		case "rust":
			return outlineCode(text, kind);
		case "json":
			return outlineJson(text);
		case "jsonl":
			return outlineJsonLines(text);
		case "yaml":
			return outlineYaml(text);
		case "csv":
			return outlineTable(text);
		case "markdown":
			return outlineMarkdown(text);
		case "log":
			return outlineLog(text);
		case "text":
			return preview(text);
	}
}

function* preview(text: string): Generator<string> {
	const last: string[] = [];
	let count = 0;
	for (const { number, offset, text: line } of linesOf(text)) {
		if (line.trim() === "") continue;
		const shown = `L${number} @${offset} ${line.trim().slice(0, 120)}`;
		if (++count <= PREVIEW_LINES) yield shown;
		else {
			last.push(shown);
			if (last.length > PREVIEW_LINES / 2) last.shift();
		}
	}
	if (last.length > 0) yield "…";
	yield* last;
}

function fit(lines: Iterable<string>, maxTokens: number): string[] {
	let left = bytesOfTokens(maxTokens);
	const shown: string[] = [];
	let more = 0;
	for (const line of lines) {
		left -= more > 0 ? 0 : Buffer.byteLength(line, "utf8") + 1;
		if (left < 0) more++;
		else shown.push(line);
	}
	if (more > 0) shown.push(`+${plural(more, "more line")}`);
	return shown;
}

type CodeKind = "typescript" | "python" | "go" | "rust";

interface DeclarationRule {
	/** Matches a declaration, which is shown as it is. */
	readonly line: RegExp;
	/** Declarations with a deeper indent are details. */
	readonly maxIndent: number;
}

const NOT_METHODS = /^\s*(?:if|for|while|switch|catch|return|throw|await|else|do|new|super|typeof|case|function)\b/;

const RULES: Readonly<Record<CodeKind, readonly DeclarationRule[]>> = {
	typescript: [
		{
			line: /^\s*(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|enum|namespace|module) ?[\w$]/,
			maxIndent: 4,
		},
		{ line: /^(?:export )?(?:declare )?(?:const|let|var|type) [\w${[]/, maxIndent: 0 },
		{ line: /^export (?:\*|\{|default)/, maxIndent: 0 },
		{
			line: /^\s+(?:(?:public|private|protected|static|async|override|readonly|get|set) )*[\w$#]+\??(?:<[^<>]{0,80}>)?\([^;]{0,200}[{,(]$/,
			maxIndent: 4,
		},
	],
	python: [{ line: /^\s*(?:async )?(?:def|class) \w/, maxIndent: 4 }],
	go: [{ line: /^(?:func[ (]|type \w|var \w|const \w|package \w)/, maxIndent: 0 }],
	rust: [
		{
			line: /^\s*(?:pub(?:\([^)]{0,40}\))? )?(?:default )?(?:const )?(?:async )?(?:unsafe )?(?:extern "[^"]{0,20}" )?(?:fn|struct|enum|union|trait|impl|mod|type|static|const|macro_rules!)[ <]/,
			maxIndent: 4,
		},
	],
};

/** Outlines code: declarations with their lines. */
function* outlineCode(text: string, kind: CodeKind): Generator<string> {
	for (const { number, offset, text: declared } of declarations(text, kind)) yield `L${number} @${offset} ${declared}`;
}

/** The declarations of a file of code, with a part of their indent; none for other files. */
export function declarationsIn(text: string, path: string): readonly NumberedLine[] {
	const kind = kindOf(text, path);
	return kind in RULES ? [...declarations(text, kind as CodeKind)] : [];
}

/** No parser: one look at each line, so that any text takes linear time. */
function* declarations(text: string, kind: CodeKind): Generator<NumberedLine> {
	for (const line of linesOf(text)) {
		const indent = line.text.slice(0, line.text.search(/[^\t ]|$/)).replaceAll("\t", "  ").length;
		const rule = RULES[kind].find(({ line: pattern, maxIndent }) => indent <= maxIndent && pattern.test(line.text));
		if (!rule || (kind === "typescript" && NOT_METHODS.test(line.text) && !/\bfunction\b/.test(line.text))) continue;
		const declared = line.text
			.trim()
			.replace(/\s*[{(,:]$/, "")
			.slice(0, 140);
		yield { ...line, text: `${" ".repeat(Math.min(indent, 4))}${declared}` };
	}
}
