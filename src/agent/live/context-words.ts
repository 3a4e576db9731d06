/**
 * The words that a model's context holds, however they are laid out: a seed quotes the user's sentences in lists, joins lines and
 * puts sections between sentences of one message. A text is held if each of its sentences is.
 */
import { sentencesOf } from "../../state/thread/sentences.ts";

export class ContextWords {
	readonly #words: string;

	constructor(texts: Iterable<string>) {
		this.#words = [...texts].map(wordsOf).join("");
	}

	/** Changed words are not held: one other value makes another sentence. */
	holds(text: string): boolean {
		const sentences = sentencesOf(text);
		return sentences.length === 0
			? this.#hasWords(text)
			: sentences.every((sentence) => this.#hasWords(sentence) || this.#hasWords(sentence.replace(LABEL, "")));
	}

	#hasWords(text: string): boolean {
		return this.#words.includes(wordsOf(text));
	}
}

/** `Asked: `, `Left open: `: one to three words about the words that follow. */
const LABEL = /^[^\s:]+(?: [^\s:]+){0,2}:\s+(?=\S)/u;

/** Letters and digits, each word between spaces. */
function wordsOf(text: string): string {
	return ` ${(
		text
			.normalize("NFKC")
			.toLowerCase()
			.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
	).join(" ")} `;
}

/** Every text in a value of JSON. */
export function* textsIn(value: unknown): Iterable<string> {
	if (typeof value === "string") yield value;
	else if (Array.isArray(value)) for (const each of value) yield* textsIn(each);
	else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) yield* textsIn(each);
}
