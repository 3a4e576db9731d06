import { cutStart } from "../../base/text/cut.ts";

/** Codex, Claude Code and opencode all pass on this much whole. */
const PAGE_BYTES = 40_000;

/** Cuts a text to one page, with a note at the end. */
export function page(text: string): string {
	if (Buffer.byteLength(text) <= PAGE_BYTES) return text;
	const note = "\n[Cut here: the answer is longer than one page. Ask for less at a time.]";
	const room = PAGE_BYTES - Buffer.byteLength(note);
	let chars = Math.min(text.length, room);
	while (Buffer.byteLength(cutStart(text, chars)) > room) chars = Math.floor(chars * 0.9);
	return cutStart(text, chars) + note;
}
