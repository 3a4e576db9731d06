/** Answers a question about the work in plain words. */
import { answerQuestion, renderAnswer } from "../ask/answer.ts";
import type { AskInput } from "../ask/types.ts";
import { EngineError } from "../base/error/engine-error.ts";
import { parseTime } from "../base/text/time.ts";
import { refusal, type ToolRunner, textArgument, unknownArguments } from "./types.ts";

const MAX_QUESTION_CHARS = 4_000;
const ARGUMENTS = ["question", "after", "before", "agent", "session", "path"] as const;
const MORE = "lcm_expand gives the source of an id in brackets; lcm_grep searches for exact words.";

export const ask: ToolRunner = {
	async run({ history, session, scope, now, knowledge }, args) {
		const unknown = unknownArguments(args, ARGUMENTS);
		if (unknown) return unknown;
		const question = textArgument(args["question"]).trim();
		if (question === "") return refusal("bad-query", "The question is empty. Ask in words what you want to know.");
		if (question.length > MAX_QUESTION_CHARS) {
			return refusal(
				"bad-query",
				`The question has ${question.length} characters; at most ${MAX_QUESTION_CHARS} are allowed.`,
			);
		}
		if (!knowledge) return refusal("not-found", "weft keeps no record of this project, so there is nothing to ask it.");
		try {
			history.catchUp();
			const input = inputOf(question, args, now);
			const answer = answerQuestion({ ...knowledge, log: history.log, session, scope, now }, input);
			const sessions = answer.sessions.map((each) => each.session);
			return { text: renderAnswer(answer, { more: MORE }), details: { found: answer.found, sessions } };
		} catch (error) {
			if (error instanceof EngineError) return refusal(error.code, error.message);
			throw error;
		}
	},
};

function inputOf(question: string, args: Readonly<Record<string, unknown>>, now: number): AskInput {
	const given = (name: (typeof ARGUMENTS)[number]) => textArgument(args[name]).trim() || undefined;
	const time = (name: "after" | "before") => {
		const text = given(name);
		return text === undefined ? undefined : parseTime(text, now);
	};
	const session = given("session");
	return {
		question,
		since: time("after"),
		until: time("before"),
		agent: given("agent"),
		// As in lcm_grep. Here it is the default.
		session: session === "all" ? undefined : session,
		path: given("path"),
	};
}
