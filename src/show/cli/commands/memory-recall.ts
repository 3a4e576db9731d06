import { explainRecall } from "../../../agent/live/recall-block.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { renderRecall, viewRecall } from "../../../view/memory-recall.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

export function check({ args }: CheckCall<"memory recall">): void {
	if (args.join("").trim() === "") throw new EngineError("usage", 'Give a question: weft memory recall "question".');
}

/** Shows what recall would add before such a message. Writes nothing. */
export async function run({
	context,
	engine,
	args,
	options: { explain },
}: Call<"memory recall">): Promise<CommandResult> {
	const question = args.join(" ");
	const view = viewRecall(question, await explainRecall(engine, question, context.now()));
	return { data: view, lines: (out) => renderRecall(view, out, { explain }) };
}
