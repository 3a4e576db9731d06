import { renderTree, viewTree } from "../../../view/history.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ engine, session, options: { levels } }: Call<"tree">): CommandResult {
	const tree = viewTree(engine.history, session, { levels });
	return { data: tree, lines: (out) => renderTree(tree, out) };
}
