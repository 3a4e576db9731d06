import { formatCount } from "../../../base/text/bytes.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
	const engine = context.openExisting();
	try {
		const { log } = engine;
		log.rebuild();
		const events = log.count();
		const { docs } = log.search.stats();
		if (context.out.json) return await context.out.document({ events, documents: docs });
		await context.out.line(
			`Made again from ${formatCount(events)} events: the tables of what is known, the index of handles and the search index of ${formatCount(docs)} texts.`,
		);
	} finally {
		engine.close();
	}
}
