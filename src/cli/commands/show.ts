import { EngineError } from "../../error/engine-error.ts";
import type { AnyPayload, EventRecord } from "../../event/types.ts";
import type { Log } from "../../log/log.ts";
import { formatCount } from "../../text/bytes.ts";
import { oneLine, printable } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import { formatTime } from "../../text/time.ts";
import { sliceUnits } from "../../text/truncate.ts";
import { findEvent } from "../../view/handle.ts";
import { readableText } from "../../view/message-text.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

export interface ShowOptions {
	readonly raw?: boolean;
	readonly offset?: string;
	readonly limit?: string;
}

interface Page {
	readonly text: string;
	readonly offset: number;
	readonly total: number;
	/** Where to go on; undefined: this was the end. */
	readonly next: number | undefined;
}

export async function run(context: Context, [handle = ""]: readonly string[], options: ShowOptions): Promise<void> {
	const engine = context.openExisting();
	try {
		const { log } = engine;
		const { out } = context;
		const { hash: _, text, ...fields } = findEvent(log, handle);
		const record: EventRecord = { ...fields, payload: JSON.parse(text) as AnyPayload };
		const paged = options.offset !== undefined || options.limit !== undefined;
		if (out.json && !options.raw && !paged)
			return await out.line(JSON.stringify({ ...fields, payload: record.payload }));
		const whole = options.raw ? rawText(log, record) : readableText(record);
		const page = cut(whole, options);
		if (out.json) {
			const { next, ...shown } = page;
			return await out.document({ ...fields, ...shown, next: next ?? null });
		}
		if (!options.raw && page.offset === 0) await out.lines([...header(context, record), ""]);
		await out.text(
			out.isTerminal ? ending(printable(page.text)) : page.next === undefined ? ending(page.text) : page.text,
		);
		if (page.next !== undefined) out.talk(goOn(record, page, options));
		else if (page.offset > 0)
			out.talk(out.paintTalk("dim", `This is the end: ${formatCount(page.total)} characters in all.`));
	} finally {
		engine.close();
	}
}

function rawText(log: Log, record: EventRecord): string {
	const raw = log.rawText(record.seq);
	if (raw !== undefined) return raw;
	throw new EngineError(
		"not-found",
		`Event ${record.seq} is a ${record.type}: it holds no entry of a host. Leave --raw away.`,
	);
}

/** A page of a text. Pages follow each other without a gap and never cut a character; the first may start anywhere. */
function cut(whole: string, options: ShowOptions): Page {
	const negative = options.offset?.startsWith("-") && /^-\d+$/.test(options.offset);
	const offset = Math.min(negative ? 0 : (wholeNumber("--offset", options.offset) ?? 0), whole.length);
	const limit = wholeNumber("--limit", options.limit, 2) ?? Number.POSITIVE_INFINITY;
	const text = sliceUnits(whole.slice(offset), limit);
	const end = offset + text.length;
	return { text, offset, total: whole.length, next: end < whole.length ? end : undefined };
}

function header({ out }: Context, record: EventRecord): string[] {
	const pairs = [
		["event", `${record.seq}  ${record.type}`],
		["time", formatTime(record.ts)],
		["session", oneLine(record.session)],
		["host", oneLine(record.host)],
		["id", record.id],
		...(record.entry === null ? [] : [["entry", oneLine(record.entry)]]),
		...(record.cause === null ? [] : [["cause", String(record.cause)]]),
	];
	const bold = (cell: string): string => out.paint("bold", cell);
	return renderTable([{ title: "", paint: bold }, { title: "" }], pairs, { style: "bare" });
}

function goOn(record: EventRecord, page: Page, options: ShowOptions): string {
	const limit = options.limit === undefined ? "" : ` --limit ${options.limit}`;
	const raw = options.raw ? " --raw" : "";
	const range = `${formatCount(page.offset)} to ${formatCount(page.next!)} of ${formatCount(page.total)}`;
	return `Characters ${range}. Go on with: weft show ${record.seq}${raw} --offset ${page.next}${limit}`;
}

function ending(text: string): string {
	return text.endsWith("\n") ? text : `${text}\n`;
}
