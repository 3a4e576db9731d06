import { itemsForUser } from "../../../agent/live/recall-block.ts";
import { answerQuestion, renderAnswer } from "../../../ask/answer.ts";
import { printable } from "../../../base/text/printable.ts";
import { EVERYONE } from "../../../state/session/scope.ts";
import { EXIT } from "../exit-code.ts";
import type { Call, CommandResult } from "../frame.ts";

const MORE = "'weft show HANDLE' shows a source; 'weft grep' searches for exact words.";

/** The user may ask about everybody's sessions. */
export function run({ context, engine, args, options }: Call<"ask">): CommandResult {
	const { now = context.now(), ...narrowing } = options;
	const answer = answerQuestion(
		{
			log: engine.log,
			session: undefined,
			scope: EVERYONE,
			state: () => engine.state().state,
			memory: (words) => (engine.settings.memory ? itemsForUser(engine, words) : []),
			root: engine.project.root,
			now,
		},
		{ question: args.join(" "), ...narrowing },
	);
	return {
		data: answer,
		lines: () => printable(renderAnswer(answer, { more: MORE })).split("\n"),
		// As grep does: nothing was found.
		code: answer.found ? EXIT.ok : EXIT.failed,
	};
}
