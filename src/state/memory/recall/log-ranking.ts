/** Ranks the log's messages for a text: those that share some of its words, the best first. */
import type { Log } from "../../../log/log.ts";
import type { Hit, SearchFilters } from "../../../log/search/types.ts";
import { evidenceOf } from "./evidence.ts";
import type { RecallItem } from "./item.ts";
import { ItemIndex } from "./item-index.ts";
import { rank } from "./rank.ts";
import { termsOf } from "./terms.ts";

const POOL = 60;
/** One specific word is enough, because this search was asked for. */
const MIN_EVIDENCE = 0.9;
/** A result may be a whole file: only its beginning counts. */
const MAX_READ_CHARS = 20_000;

export function rankInLog(log: Log, text: string, filters: SearchFilters, limit: number): readonly Hit[] {
	const words = termsOf(text);
	const documents = log.search
		.findAny({ ...filters, words, limit: POOL })
		.filter(({ session }) => filters.session === undefined || session === filters.session);
	if (documents.length === 0) return [];
	const items = documents.map(
		(document): RecallItem => ({
			id: String(document.seq),
			text: document.text.slice(0, MAX_READ_CHARS),
			heading: document.tool ?? document.role,
			source: "history",
			kind: "message",
			date: document.ts,
			stretch: document.session,
		}),
	);
	using index = new ItemIndex(items);
	const { ranked, terms } = rank(index, text, { limit: POOL });
	return ranked
		.filter((each) => evidenceOf(each, terms, items.length).amount >= MIN_EVIDENCE)
		.slice(0, limit)
		.flatMap(({ row, score }) => {
			const document = documents[row];
			if (!document) return [];
			const { text: _, ...hit } = document;
			return [{ ...hit, score }];
		});
}
