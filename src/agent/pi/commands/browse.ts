/** `/lcm search` in a terminal: ask for words, choose among what was found, read it. Until one was read, or the person leaves. */

import { plural } from "../../../base/text/bytes.ts";
import { cutToWidth } from "../../../base/text/cut.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { shortAge } from "../../../base/text/time.ts";
import { handleOf } from "../../../log/handle.ts";
import type { Hit } from "../../../log/search/types.ts";
import { viewMessage } from "../../../message/view.ts";
import { messagePart } from "../../../state/history/source-text.ts";
import type { Asked } from "./asked.ts";

const PAGE = 15;
const ROW_COLUMNS = 76;
const MORE = "More results";
const OTHER_WORDS = "Search for other words";

/** What the person chose to read, or a sentence where there is nothing. */
export async function browse(asked: Asked, given: string): Promise<string> {
	const { ui } = asked.ctx;
	for (let words = given; ; words = "") {
		const query = words || (await ui.input("Search the whole history", "words"))?.trim();
		if (!query) return "Nothing was searched.";
		const chosen = await choose(asked, query);
		if (chosen === undefined) return `Searched for "${query}".`;
		if (chosen !== "other words") return read(asked, chosen);
	}
}

async function choose({ ctx, live }: Asked, query: string): Promise<Hit | "other words" | undefined> {
	const { session } = live.session;
	for (let offset = 0; ; ) {
		const { hits, next } = live.engine.search({ text: query, session, limit: PAGE, offset });
		const rows = hits.map((hit, at) => row(hit, offset + at + 1));
		const choices = [...rows, ...(next === undefined ? [] : [MORE]), OTHER_WORDS];
		const from = offset === 0 ? "" : `, from ${offset + 1} on`;
		const found = hits.length === 0 ? "Nothing found" : plural(hits.length, "result");
		const picked = await ctx.ui.select(`${found} for "${query}"${from}`, choices);
		if (picked === undefined) return undefined;
		if (picked === OTHER_WORDS) return "other words";
		if (picked !== MORE) return hits[rows.indexOf(picked)];
		offset = next ?? 0;
	}
}

function row({ role, tool, ts, snippet }: Hit, number: number): string {
	const who = tool === undefined ? role : `${role}/${tool}`;
	return cutToWidth(`${number}. ${who}, ${shortAge(ts, Date.now())}: ${oneLine(snippet)}`, ROW_COLUMNS);
}

function read({ live }: Asked, { seq, snippet }: Hit): string {
	const record = live.engine.log.get(seq);
	if (!record) return snippet;
	if (record.type === "Message") return messagePart(viewMessage(record.payload), handleOf(record));
	return String(record.payload["text"] ?? snippet);
}
