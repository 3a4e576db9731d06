/**
 * Outlines a large text in a few hundred tokens: declarations with their lines, keys, columns, headings, levels. Uses light
 * scanners that take linear time, because the text may be anything.
 */
import { plural } from "../../../base/text/bytes.ts";
import { bytesOfTokens } from "../../../base/tokens/estimate.ts";
import { outlineCode } from "./code.ts";
import { outlineJson, outlineJsonLines, outlineLog, outlineMarkdown, outlineTable, outlineYaml } from "./data.ts";
import { type ContentKind, kindOf } from "./kind.ts";
import { linesOf } from "./lines.ts";

export interface Outline {
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
