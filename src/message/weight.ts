/**
 * How much of a model's window does a message take? An estimate from everything in it that reaches the wire. Ids and signatures do not
 * count: they differ between agents and providers for the same message, and are small or not charged.
 */
import { estimateTokens } from "../base/tokens/estimate.ts";
import { type Block, type Form, type MessageView, readWire } from "./view.ts";

/** The charge for a picture of usual size. It does not depend on the bytes of the picture. */
export const IMAGE_TOKENS = 1_600;
/** Role, ids and punctuation of the wire format. */
const MESSAGE_TOKENS = 4;

const weights = new WeakMap<MessageView, number>();

/** 0 for a message that the agent does not send. */
export function weighMessage(view: MessageView): number {
	if (!view.isSent) return 0;
	let tokens = weights.get(view);
	if (tokens === undefined) {
		const { shown, blocks } = view;
		const said =
			shown === undefined ? blocks.reduce((sum, block) => sum + weighBlock(block), 0) : estimateTokens(shown);
		tokens = MESSAGE_TOKENS + said;
		weights.set(view, tokens);
	}
	return tokens;
}

/** The weight of a bare message in a form. */
export function weighWire(message: unknown, form: Form): number {
	return weighMessage(readWire(message, form));
}

function weighBlock(block: Block): number {
	switch (block.kind) {
		case "text":
		case "thinking":
		case "other":
			return estimateTokens(block.text);
		case "result":
			return estimateTokens(block.shown);
		case "call":
			return estimateTokens(block.tool) + estimateTokens(inputText(block.input));
		case "image":
			return IMAGE_TOKENS;
	}
}

/** Arguments go out as JSON. A value that cannot be JSON does not go out. */
function inputText(input: unknown): string {
	if (typeof input === "string") return input;
	try {
		return JSON.stringify(input) ?? "";
	} catch {
		return "";
	}
}
