/** How much of a model's window does a message take? An estimate from what it says, not from the JSON that it is stored in. */

import { plainJson } from "../json/read.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import type { Block, MessageView } from "./message.ts";

/** What providers charge for a picture of usual size; its base64 says nothing about that. */
export const IMAGE_TOKENS = 1_600;
/** Role, ids and punctuation of the wire format. */
const MESSAGE_TOKENS = 4;

export function weighMessage(view: MessageView): number {
	let tokens = MESSAGE_TOKENS;
	for (const block of view.blocks) tokens += weighBlock(block);
	if (view.command) tokens += estimateTokens(view.command.command) + estimateTokens(view.command.output);
	return tokens;
}

function weighBlock(block: Block): number {
	switch (block.kind) {
		case "text":
		case "thinking":
		case "result":
			return estimateTokens(block.text);
		case "call":
			return estimateTokens(block.tool) + estimateTokens(plainJson(block.input));
		case "image":
			return IMAGE_TOKENS;
		case "other":
			return 0;
	}
}
