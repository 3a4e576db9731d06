import { formatCount } from "../../../base/text/bytes.ts";
import type { Call, CommandResult } from "../frame.ts";

export function run({ engine: { log } }: Call<"rebuild">): CommandResult {
	log.rebuild();
	const events = log.count();
	const { docs } = log.search.stats();
	return {
		data: { events, documents: docs },
		lines: () => [
			`Rebuilt from ${formatCount(events)} events: the derived tables, the index of handles and the search index of ${formatCount(docs)} texts.`,
		],
	};
}
