/** The gist of a summary: its beginning in one line, without headings and Markdown. */
import { cutStart } from "../../base/text/cut.ts";
import { DETERMINISTIC } from "./deterministic/summarise.ts";
import type { History } from "./history.ts";
import type { Node } from "./types.ts";

const MAX_SCANNED_CHARS = 4_000;
const MIN_CHARS = 3;
const MIN_GIST_CHARS = 30;

/** At most `maxChars` characters, with an ellipsis if the text was cut. */
export function gistOf(text: string, maxChars: number): string {
	let gist = "";
	for (const line of wordsIn(text.slice(0, MAX_SCANNED_CHARS))) {
		gist = gist === "" ? line : `${gist}${/[.!?:;…]$/.test(gist) ? "" : ";"} ${line}`;
		if (gist.length > maxChars) return `${cutStart(gist, maxChars - 1).trimEnd()}…`;
	}
	return gist;
}

/** The gist of what models wrote for a node, or for the nodes below it, oldest first. Undefined: no model wrote any. */
export function gistByModels(
	history: Pick<History, "text" | "children">,
	node: Node,
	maxChars: number,
): string | undefined {
	if (node.model !== DETERMINISTIC) return gistOf(history.text(node), maxChars);
	const children = node.depth === 0 ? [] : history.children(node);
	const each = Math.floor(maxChars / Math.max(1, children.length)) - 2;
	const gists = children.flatMap((child) => (each < MIN_GIST_CHARS ? [] : (gistByModels(history, child, each) ?? [])));
	return gists.length === 0 ? undefined : gists.join("; ");
}

/** The first line that says something. */
export function firstWords(text: string, maxChars: number): string {
	const [line = ""] = wordsIn(text.slice(0, MAX_SCANNED_CHARS));
	return line.length <= maxChars ? line : `${cutStart(line, maxChars - 1).trimEnd()}…`;
}

/** Lines that say something, or the headings if there is nothing else. */
function wordsIn(text: string): string[] {
	const lines = text.split("\n").map((line) => line.trim());
	const said = lines.filter((line) => !isHeading(line)).map(plainWords);
	const kept = said.filter(({ length }) => length >= MIN_CHARS);
	return kept.length > 0 ? kept : lines.map(plainWords).filter(({ length }) => length >= MIN_CHARS);
}

/** `# Title`, `**Title**`, `__Title:__`, `Title:`, a rule, the fence of a block of code. */
function isHeading(line: string): boolean {
	return /^#{1,6}(?:\s|$)|^(?:[-*]\s+)?(\*\*|__).{0,80}\1:?$|^[^.!?]{0,60}:$|^[-=*_]{3,}$|^```/.test(line);
}

function plainWords(line: string): string {
	return line
		.replace(/^(?:[#>\s]+|[-*+]\s+(?:\[[ x]\]\s+)?|\d+[.)]\s+)+/i, "")
		.replace(/\*\*|(?<!\w)__|__(?!\w)/g, "")
		.replace(/\s+/g, " ")
		.trim();
}
