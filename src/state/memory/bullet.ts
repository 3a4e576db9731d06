/** The text of a bullet: cleaned for a memory file, and normalised for comparing. */
import { sha256 } from "../../base/hash/sha256.ts";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { maskAtOnce } from "../../base/text/mask.ts";
import { oneLine } from "../../base/text/printable.ts";
import { stripRecalled } from "./recall-tags.ts";

const ID_DIGITS = 8;
/** No bullet is made from more of a text. */
const MAX_CHARS = 20_000;
export const ID_PATTERN = /^f-[0-9a-f]{8}$/;

/** One line without secrets, and without anything that looks like a mark of ours or ends a comment. May be empty. */
export function cleanText(text: string, maxChars: number): string {
	const line = oneLine(maskAtOnce(stripRecalled(text).slice(0, MAX_CHARS)))
		.replaceAll("<!--", "<!—")
		.replaceAll("-->", "—>")
		.replace(/<(\/?)(runtime_context|user_message)\b/gi, "‹$1$2")
		.replace(/^(?:[-*+]\s+)+/, "");
	return cutWithEllipsis(line, maxChars);
}

/** For comparing: ignores case, spacing, final punctuation and how characters are composed. */
export function plainWords(text: string): string {
	return text
		.normalize("NFKC")
		.toLowerCase()
		.replace(/\s+/g, " ")
		.replace(/[.!,;:\s]+$/, "")
		.trim();
}

export function keyOfText(text: string): string {
	return sha256(plainWords(text)).slice(0, 24);
}

/** Derived from file and text: every process gives the same bullet the same id. */
export function bulletId(file: string, text: string, nth = 0): string {
	return `f-${sha256(`${file}\n${text}${nth === 0 ? "" : `\n${nth}`}`).slice(0, ID_DIGITS)}`;
}
