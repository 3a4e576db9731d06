/** What a request says in a line: a title in SESSION.md, "Asked" in HISTORY.md. */
import { stripRecalled } from "../../message/recall-tags.ts";
import { proseOf } from "../thread/user-prose.ts";

/** `<current_datetime>…</current_datetime>`: a program put it before the words. */
const TAGGED = /^\s*<([a-z][\w-]*)>[^<\n]*<\/\1>\s*/i;
/** `# Plan: …`, `**Goal**`, `"# Context` */
const MARKS = /^["'\s]*(?:#{1,6}\s+|[-*+•]\s+|>\s+)?/;
/** A heading that any document has. */
const BARE_HEADING =
	/^(?:context|overview|background|summary|plan|task|goals?|instructions?|description|introduction)\W*$/i;
const MIN_CHARS = 3;

/** Without pasted lines where there are others; a line that only leads to the next has it behind it. */
export function requestGist(request: string): string {
	let text = stripRecalled(request).trim();
	for (let tag = TAGGED.exec(text); tag; tag = TAGGED.exec(text)) text = text.slice(tag[0].length);
	const prose = proseOf(text).trim();
	const lines = (prose === "" ? text : prose)
		.split("\n")
		.map((line) =>
			line
				.replace(MARKS, "")
				.replace(/\*\*(\p{L}[^*]*)\*\*/gu, "$1")
				.trim(),
		)
		.filter((line) => line.length >= MIN_CHARS && !BARE_HEADING.test(line));
	const [first = text.trim(), next] = lines;
	return /[:：]$/.test(first) && next !== undefined ? `${first} ${next}` : first;
}

/** Whether anything of the request was typed: not a paste alone, not the name of a command. */
export function isTyped(request: string): boolean {
	return /\p{L}{2}/u.test(proseOf(request)) && !/^\/[\w:-]+\s*$/.test(request.trim());
}
