/** About how many tokens a message of any form is: its texts and arguments by bytes, a picture by a fixed price. */
import { estimateTokens } from "../tokens/estimate.ts";
import { IMAGE_TOKENS } from "../transcript/weigh.ts";

/** Role, ids and punctuation of the wire format. */
const MESSAGE_TOKENS = 4;
const DEEPEST_LEVEL = 64;

export function weighWire(message: unknown): number {
	return MESSAGE_TOKENS + weigh(message, new Set());
}

function weigh(value: unknown, above: Set<object>): number {
	if (typeof value === "string") return estimateTokens(value);
	if (value === null || typeof value !== "object") return 0;
	if (isPicture(value)) return IMAGE_TOKENS;
	// A cycle weighs nothing more: it cannot be sent anyway.
	if (above.has(value) || above.size >= DEEPEST_LEVEL) return 0;
	above.add(value);
	let tokens = 0;
	for (const [key, field] of Object.entries(value)) {
		if (isOverhead(key, field)) continue;
		tokens += weigh(field, above);
		// Names of arguments are text that the model reads; those of the format are overhead.
		if (!Array.isArray(value) && above.size > 2) tokens += estimateTokens(key);
	}
	above.delete(value);
	return tokens;
}

/** Pi: { type: "image", data }. Anthropic: { type: "image", source: { data } }. OpenAI: { type: "image_url", … }. */
function isPicture(value: object): boolean {
	const type = (value as { readonly type?: unknown }).type;
	return type === "image" || type === "image_url" || type === "input_image";
}

function isOverhead(key: string, field: unknown): boolean {
	return (key === "role" || key === "type") && typeof field === "string" && field.length < 32;
}
