/**
 * The words about the history in Pi's system prompt: one constant, as a section of its own, so that the bytes of the
 * prompt stay as they are. In `woven` from the first request on, in `lossless` from the first compaction.
 */
import type { BeforeAgentStartEvent } from "@earendil-works/pi-coding-agent";
import { HISTORY_PREAMBLE } from "../../tool/catalogue.ts";
import type { LiveSession } from "./live-session.ts";

export const SECTION_NAME = "lossless_context";

export function addPrompt(event: BeforeAgentStartEvent, live: LiveSession): void {
	if (!isWanted(live)) return;
	event.systemPromptOptions.sections[SECTION_NAME] = HISTORY_PREAMBLE.trim();
}

function isWanted(live: LiveSession): boolean {
	if (live.mode() === "woven") return true;
	return live.mode() === "lossless" && live.engine.history.newestNode(live.session) > 0;
}
