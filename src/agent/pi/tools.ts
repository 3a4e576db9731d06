/** Registers the model's tools with Pi. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { TOOLS } from "../../tool/catalogue.ts";
import type { ToolContext } from "../../tool/types.ts";
import { toolContext } from "../live/tool-context.ts";
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
				const { text, details, isError } = await run(contextOf(now, signal), params as Record<string, unknown>);
				if (isError) throw new Error(text);
				return { content: [{ type: "text", text }], details };
			},
		});
	}
}

export function contextOf(live: LivePi, signal?: AbortSignal): ToolContext {
	return toolContext(live.engine, live.session, { leaf: live.leaf(), signal });
}
