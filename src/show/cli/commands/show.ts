import { writeJson } from "../../../base/json/write.ts";
import { formatCount } from "../../../base/text/bytes.ts";
import type { EventRecord } from "../../../log/event/types.ts";
import { readEvent, readEventText, renderEventHeader, type TextPage } from "../../../view/event.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

export interface ShowOptions {
	readonly raw?: boolean;
	readonly offset?: string;
	readonly limit?: string;
}

export async function run(context: Context, [handle = ""]: readonly string[], options: ShowOptions): Promise<void> {
	const { raw = false } = options;
	// A number before the beginning is the beginning.
	const negative = /^-\d+$/.test(options.offset ?? "");
	const offset = negative ? 0 : (wholeNumber("--offset", options.offset) ?? 0);
	const limit = wholeNumber("--limit", options.limit, 2) ?? Number.POSITIVE_INFINITY;
	const isPaged = options.offset !== undefined || options.limit !== undefined;
	const { out } = context;
	const engine = context.openExisting();
	try {
		const record = readEvent(engine.log, handle);
		if (out.json && !raw && !isPaged) return await out.line(writeJson(record));
		const page = readEventText(engine.log, record, { raw, offset, limit });
		if (out.json) {
			const { payload: _, ...fields } = record;
			return await out.document({ ...fields, ...page });
		}
		if (!raw && page.offset === 0) await out.lines([...renderEventHeader(record, out), ""]);
		const { text } = page;
		// Through a pipe pages can be joined: only the last one gets an end of line.
		await out.text(out.isTerminal || page.next === null ? withLineEnd(text) : text);
		if (page.next !== null) out.talk(nextPage(record, page, options));
		else if (page.offset > 0)
			out.talk(out.paintTalk("dim", `This is the end: ${formatCount(page.total)} characters in all.`));
	} finally {
		engine.close();
	}
}

function nextPage({ seq }: EventRecord, { offset, next, total }: TextPage, options: ShowOptions): string {
	const limit = options.limit === undefined ? "" : ` --limit ${options.limit}`;
	const raw = options.raw ? " --raw" : "";
	const range = `${formatCount(offset)} to ${formatCount(next!)} of ${formatCount(total)}`;
	return `Characters ${range}. Continue with: weft show ${seq}${raw} --offset ${next}${limit}`;
}

function withLineEnd(text: string): string {
	return text.endsWith("\n") ? text : `${text}\n`;
}
