/**
 * Which lines of which files a result showed, whatever tool printed them, without the line numbers and remarks that agents
 * add. The one account of it: events, the files of a recording and the guard ask here.
 */

import { sha256 } from "../../base/hash/sha256.ts";
import { asInteger, asName, asObject, asText } from "../../base/json/read.ts";
import { linesFoundBy, linesPrintedBy, type PrintedLines } from "../../base/shell/printed-files.ts";
import { countLines } from "../../base/text/lines.ts";
import { OUTLINE, withoutNotes } from "../../message/note.ts";
import type { ResultBlock } from "../../message/view.ts";
import type { SessionCall } from "./calls.ts";
import { pathOf } from "./file-change.ts";
import { type NotedRead, readReaderNotes } from "./reader-notes.ts";
import { commandsOf, pathIn, type ShellCommand } from "./shell-command.ts";

export interface ShownSlice {
	readonly path: string;
	readonly from: number;
	readonly to: number | null;
	readonly text: string;
	/** The text is the whole file, byte for byte as far as UTF-8 goes. */
	readonly whole: boolean;
	/** A search found the lines. */
	readonly isMatch?: true | undefined;
}

/** Everything that a successful result shows. */
export function shownSlices(call: SessionCall, result: ResultBlock): ShownSlice[] {
	const noted = readReaderNotes(result.details);
	if (noted) return [...noted.reads.flatMap((read) => notedSlice(read, result.text)), ...printedSlices(call, result)];
	if (call.class !== "read") return printedSlices(call, result);
	const slice = findShownSlice(call, result);
	return slice ? [slice] : [];
}

/** The files that commands and searches print. */
export function printedSlices(call: SessionCall, result: ResultBlock): ShownSlice[] {
	if (call.class === "exact-search")
		return toSlices(linesFoundBy(pathOf(call.input), ownOutput(result.text)), undefined);
	if (call.class !== "shell") return [];
	const commands = commandsOf(call.input);
	return commands.length === 0 ? [] : slicesPrinted(commands, result.text);
}

function slicesPrinted(commands: readonly ShellCommand[], text: string): ShownSlice[] {
	const [first] = commands;
	const isOneFolder = commands.every(({ folder }) => folder === first?.folder);
	if (!isOneFolder) return [];
	const lines = linesPrintedBy(
		commands.map(({ command }) => command),
		ownOutput(text),
	);
	return toSlices(lines, first?.folder);
}

function toSlices(printed: readonly PrintedLines[], folder: string | undefined): ShownSlice[] {
	return printed.map(({ path, from, lines, isMatch }) => ({
		path: pathIn(folder, path),
		from,
		to: from + lines.length - 1,
		text: lines.join("\n"),
		whole: false,
		...(isMatch && { isMatch }),
	}));
}

/** Where an agent, or weft, left out the middle or the end of an output. */
const CUT =
	/^.*(?:…\d+ (?:tokens|chars|lines) truncated…|\blcm_expand\("b-|\[\d+ (?:lines|characters|chars) (?:truncated|omitted)).*$|^\.{3}(?:output truncated\.{3}| ?\[.*(?:truncated|omitted).*\].*)$|^\[(?:Showing lines \d+-\d+ of|Output truncated)/m;

/** A command's own output up to the first gap, without the head that some agents put before it. */
function ownOutput(text: string): string {
	const own = unpackOutput(withoutNotes(text));
	const cut = CUT.exec(own);
	return cut ? own.slice(0, cut.index) : own;
}

/** Codex's lines about the command, before its output. */
const HEAD = /^(?:Command|Chunk ID|Wall time|Exit code|Script completed|Process (?:exited|running))\b/;
const WARNING = /^Warning: truncated output \(original token count: \d+\)\n(?:Total output lines: \d+\n)?\n?/;
/** Gemini CLI puts the output between labels. */
const LABELLED = /^(?:Command: [^\n]*\nDirectory: [^\n]*\n)?(?:Output|Stdout): /;
/** Copilot CLI says how a command ended in a line after its output. */
const EXIT_AFTER = /(^|\n)<(?:exited with|shellId: \S+ completed with) exit code \d+>\s*$/;
const LABELS_AFTER = /(?:\n(?:Stderr|Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)+\s*$/;

function unpackOutput(text: string): string {
	const head = HEAD.test(text) ? text.indexOf(HEAD_END) : -1;
	const after = head === -1 ? text : text.slice(head + HEAD_END.length);
	// The head of a script is a text of its own, with a line break after it.
	const own = text.startsWith("Script ") ? after.replace(/^\n/, "") : after;
	// A script of Codex's `exec` may hand over the whole result of a command.
	if (own.startsWith("{")) return own.split("\n").map(outputInJson).join("\n");
	if (LABELLED.test(own)) return own.replace(LABELLED, "").replace(LABELS_AFTER, "");
	return own.replace(WARNING, "").replace(EXIT_AFTER, "$1");
}

function outputInJson(line: string): string {
	if (!line.startsWith("{") || !line.includes('"output"')) return line;
	try {
		const output = asText(asObject(JSON.parse(line))?.["output"]);
		return output === undefined ? line : output.replace(/\n$/, "");
	} catch {
		return line;
	}
}

/** The reader has noted the lines; the hash of their text tells where in the result it is. */
function notedSlice({ path, from, to, hash }: NotedRead, output: string): ShownSlice[] {
	const found = [output, ...textsWithin(output)].find((text) => sha256(text) === hash);
	if (found === undefined || isOutline(found)) return [];
	const [within] = found === output ? textsWithin(output) : [];
	const bare = withoutLineNumbers(within ?? found, from);
	return [{ path, from: bare.from, to, text: bare.text, whole: false }];
}

const LINE_NUMBER = /^\s*(\d{1,7})(?:→|\t|: ?|\. | ?\| ?)/;

/** The text without numbers that count up before its lines. */
function withoutLineNumbers(text: string, from: number): { readonly text: string; readonly from: number } {
	const first = LINE_NUMBER.exec(text);
	if (!first) return { text, from };
	const start = Number(first[1]);
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	const bare = lines.map((line, at) => {
		const numbered = LINE_NUMBER.exec(line);
		return numbered && Number(numbered[1]) === start + at ? line.slice(numbered[0].length) : undefined;
	});
	const isNumbered = bare.every((line) => line !== undefined);
	return isNumbered ? { text: bare.join("\n"), from: firstLine(start) } : { text, from };
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
		readEnclosedSlice(result.text, asked) ??
		readPlainSlice(call, result, asked)
	);
}

/** The second half tells our outline from a file that begins with the same words. */
export function isOutline(text: string): boolean {
	return text.startsWith(OUTLINE) && /^[^\n]* It is kept whole as b-[0-9a-f]{12}; this is its outline\.\]\n/.test(text);
}

/** Asked for line 0, Claude Code shows the file from its first line, and numbers the lines from 0. */
function firstLine(number: number): number {
	return Math.max(1, number);
}

/** Claude Code stores the slice in the details. */
function readNotedSlice(value: unknown, asked: string): ShownSlice | undefined {
	const file = asObject(value);
	const text = file?.["content"];
	if (!file || typeof text !== "string") return undefined;
	const from = firstLine(asInteger(file["startLine"]) ?? 1);
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
	const start = Number(first[1]);
	const from = firstLine(start);
	const lines: string[] = [];
	for (const line of text.split("\n")) {
		const numbered = /^\s*(\d+)(?:→|\t)(.*)$/s.exec(line);
		if (!numbered || Number(numbered[1]) !== start + lines.length) break;
		lines.push(numbered[2] ?? "");
	}
	const to = from + lines.length - (lines.at(-1) === "" ? 2 : 1);
	return { path: asked, from, to, text: lines.join("\n"), whole: false };
}

/** opencode numbers the lines, between tags. */
function readEnclosedSlice(output: string, asked: string): ShownSlice | undefined {
	const lines = enclosedLines(output);
	if (lines === undefined) return undefined;
	const { text, from } = withoutLineNumbers(lines, 1);
	return { path: asked, from, to: from + countLines(text) - 1, text, whole: false };
}

function enclosedLines(output: string): string | undefined {
	return /<content>\n([\s\S]*?)\n(?:\n\([^\n]*\)\n)?<\/content>/.exec(output)?.[1];
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
	const numbered = enclosedLines(output);
	if (numbered === undefined) return;
	const text = numbered.replaceAll(/^\d+: /gm, "");
	yield text;
	yield `${text}\n`;
}

const HEAD_END = "\nOutput:\n";
