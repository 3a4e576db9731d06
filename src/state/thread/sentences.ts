/** Splits prose into sentences, in any language, and tells prose from pasted text. */

const CODE_FENCE = /```[\s\S]*?(?:```|$)/g;
/** "am 10. Mai", "zum 3. Quartal": the full stop makes the number an ordinal. */
export const NO_ORDINAL = String.raw`(?<!(?<!\p{L})(?:am|vom|zum|zur|bis|ab|seit|im|der|die|das|dem|den|des) \d{1,2}\.)(?<!\d\.(?=\s+(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?!\p{L})))`;

/**
 * The end of a sentence: in scripts with spaces a space follows; in Chinese and Japanese none does. A colon after one to three
 * words is a label of what follows, and the number of an item in a list belongs to the item.
 */
const SENTENCE_END = new RegExp(
	String.raw`(?<=(?<!(?:^|[.:;!?)\]*_\x60]\s)\d{1,2})[.!?;…]["'”’)\]*_\x60]*|\p{L}[^\s:]+(?: [^\s:]+){3,}:["'”’)\]*_\x60]*)${NO_ORDINAL}\s+|(?<=[。！？])`,
	"u",
);

/** Sentences of a text without its code blocks, one line at a time. */
export function sentencesOf(text: string): string[] {
	return text
		.replace(CODE_FENCE, "\n")
		.split("\n")
		.flatMap((line) => withWholeCode(line.split(SENTENCE_END)))
		.map((sentence) => sentence.trim())
		.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** A sentence does not end inside a name in backticks. */
function withWholeCode(parts: readonly string[]): string[] {
	const whole: string[] = [];
	let isOpen = false;
	for (const part of parts) {
		const last = whole.length - 1;
		if (isOpen) whole[last] = `${whole[last]} ${part}`;
		else whole.push(part);
		if ((part.split("`").length - 1) % 2 === 1) isOpen = !isOpen;
	}
	// One that is never closed ends nothing.
	return isOpen ? [...parts] : whole;
}
