import { memoryHistory, renderMemoryHistory } from "../../../view/memory-story.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

const LIMIT = 50;

export async function run(
	context: Context,
	_args: readonly string[],
	options: { readonly limit?: string },
): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const history = memoryHistory(engine, wholeNumber("--limit", options.limit) ?? LIMIT);
		if (out.json) return await out.document(history);
		await out.lines(renderMemoryHistory(history, out));
	} finally {
		engine.close();
	}
}
