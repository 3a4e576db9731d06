/** Paths that appeared in calls and results: the project as the agent has seen it. Bounded. */

import { asObject, asText } from "../../base/json/read.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import type { StateFold } from "../../log/fold/state-fold.ts";
import { viewMessage } from "../../message/view.ts";

export interface PathState {
	/** Path to the number of messages when it last appeared. */
	seen: Recent<number>;
	messages: number;
}

const MAX_PATHS = 2_000;
const MAX_SCANNED_CHARS = 40_000;
/** Folders and a file name with an extension. No URLs, no dependencies, no ranges of commits, no calls of a regular expression. */
const PATH = String.raw`[.~]?/?(?:[\w@.+-]+/)+[\w@+-][\w.+-]*\.[A-Za-z][A-Za-z0-9]{0,7}\b`;
const NAMED = new RegExp(String.raw`(?<![\w/.:@+~)}*-])(${PATH})(?!\()`, "g");
/** In results only a path at the start of a line counts, as searches, lists and compilers print it. */
const LISTED = new RegExp(String.raw`^[ \t]*(?:[MADRCU?!]{1,2}[ \t]+)?(${PATH})(?=$|[\s:(,])`, "gm");

export const pathFold: StateFold<PathState> = {
	name: "paths",
	version: 5,
	initial: () => ({ seen: emptyRecent(), messages: 0 }),
	step(state, record) {
		if (record.type !== "Message") return;
		state.messages++;
		const role = record.payload["role"];
		if (role !== "assistant" && role !== "toolResult") return;
		for (const block of viewMessage(record.payload).blocks) {
			if (block.kind === "result") note(state, block.text, LISTED);
			if (block.kind !== "call") continue;
			const input = asObject(block.input) ?? {};
			for (const key of ["path", "file_path", "command"]) note(state, asText(input[key]) ?? "", NAMED);
		}
	},
};

function note(state: PathState, text: string, pattern: RegExp): void {
	for (const [, found = ""] of text.slice(0, MAX_SCANNED_CHARS).matchAll(pattern)) {
		const path = found.replace(/^\.\//, "");
		if (path.length > 160 || !path.includes("/") || path.includes("..") || path.includes("node_modules/")) continue;
		if (getRecent(state.seen, path) !== state.messages) putRecent(state.seen, path, state.messages, MAX_PATHS);
	}
}
