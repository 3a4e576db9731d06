import { renderStats, viewStats } from "../../../view/stats.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ engine }: Call<"stats">): CommandResult {
	const stats = viewStats(engine.log, engine.history);
	return { data: stats, lines: (out) => renderStats(stats, out) };
}
