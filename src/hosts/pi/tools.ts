/**
 * The model's tools, given to Pi. Called again after a seal or a compaction, it renews the guidelines with their counts;
 * between two of them they stay as they are, because they stand in the system prompt.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { historyGuidelines, TOOLS } from "../../tool/catalogue.ts";
import { lcmGrep } from "../../tool/grep.ts";
import type { Tool, ToolContext } from "../../tool/types.ts";
import type { Live } from "./live.ts";

export function registerTools(pi: ExtensionAPI, live: () => Live | undefined): void {
	for (const tool of TOOLS) {
		pi.registerTool({
			name: tool.name,
			label: tool.label,
			description: tool.description,
			promptSnippet: tool.promptSnippet,
			promptGuidelines: guidelinesOf(tool, live()),
			parameters: tool.parameters,
			execute: async (_callId, params, signal) => {
				const now = live();
				// Pi makes a thrown error an error result with its message.
				if (!now) throw new Error("weft keeps no record of this session, so there is nothing to ask it.");
				const { text, details, isError } = await tool.run(toolContext(now, signal), params as Record<string, unknown>);
				if (isError) throw new Error(text);
				return { content: [{ type: "text", text }], details };
			},
		});
	}
}

export function toolContext(live: Live, signal?: AbortSignal): ToolContext {
	const leaf = live.leaf();
	return {
		history: live.engine.history,
		session: live.session,
		now: Date.now(),
		...(leaf === undefined ? {} : { leaf }),
		...(signal ? { signal } : {}),
	};
}

/** The counts stand once, with the first tool, and only when there is something to count. */
function guidelinesOf(tool: Tool, live: Live | undefined): string[] {
	const stats = tool === lcmGrep ? live?.engine.history.stats(live.session) : undefined;
	const counts = stats && stats.nodes > 0 ? historyGuidelines(stats).slice(0, 1) : [];
	return [...counts, ...tool.promptGuidelines];
}
