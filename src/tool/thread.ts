/** Lists what was asked, what holds, what is done, open and next in the session. */
import Type from "typebox";
import { refusal, type Tool } from "./types.ts";

const MAX_TOKENS = 1_500;

export const thread: Tool = {
	name: "thread",
	label: "Thread",
	description:
		"List what the user asked in this session, the rules, corrections and decisions that hold, what is done with proof, what is open and what is next, each with the id of its source.",
	promptSnippet: "List what was asked, what holds, what is done, open and next",
	promptGuidelines: [],
	parameters: Type.Object({}),
	async run({ renderThread }) {
		if (!renderThread) return refusal("not-found", "weft keeps no thread of this session.");
		return { text: renderThread(MAX_TOKENS), details: {} };
	},
};
