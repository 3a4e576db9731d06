/** Every path that came by in calls and results: the map of the project as the agent has seen it. Bounded. */
import { emptyRecent, getRecent, putRecent, type Recent } from "../fold/keyed.ts";
import type { StateFold } from "../fold/state-fold.ts";
import { asObject, asText } from "../json/read.ts";
import { viewMessage } from "../message/view.ts";

export interface PathState {
	/** Path to the number of messages when it was last seen. */
	seen: Recent<number>;
	messages: number;
}

const MOST_PATHS = 2_000;
const SCANNED_CHARS = 40_000;
/** Folders joined by slashes with an ending, as files of a project are named; no URLs, no dependencies. */
const PATH = /(?<![\w/.:@+-])\.?\/?(?:[\w@.+-]+\/)+[\w@+-][\w.+-]*\.[A-Za-z][A-Za-z0-9]{0,7}\b/g;

export const pathFold: StateFold<PathState> = {
	name: "paths",
	version: 3,
	initial: () => ({ seen: emptyRecent(), messages: 0 }),
	step(state, record) {
		if (record.type !== "Message") return;
		state.messages++;
		const role = record.payload["role"];
		if (role !== "assistant" && role !== "toolResult") return;
		for (const block of viewMessage(record.payload).blocks) {
			if (block.kind === "result") note(state, block.text);
			if (block.kind !== "call") continue;
			const input = asObject(block.input) ?? {};
			for (const key of ["path", "file_path", "command"]) note(state, asText(input[key]) ?? "");
		}
	},
};

function note(state: PathState, text: string): void {
	for (const [found] of text.slice(0, SCANNED_CHARS).matchAll(PATH)) {
		const path = found.replace(/^\.\//, "");
		if (path.length > 160 || !path.includes("/") || path.startsWith("..") || path.includes("node_modules/")) continue;
		if (getRecent(state.seen, path) !== state.messages) putRecent(state.seen, path, state.messages, MOST_PATHS);
	}
}
