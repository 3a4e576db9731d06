import { formatCount } from "../../text/bytes.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
	const engine = context.openExisting();
	try {
		const { log } = engine;
		log.transaction(() => log.projection?.rebuild());
		const events = log.count();
		if (context.out.json) return await context.out.document({ events });
		await context.out.line(
			`Made anew from ${formatCount(events)} events: the tables of what is known, and the search index.`,
		);
	} finally {
		engine.close();
	}
}
