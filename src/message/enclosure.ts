/**
 * Marks foreign text inside our text for a model: a file, a message, a summary. It is data and must not pass for ours.
 * Text without anything like our marks stays plain. Other text is announced in the line before it with the mark that
 * ends it; the mark is a hash of the whole text and of something its author could not know, so the text cannot contain
 * it. The text itself never changes: an agent may copy it into an edit.
 */
import { sha256 } from "../base/hash/sha256.ts";
import { cutToBytes } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { asItLooks, withoutTags, withTagsRead } from "./look-alike.ts";
import { CONTEXT_TAG, USER_TAG } from "./recall-tags.ts";
import { PROGRAM_BLOCKS } from "./user-words.ts";

/** Headings, our notices and handles at the start of a line, names of speakers, and tags around a conversation. */
const LIKE_OURS =
	/^[ \t]{0,3}(?:#{1,6}[ \t]|\[(?:lines|end|cut|more|warp|recalled\]|\d|…|[mesb]-[0-9a-f]|(?:session|memory|workspace|history)\/)|[-*] (?:\()?[mesb]-[0-9a-f]|(?:task|plan|asked last|you said last) \(|done for it:|(?:repository|intent|decisions|progress|latency):|(?:open failures|working set) \(|the (?:newest request|request of this run)|earlier turns of|(?:human|user|assistant|system|developer|tool):)|<\s*\/?\s*(?:runtime|summary|system|user|assistant|human|context|history|conversation|source|tool)[\w-]*(?:\s[^<>]*)?\/?>|up to \[end /im;

const MARK_DIGITS = 8;

export interface Enclosure {
	/** For the line before the text: `up to [end 1a2b3c4d]`; empty: the text needs no mark. */
	readonly until: string;
	/** Goes after the text, with its line break. */
	readonly end: string;
}

const NONE: Enclosure = { until: "", end: "" };

/** The most bytes that both parts take, with a comma and brackets around the first. */
export const ENCLOSURE_BYTES = 48;

/** `salt`: a name that the author of the text could not foresee: a session, a handle. */
export function enclose(text: string, salt: string): Enclosure {
	return isLikeOurs(text) ? enclosure(text, salt) : NONE;
}

/** For lines that each begin with a sign or a number of ours, as in a diff: only tags and marks in them could mislead. */
export function encloseTags(text: string, salt: string): Enclosure {
	return disarmTags(text) === text && !/up to \[end /i.test(asItLooks(text)) ? NONE : enclosure(text, salt);
}

function enclosure(text: string, salt: string): Enclosure {
	const mark = `[end ${sha256(`${salt}\n${text}`).slice(0, MARK_DIGITS)}]`;
	return { until: `up to ${mark}`, end: `\n${mark}` };
}

const ANNOUNCED = /up to (\[end [0-9a-f]+\])/g;

/**
 * The start of a text of ours, with the mark of the enclosed text in which it was cut. Foreign text with a mark of its own is
 * itself enclosed, so only what is announced outside of it is ours.
 */
export function cutBetweenMarks(text: string, bytes: number): string {
	if (Buffer.byteLength(text) <= bytes) return text;
	const cut = cutToBytes(text, Math.max(0, bytes - ENCLOSURE_BYTES));
	let at = 0;
	for (;;) {
		ANNOUNCED.lastIndex = at;
		const found = ANNOUNCED.exec(cut);
		const mark = found?.[1];
		if (mark === undefined) return cut;
		const end = cut.indexOf(`\n${mark}`, ANNOUNCED.lastIndex);
		if (end < 0) return `${cut}\n${mark}`;
		at = end + mark.length + 1;
	}
}

/** True: the text needs a mark. */
export function isLikeOurs(text: string): boolean {
	return [text, asItLooks(text), asItLooks(withTagsRead(text))].some(
		(seen, at, all) => !all.slice(0, at).includes(seen) && hasMarks(seen),
	);
}

/** A tag of a program counts also if it is cut, or if its line end is an escape of JSON. */
function hasMarks(text: string): boolean {
	return LIKE_OURS.test(text) || text.search(PROGRAM_TAG) !== -1;
}

/** Tags around what a program says to a model. Ours, and those with which agents mark their own words in a user's message. */
const PROGRAM_TAGS = [CONTEXT_TAG, USER_TAG, ...PROGRAM_BLOCKS];
const PROGRAM_TAG = new RegExp(
	`<(?=\\s*/?\\s*(?:${PROGRAM_TAGS.map((name) => name.replaceAll(/[-_]/g, "[-_ ]")).join("|")})(?![\\w-]))`,
	"gi",
);

/**
 * Text that cannot open or close a block of a program, in any spelling. For words that need not be exact: the text of a file
 * is enclosed instead. In a text with a hidden tag every bracket like `<` becomes `‹`.
 */
export function disarmTags(text: string): string {
	if (hasSpeltTag(text)) return disarmTags(withoutTags(text));
	const disarmed = text.replace(PROGRAM_TAG, "‹");
	if (!hasHiddenTag(disarmed)) return disarmed;
	// All else stays as it was written, capital letters too.
	const bare = Array.from(disarmed, (char) => (asItLooks(char) === "<" ? "‹" : char)).join("");
	return hasHiddenTag(bare) ? asItLooks(bare).replace(PROGRAM_TAG, "‹") : bare;
}

function hasHiddenTag(text: string): boolean {
	const seen = asItLooks(text);
	return seen !== text && seen.search(PROGRAM_TAG) !== -1;
}

/** Spelt, wholly or in part, in characters that nobody sees. */
function hasSpeltTag(text: string): boolean {
	const read = withTagsRead(text);
	return read !== text && asItLooks(read).search(PROGRAM_TAG) !== -1;
}

/** A name for use inside a line of ours. */
export function nameInLine(name: string): string {
	return disarmTags(name.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")).replaceAll("[end ", "(end ");
}

/** Quoted words for use inside a line of ours. */
export function wordsInLine(text: string): string {
	return nameInLine(oneLine(text));
}

/** Words in a list of ours: in quotes if they look like a line of ours. */
export function quoteInList(words: string): string {
	return isLikeOurs(words) || isLikeOurs(`- ${words}`) ? `"${words}"` : words;
}

/** A name at the start of a line of ours: one that looks like a heading or a notice is written as a path. */
export function nameAtStart(name: string): string {
	const line = nameInLine(name);
	return isLikeOurs(line) || /^\[|^[^/]*:\s*$/.test(line) ? `./${line}` : line;
}
