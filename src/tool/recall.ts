/** Asks the project's memory a question. */
import { refusal, type ToolRunner, textArgument } from "./types.ts";

const MAX_QUERY_CHARS = 4_000;
const ELSEWHERE = 'lcm_grep with "session": "all" searches the earlier sessions.';

export const recall: ToolRunner = {
	async run({ memory }, args) {
		const query = textArgument(args["query"]).trim();
		if (query === "") return refusal("bad-query", "The question is empty. Say what it is about.");
		if (query.length > MAX_QUERY_CHARS) {
			return refusal(
				"bad-query",
				`The question has ${query.length} characters; at most ${MAX_QUERY_CHARS} are allowed.`,
			);
		}
		const state = memory?.state ?? "off";
		const found = state === "off" ? undefined : await memory?.recall(query);
		return { text: found ?? NOTHING[state], details: { memory: state, found: found !== undefined } };
	},
};

const NOTHING = {
	off: `This project keeps no memory: the setting memory is off. ${ELSEWHERE}`,
	empty: `Nothing is in this project's memory yet. ${ELSEWHERE}`,
	kept: `Nothing that this project remembers bears on it. ${ELSEWHERE}`,
} as const;
