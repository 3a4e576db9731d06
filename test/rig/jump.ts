/** A Pi extension for tests: `/jump ENTRY` moves the session's leaf there, as a person does in Pi's tree view. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function jump(pi: ExtensionAPI): void {
	pi.registerCommand("jump", {
		description: "Go to an entry of the session's tree",
		handler: async (entryId, ctx) => {
			await ctx.navigateTree(entryId, { summarize: false });
		},
	});
}
