import { formatCount } from "../../../base/text/bytes.ts";
import type { EventRecord } from "../../../log/event/types.ts";
import { readEvent, readEventText, renderEventHeader, type TextPage } from "../../../view/event.ts";
import type { Call, CommandResult } from "../frame.ts";
import type { Output } from "../output.ts";

export function run({ out, engine: { log }, args: [handle = ""], options }: Call<"show">): CommandResult {
	const { raw, offset, limit } = options;
	const isPaged = offset !== undefined || limit !== undefined;
	const record = readEvent(log, handle);
	// The text is not read where only the record is asked for.
	if (out.json && !raw && !isPaged) return { data: record };
	const page = readEventText(log, record, { raw, offset: offset ?? 0, limit: limit ?? Number.POSITIVE_INFINITY });
	const { payload: _, ...fields } = record;
	return {
		data: { ...fields, ...page },
		lines: () => (!raw && page.offset === 0 ? [...renderEventHeader(record, out), ""] : []),
		// Through a pipe pages can be joined: only the last one gets a line end.
		text: () => (out.isTerminal || page.next === null ? withLineEnd(page.text) : page.text),
		remarks: pageRemarks(out, record, page, options),
	};
}

function* pageRemarks(
	out: Output,
	{ seq }: EventRecord,
	{ offset, next, total }: TextPage,
	options: Call<"show">["options"],
): Generator<string> {
	if (next !== null) {
		const limit = options.limit === undefined ? "" : ` --limit ${options.limit}`;
		const raw = options.raw ? " --raw" : "";
		const range = `${formatCount(offset)} to ${formatCount(next)} of ${formatCount(total)}`;
		yield `Characters ${range}. Continue with: weft show ${seq}${raw} --offset ${next}${limit}`;
	} else if (offset > 0) yield out.paintTalk("dim", `This is the end: ${formatCount(total)} characters in all.`);
}

function withLineEnd(text: string): string {
	return text.endsWith("\n") ? text : `${text}\n`;
}
