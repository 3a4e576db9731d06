/** About how many tokens a message of any form is: its texts and arguments by bytes, a picture by a fixed price. */
import { estimateTokens } from "../tokens/estimate.ts";
import { IMAGE_TOKENS } from "./weigh.ts";

/** Role, ids and punctuation of the wire format. */
const MESSAGE_TOKENS = 4;
const DEEPEST_LEVEL = 64;

/** Part of the format, or of no size for a model: what they hold is in MESSAGE_TOKENS or is not charged as text. */
const OVERHEAD = new Set([
	"role",
	"type",
	"id",
	"toolCallId",
	"tool_call_id",
	"tool_use_id",
	"signature",
	"thinkingSignature",
	"textSignature",
	"thoughtSignature",
]);
const ARGUMENTS = new Set(["arguments", "input"]);

export function weighWire(message: unknown): number {
	return MESSAGE_TOKENS + weigh(message, { names: false, above: new Set() });
}

interface Place {
	/** Inside a call's arguments, where the names of fields are text that the model wrote, whatever they are called. */
	readonly names: boolean;
	readonly above: Set<object>;
}

function weigh(value: unknown, { names, above }: Place): number {
	if (typeof value === "string") return estimateTokens(value);
	if (value === null || typeof value !== "object") return names ? 1 : 0;
	if (!names && isPicture(value)) return IMAGE_TOKENS;
	// A cycle weighs nothing more: it cannot be sent anyway.
	if (above.has(value) || above.size >= DEEPEST_LEVEL) return 0;
	above.add(value);
	let tokens = 0;
	const isList = Array.isArray(value);
	for (const [key, field] of Object.entries(value)) {
		if (!names && OVERHEAD.has(key)) continue;
		tokens += weigh(field, { names: names || (!isList && ARGUMENTS.has(key)), above });
		if (names && !isList) tokens += estimateTokens(key);
	}
	above.delete(value);
	return tokens;
}

/** Pi: { type: "image", data }. Anthropic: { type: "image", source: { data } }. OpenAI: { type: "image_url", … }. */
function isPicture(value: object): boolean {
	const type = (value as { readonly type?: unknown }).type;
	return type === "image" || type === "image_url" || type === "input_image";
}
