/** Outlines code: declarations with their lines. No parser: one look at each line, so that any text takes linear time. */
import { linesOf } from "./lines.ts";

export type CodeKind = "typescript" | "python" | "go" | "rust";

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

export function* outlineCode(text: string, kind: CodeKind): Generator<string> {
	for (const { number, offset, text: line } of linesOf(text)) {
		const indent = line.slice(0, line.search(/[^\t ]|$/)).replaceAll("\t", "  ").length;
		const rule = RULES[kind].find(({ line: pattern, maxIndent }) => indent <= maxIndent && pattern.test(line));
		if (!rule || (kind === "typescript" && NOT_METHODS.test(line) && !/\bfunction\b/.test(line))) continue;
		yield `L${number} @${offset} ${" ".repeat(Math.min(indent, 4))}${line
			.trim()
			.replace(/\s*[{(,:]$/, "")
			.slice(0, 140)}`;
	}
}
