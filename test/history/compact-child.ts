/** Compacts the session of the log in the given folder with a slow model, and says when it has begun. */
import { compact } from "../../src/state/history/compact.ts";
import type { Summariser } from "../../src/state/history/summariser.ts";
import { openHistory, START } from "./rig.ts";

const { history } = openHistory(process.argv[2]!);
const model: Summariser = {
	name: "a/slow",
	async summarise() {
		process.stdout.write(".");
		await new Promise((resolve) => setTimeout(resolve, 3));
		return { text: "Some steps were made to work." };
	},
};
await compact(history, {
	session: { session: "0199-history", host: "pi" },
	settings: { leafChunkTokens: 700, keepTokens: 700 },
	models: [model],
	now: () => START,
});
