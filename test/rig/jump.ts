/**
 * A Pi extension for tests: `/jump ENTRY` moves the session's leaf there, as a person does in Pi's tree view; `/jump ENTRY
 * summary` lets Pi summarise the branch that is left. `/again` loads all extensions again, as `/reload` does.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function jump(pi: ExtensionAPI): void {
	pi.registerCommand("jump", {
		description: "Go to an entry of the session's tree",
		handler: async (args, ctx) => {
			const [entry = "", how] = args.trim().split(" ");
			await ctx.navigateTree(entry, { summarize: how === "summary" });
		},
	});
	pi.registerCommand("again", {
		description: "Load all extensions again",
		handler: async (_args, ctx) => ctx.reload(),
	});
}
