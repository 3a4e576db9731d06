/** `/lcm search` in a terminal: asks for words, lists the hits and shows the one that the person picks. */

import { plural } from "../../../base/text/bytes.ts";
import { cutToWidth } from "../../../base/text/cut.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { shortAge } from "../../../base/text/time.ts";
import { handleOf } from "../../../log/handle.ts";
import type { Hit } from "../../../log/search/types.ts";
import { viewMessage } from "../../../message/view.ts";
import { messagePart } from "../../../state/history/source-text.ts";
import type { CommandInput } from "./command-input.ts";

const PAGE = 15;
const ROW_COLUMNS = 76;
const MORE = "More results";
const OTHER_WORDS = "Search for other words";

/** The text of the chosen hit, or a sentence that says why there is none. */
export async function browse(input: CommandInput, given: string): Promise<string> {
	const { ui } = input.ctx;
	for (let words = given; ; words = "") {
		const query = words || (await ui.input("Search the whole history", "words"))?.trim();
		if (!query) return "No search was made.";
		const chosen = await choose(input, query);
		if (chosen === undefined) return `Searched for "${query}".`;
		if (chosen !== "other words") return read(input, chosen);
	}
}

async function choose({ ctx, live }: CommandInput, query: string): Promise<Hit | "other words" | undefined> {
	const { session } = live.session;
	for (let offset = 0; ; ) {
		const { hits, next } = live.engine.search({ text: query, session, limit: PAGE, offset });
		const rows = hits.map((hit, at) => row(hit, offset + at + 1));
		const choices = [...rows, ...(next === undefined ? [] : [MORE]), OTHER_WORDS];
		const from = offset === 0 ? "" : `, from ${offset + 1} on`;
		const count = hits.length === 0 ? "Nothing found" : plural(hits.length, "result");
		const picked = await ctx.ui.select(`${count} for "${query}"${from}`, choices);
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

function read({ live }: CommandInput, { seq, snippet }: Hit): string {
	const record = live.engine.log.get(seq);
	if (!record) return snippet;
	if (record.type === "Message") return messagePart(viewMessage(record.payload), handleOf(record));
	return String(record.payload["text"] ?? snippet);
}
