/** The nodes of the history, one line each, the newest first: what is no longer there, and the handle to get it. */
import type { Node } from "../../../history/types.ts";
import { listSection, type Section } from "./section.ts";

export const HISTORY_SHARE = 0.05;

export function historySection(nodes: readonly Node[], budget: number): Section | undefined {
	const items = nodes.toReversed().map((node) => {
		return `- ${node.id} (depth ${node.depth}, ${node.messages} messages): ${node.topic.replaceAll("\n", " ")}`;
	});
	const heading = "## Earlier stretches (lcm_expand with the id gives them back)";
	return listSection("history", heading, items, budget, (left) => `[${left} older ones: lcm_describe]`);
}
