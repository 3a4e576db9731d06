import { renderTree, viewTree } from "../../../view/history.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { pickSession } from "../pick-session.ts";

export interface TreeCommandOptions {
	readonly session?: string;
	readonly levels?: string;
}

export async function run(context: Context, _args: readonly string[], options: TreeCommandOptions): Promise<void> {
	const levels = wholeNumber("--levels", options.levels) ?? Number.POSITIVE_INFINITY;
	const { out } = context;
	const engine = context.openExisting();
	try {
		const tree = viewTree(engine.history, pickSession(engine.log, options.session), { levels });
		if (out.json) return await out.document(tree);
		await out.lines(renderTree(tree, out));
	} finally {
		engine.close();
	}
}
