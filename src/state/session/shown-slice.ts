/** Which lines of a file a read showed, without the line numbers and remarks that agents add. */

import { asInteger, asName, asObject } from "../../base/json/read.ts";
import { countLines } from "../../base/text/lines.ts";
import { OUTLINE } from "../../message/note.ts";
import type { ResultBlock } from "../../message/view.ts";
import type { SessionCall } from "./calls.ts";
import { pathOf } from "./file-change.ts";

export interface ShownSlice {
	readonly path: string;
	readonly from: number;
	readonly to: number | null;
	readonly text: string;
	/** The text is the whole file, byte for byte as far as UTF-8 goes. */
	readonly whole: boolean;
}

/** Undefined: the result shows no part of a file, but a folder, a web page, "unchanged", or an outline. */
export function findShownSlice(call: SessionCall, result: ResultBlock): ShownSlice | undefined {
	if (isOutline(result.text)) return undefined;
	const named = pathOf(call.input);
	// A fork of Pi asks for a file without line marks as `name:raw`.
	const asked = named?.replace(/:raw$/, "");
	if (asked === undefined || /^[a-z][a-z0-9+.-]+:\/\//i.test(asked)) return undefined;
	const details = asObject(result.details);
	if (details?.["isDirectory"] === true || details?.["type"] === "file_unchanged") return undefined;
	return (
		readNotedSlice(details?.["file"], asked) ??
		readNumberedSlice(result.text, asked) ??
		readPlainSlice(call, result, asked)
	);
}

/** The second half tells our outline from a file that begins with the same words. */
function isOutline(text: string): boolean {
	return text.startsWith(OUTLINE) && /^[^\n]* It is kept whole as b-[0-9a-f]{12}; this is its outline\.\]\n/.test(text);
}

/** Claude Code stores the slice in the details. */
function readNotedSlice(value: unknown, asked: string): ShownSlice | undefined {
	const file = asObject(value);
	const text = file?.["content"];
	if (!file || typeof text !== "string") return undefined;
	const from = asInteger(file["startLine"]) ?? 1;
	const lines = text.split("\n").length;
	const atEnd = from + lines - 1 >= (asInteger(file["totalLines"]) ?? Number.POSITIVE_INFINITY);
	const to = from + (atEnd ? countLines(text) : lines) - 1;
	// Claude Code normalises line ends, so the hash of this text is not the file's.
	return { path: asName(file["filePath"]) ?? asked, from, to, text, whole: false };
}

/** Claude Code's text for the model: `    12→text` or `12⇥text` per line, then perhaps a reminder. */
function readNumberedSlice(text: string, asked: string): ShownSlice | undefined {
	const first = /^\s*(\d+)(?:→|\t)/.exec(text);
	if (!first) return undefined;
	const from = Number(first[1]);
	const lines: string[] = [];
	for (const line of text.split("\n")) {
		const numbered = /^\s*(\d+)(?:→|\t)(.*)$/s.exec(line);
		if (!numbered || Number(numbered[1]) !== from + lines.length) break;
		lines.push(numbered[2] ?? "");
	}
	const to = from + lines.length - (lines.at(-1) === "" ? 2 : 1);
	return { path: asked, from, to, text: lines.join("\n"), whole: false };
}

/** Pi shows the text itself, with a remark in brackets if the file has more. */
function readPlainSlice(call: SessionCall, result: ResultBlock, asked: string): ShownSlice {
	const [, path, first, last] = /^(.+):(\d+)(?:-(\d+))?$/s.exec(asked) ?? [];
	if (path !== undefined) {
		const to = last === undefined ? null : Number(last);
		return { path, from: Number(first), to, text: result.text, whole: false };
	}
	const from = Math.max(1, asInteger(call.input["offset"]) ?? 1);
	if (result.text.startsWith("Read image file [")) {
		return { path: asked, from, to: null, text: result.text, whole: false };
	}
	const remark = REMARK.exec(result.text.slice(-200));
	const text = remark ? result.text.slice(0, result.text.length - remark[0].length) : result.text;
	const to = from + (remark ? text.split("\n").length : countLines(text)) - 1;
	const details = asObject(result.details);
	const noted = details !== undefined && Object.keys(details).length > 0;
	const whole = from === 1 && !remark && !noted && text !== "" && !text.includes("\ufffd") && text.isWellFormed();
	return { path: asked, from, to, text, whole };
}

/** Older versions of Pi wrote the second form. */
const REMARK =
	/\n\n(?:\[(?:Showing lines \d+-\d+ of \d+|\d+ more lines in file)[^\]]*\]|\.\.\. \(\d+ more lines not shown\.[^)\n]*\))$/;

/**
 * Candidates for a file's text within a result, for agents that note nothing beside it. The hash of the read tells which one
 * it was.
 */
export function* textsWithin(output: string): Generator<string> {
	// Codex puts a head about the command first.
	const at = output.indexOf(HEAD_END);
	if (at >= 0) yield output.slice(at + HEAD_END.length);
	// opencode numbers the lines and adds a sentence at the end.
	const numbered = /<content>\n([\s\S]*?)\n(?:\n\([^\n]*\)\n)?<\/content>/.exec(output)?.[1];
	if (numbered === undefined) return;
	const text = numbered.replaceAll(/^\d+: /gm, "");
	yield text;
	yield `${text}\n`;
}

const HEAD_END = "\nOutput:\n";
