/** One bullet's words: as they may stand in a file of ours, and as they are compared. */
import { sha256 } from "../../base/hash/sha256.ts";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { maskAtOnce } from "../../base/text/mask.ts";
import { oneLine } from "../../base/text/printable.ts";
import { stripRecalled } from "./recall-tags.ts";

const ID_DIGITS = 8;
/** More than this of a text never becomes a bullet. */
const MAX_CHARS = 20_000;
export const ID_PATTERN = /^f-[0-9a-f]{8}$/;

/** In one line, without secrets, and without what would pass for a mark of ours or end a comment. Empty: there is nothing to keep. */
export function cleanText(text: string, maxChars: number): string {
	const line = oneLine(maskAtOnce(stripRecalled(text).slice(0, MAX_CHARS)))
		.replaceAll("<!--", "<!—")
		.replaceAll("-->", "—>")
		.replace(/<(\/?)(runtime_context|user_message)\b/gi, "‹$1$2")
		.replace(/^(?:[-*+]\s+)+/, "");
	return cutWithEllipsis(line, maxChars);
}

/** For comparing: the same words whatever their case, spacing and the way in which characters are composed. */
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

/** From what it says and where: the same bullet has the same id in whichever process it is made. */
export function bulletId(file: string, text: string, nth = 0): string {
	return `f-${sha256(`${file}\n${text}${nth === 0 ? "" : `\n${nth}`}`).slice(0, ID_DIGITS)}`;
}
