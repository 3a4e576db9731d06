/**
 * A part of the system prompt that a policy sets after a turn, here: once a tool has printed something that looks like a
 * key, the model is told not to repeat it. Setting it again with the same text would change nothing, but each patch is
 * stored: so it looks first. The change does cost the cache, once, and says why.
 */
// In a project of your own: from "weft-context".
import type { HandlerApi } from "../src/context/handler/handler.ts";

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
