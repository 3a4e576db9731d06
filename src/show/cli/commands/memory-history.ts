import { memoryHistory, renderMemoryHistory } from "../../../view/memory-story.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ engine, options }: Call<"memory history">): CommandResult {
	const history = memoryHistory(engine, options.limit);
	return { data: history, lines: (out) => renderMemoryHistory(history, out) };
}
