import { asName } from "../../base/json/read.ts";
import type { Searchable } from "../../log/types.ts";

/** The role of nodes in search results. */
export const NODE_ROLE = "summary";

/** Makes summaries searchable too. */
export function withSummaries(others: Searchable): Searchable {
	return (record) => {
		if (record.type !== "Summary") return others(record);
		const text = asName(record.payload["text"]);
		return text === undefined ? undefined : { role: NODE_ROLE, text };
	};
}
