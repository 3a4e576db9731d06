import { asName } from "../../base/json/read.ts";
import type { Searchable } from "../../log/types.ts";

/** The role under which search finds nodes. */
export const NODE_ROLE = "summary";

/** What can be found of a log with summaries: their texts too. */
export function withSummaries(others: Searchable): Searchable {
	return (record) => {
		if (record.type !== "Summary") return others(record);
		const text = asName(record.payload["text"]);
		return text === undefined ? undefined : { role: NODE_ROLE, text };
	};
}
