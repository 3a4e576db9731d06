/** Lists what was asked, what holds, what is done, open and next in the session. */
import { refusal, type ToolRunner } from "./types.ts";

const MAX_TOKENS = 1_500;

export const thread: ToolRunner = {
	async run({ renderThread }) {
		if (!renderThread) return refusal("not-found", "weft keeps no thread of this session.");
		return { text: renderThread(MAX_TOKENS), details: {} };
	},
};
