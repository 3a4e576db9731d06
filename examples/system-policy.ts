/**
 * A policy that sets a part of the system prompt after a turn. Once a tool has printed something that looks like a key, the
 * system prompt tells the model not to repeat it. weft stores each patch, so this one checks first whether the part is
 * there. The change breaks the cache once, and gives its reason.
 */
import type { HandlerApi } from "weft-context";

const PART = "key-policy";
const TEXT = "\n\n# Keys\n\nA key or token that appeared in tool output must not be written into files or answers.";
const LOOKS_LIKE_KEY = /\b(?:api|secret|access)[_-]?key\b/i;

export default function (weft: HandlerApi): void {
	weft.on("context", (event) => {
		if (event.reason !== "turn_end") return;
		const { system, messages } = event.state.envelope;
		if (system.parts.some(({ name }) => name === PART)) return;
		const seen = messages.cached.some(({ role, content }) => {
			return role === "toolResult" && LOOKS_LIKE_KEY.test(JSON.stringify(content));
		});
		if (!seen) return;
		return {
			transformerName: "system-policy",
			patch: [
				{
					op: "system_part_set",
					scope: "cached",
					partName: PART,
					text: TEXT,
					invalidateCacheReason: "a tool printed a key",
				},
			],
		};
	});
}
