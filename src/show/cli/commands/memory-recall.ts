import { explainRecall } from "../../../agent/live/recall-for.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { renderRecall, viewRecall } from "../../../view/memory-recall.ts";
import type { Context } from "../context.ts";

/** `weft memory recall "question"`: what would stand before such a message. Writes nothing. */
export async function run(
	context: Context,
	words: readonly string[],
	{ explain = false }: { readonly explain?: boolean },
): Promise<void> {
	const { out } = context;
	if (words.join("").trim() === "") throw new EngineError("usage", 'Say what about: weft memory recall "question".');
	const engine = context.openExisting();
	try {
		const question = words.join(" ");
		const view = viewRecall(question, await explainRecall(engine, question, Date.now()));
		if (out.json) return await out.document(view);
		await out.lines(renderRecall(view, out, { explain }));
	} finally {
		engine.close();
	}
}
