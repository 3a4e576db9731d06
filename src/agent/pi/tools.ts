/** Registers the model's tools with Pi. Their guidelines are constant; `history-guidelines.ts` adds counts after a seal. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { TOOLS } from "../../tool/catalogue.ts";
import type { ToolContext } from "../../tool/types.ts";
import { threadRenderer } from "../live/thread-renderer.ts";
import type { LivePi } from "./live.ts";

export function registerTools(pi: ExtensionAPI, live: () => LivePi | undefined): void {
	for (const { name, label, description, promptSnippet, promptGuidelines, parameters, run } of TOOLS) {
		pi.registerTool({
			name,
			label,
			description,
			promptSnippet,
			promptGuidelines: [...promptGuidelines],
			parameters,
			execute: async (_callId, params, signal) => {
				const now = live();
				// Pi turns a thrown error into an error result with its message.
				if (!now) throw new Error("weft keeps no record of this session, so there is nothing to ask it.");
				const { text, details, isError } = await run(toolContext(now, signal), params as Record<string, unknown>);
				if (isError) throw new Error(text);
				return { content: [{ type: "text", text }], details };
			},
		});
	}
}

export function toolContext(live: LivePi, signal?: AbortSignal): ToolContext {
	const { engine, session } = live;
	const renderThread = threadRenderer(engine, session);
	return { history: engine.history, session, now: Date.now(), leaf: live.leaf(), signal, renderThread };
}
