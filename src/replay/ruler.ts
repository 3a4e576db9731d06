/**
 * The ruler of a comparison: what a message weighs, for all modes and for the host alike. Bytes of every word that a model
 * reads, divided by 3.2, and 1,600 for a picture. The planner's own counts follow the model's tokenizer as it becomes known;
 * this one never changes, so that two replays of one file can be compared.
 */

import { BYTES_PER_TOKEN } from "../base/tokens/estimate.ts";
import type { EnvelopeMessage } from "../context/envelope/envelope.ts";
import { guessForm, readWire, shownText } from "../message/view.ts";
import { IMAGE_TOKENS } from "../message/weight.ts";

interface Measured {
	/** Every word in it that a model reads. */
	readonly text: string;
	readonly tokens: number;
}

const measured = new WeakMap<EnvelopeMessage, Measured>();

export function measureMessage(message: EnvelopeMessage): Measured {
	const known = measured.get(message);
	if (known) return known;
	const view = readWire(message, guessForm(message));
	const text = shownText(view);
	const pictures = view.shown === undefined ? view.blocks.filter(({ kind }) => kind === "image").length : 0;
	const made = { text, tokens: Buffer.byteLength(text, "utf8") / BYTES_PER_TOKEN + pictures * IMAGE_TOKENS };
	measured.set(message, made);
	return made;
}

export function sumTokens(messages: readonly EnvelopeMessage[]): number {
	return messages.reduce((sum, message) => sum + measureMessage(message).tokens, 0);
}
