/**
 * The ruler of a comparison: the tokens of a message, counted alike for all modes and the host. Bytes of the text that a
 * model reads divided by 3.2, plus 1,600 for each image. The planner's counts adapt to the model's tokenizer; this one
 * never changes, so that two replays of a file can be compared.
 */

import { BYTES_PER_TOKEN } from "../base/tokens/estimate.ts";
import type { EnvelopeMessage } from "../context/envelope/envelope.ts";
import { guessForm, readWire, shownText } from "../message/view.ts";
import { IMAGE_TOKENS } from "../message/weight.ts";

interface MeasuredMessage {
	/** All text of the message that a model reads. */
	readonly text: string;
	readonly tokens: number;
}

const measured = new WeakMap<EnvelopeMessage, MeasuredMessage>();

export function measureMessage(message: EnvelopeMessage): MeasuredMessage {
	const known = measured.get(message);
	if (known) return known;
	const view = readWire(message, guessForm(message));
	const text = shownText(view);
	const images = view.shown === undefined ? view.blocks.filter(({ kind }) => kind === "image").length : 0;
	const result = { text, tokens: Buffer.byteLength(text, "utf8") / BYTES_PER_TOKEN + images * IMAGE_TOKENS };
	measured.set(message, result);
	return result;
}

export function sumTokens(messages: readonly EnvelopeMessage[]): number {
	return messages.reduce((sum, message) => sum + measureMessage(message).tokens, 0);
}
