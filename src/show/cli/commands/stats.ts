import { renderStats, viewStats } from "../../../view/stats.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
	const { out } = context;
	const engine = context.openExisting();
	try {
		const stats = viewStats(engine.log, engine.history);
		if (out.json) return await out.document(stats);
		await out.lines(renderStats(stats, out));
	} finally {
		engine.close();
	}
}
