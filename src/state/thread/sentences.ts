/** Splits prose into sentences, in any language, and tells prose from pasted text. */

const CODE_FENCE = /```[\s\S]*?(?:```|$)/g;
/**
 * The end of a sentence: in scripts with spaces a space follows; in Chinese and Japanese none does. A colon after one to three
 * words is a label of what follows, and the number of an item in a list belongs to the item.
 */
const SENTENCE_END =
	/(?<=(?<!(?:^|[.:;!?)\]*_`]\s)\d{1,2})[.!?;…]["'”’)\]*_`]*|\p{L}[^\s:]+(?: [^\s:]+){3,}:["'”’)\]*_`]*)\s+|(?<=[。！？])/u;

/** Sentences of a text without its code blocks, one line at a time. */
export function sentencesOf(text: string): string[] {
	return text
		.replace(CODE_FENCE, "\n")
		.split("\n")
		.flatMap((line) => line.split(SENTENCE_END))
		.map((sentence) => sentence.trim())
		.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}
