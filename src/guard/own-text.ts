/** The text that a call makes of a file, from its arguments alone, whichever tool it calls. */
import { asText } from "../base/json/read.ts";
import { plainText } from "../base/text/lines.ts";
import { editsOf, type FileChange, patchedBy } from "../state/session/file-change.ts";
import { locateNamed, type Target } from "./call.ts";
import type { GuardCall } from "./types.ts";

/** A text that the call replaces, and the text in its place. */
export interface OwnReplacement {
	readonly before: string;
	readonly after: string;
	/** Every occurrence is meant. */
	readonly all: boolean;
	/** The text is whole lines. */
	readonly isLines: boolean;
}

/** The whole text that the call writes to the file. Undefined: it edits, moves, or lets its tool decide. */
export function writtenText(call: GuardCall, target: Target): string | undefined {
	const content = asText(call.input["content"]);
	if (content !== undefined) return content;
	const [change] = patchedIn(call, target).filter(({ kind, movedFrom }) => kind === "write" && movedFrom === undefined);
	return change && (change.hunks ?? []).map(({ lines }) => textOf(lines, "+")).join("");
}

/** What the call replaces in the file; empty: it names no text. */
export function replacementsOf(call: GuardCall, target: Target): OwnReplacement[] {
	const edits = editsOf(call.input).map(({ before, after, all }) => ({
		before: plainText(before),
		after: plainText(after),
		all,
		isLines: false,
	}));
	if (edits.length > 0) return edits;
	return patchedIn(call, target)
		.filter(({ kind }) => kind === "edit")
		.flatMap(({ hunks = [] }) => hunks)
		.map(({ lines }) => ({ before: textOf(lines, "-"), after: textOf(lines, "+"), all: false, isLines: true }));
}

/** The file's text, with \n for line ends, after the call's own edits. Undefined: they do not fit, or cannot be computed. */
export function editedText(call: GuardCall, target: Target, before: string): string | undefined {
	const replacements = replacementsOf(call, target);
	if (replacements.length === 0) return undefined;
	return replacements.reduce<string | undefined>(
		(text, replacement) => (text === undefined ? undefined : replaced(text, replacement)),
		plainText(before),
	);
}

function replaced(text: string, { before, after, all, isLines }: OwnReplacement): string | undefined {
	if (before === "") return undefined;
	if (!isLines) {
		const parts = text.split(before);
		return parts.length === 2 || (parts.length > 2 && all) ? parts.join(after) : undefined;
	}
	const lines = `\n${text.replace(/\n?$/, "\n")}`;
	const parts = lines.split(`\n${before}`);
	return parts.length === 2 ? parts.join(`\n${after}`).slice(1) : undefined;
}

function patchedIn(call: GuardCall, { absolute }: Target): FileChange[] {
	return patchedBy(call.input).filter(({ path }) => locateNamed(path, call).absolute === absolute);
}

/** One side of a hunk: its lines with this mark, and those without a mark. */
function textOf(lines: readonly string[], mark: "+" | "-"): string {
	return lines.flatMap((line) => (line[0] === mark || line[0] === " " ? [`${line.slice(1)}\n`] : [])).join("");
}
