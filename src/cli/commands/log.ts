import { EngineError } from "../../error/engine-error.ts";
import type { EventRecord } from "../../event/types.ts";
import type { Log } from "../../log/log.ts";
import type { ReadQuery } from "../../log/types.ts";
import { eventFile } from "../../query/file.ts";
import { gist } from "../../query/gist.ts";
import { findSession, shortSession } from "../../query/session.ts";
import { eventTypes } from "../../query/stats.ts";
import { formatCount } from "../../text/bytes.ts";
import { closest } from "../../text/closest.ts";
import { oneLine } from "../../text/printable.ts";
import { renderTable } from "../../text/table.ts";
import { formatTime } from "../../text/time.ts";
import { truncateWidth } from "../../text/truncate.ts";
import { pointInTime, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { untilInterrupted } from "../interrupt.ts";

const DEFAULT_LIMIT = 50;
/** Rows that share one layout; a longer timeline is laid out piece by piece. */
const LAYOUT_ROWS = 500;
const MOST_GIST_COLUMNS = 120;

export interface LogOptions {
	readonly session?: string;
	readonly type?: string;
	readonly since?: string;
	readonly until?: string;
	readonly file?: string;
	readonly tool?: string;
	readonly limit?: string;
	readonly after?: string;
	readonly follow?: boolean;
}

export async function run(context: Context, _args: readonly string[], options: LogOptions): Promise<void> {
	const engine = context.openExisting();
	try {
		const { log } = engine;
		const query = readQuery(context, log, engine.project.root, options);
		const limit = wholeNumber("--limit", options.limit) ?? DEFAULT_LIMIT;
		const after = wholeNumber("--after", options.after);
		const newest = log.newestSeq();
		const records = select(log, { ...query, upTo: newest }, { limit, after });
		await context.out.lines(context.out.json ? jsonLines(records) : timeline(context, records));
		if (options.follow) await follow(context, log, { ...query, after: newest });
	} finally {
		engine.close();
	}
}

function readQuery(context: Context, log: Log, root: string, options: LogOptions): ReadQuery {
	const now = context.now();
	const since = pointInTime("--since", options.since, now);
	const until = pointInTime("--until", options.until, now);
	return {
		...(options.session === undefined ? {} : { session: findSession(log, options.session).session }),
		...(options.type === undefined ? {} : { types: typeNames(log, options.type) }),
		...(since === undefined ? {} : { since }),
		...(until === undefined ? {} : { until }),
		...(options.file === undefined ? {} : { file: eventFile(options.file, context.cwd, root) }),
		...(options.tool === undefined ? {} : { tool: options.tool }),
	};
}

function typeNames(log: Log, given: string): string[] {
	const known = eventTypes(log);
	return given
		.split(",")
		.map((word) => word.trim())
		.filter((word) => word !== "")
		.map((word) => {
			const type = known.find((name) => name.toLowerCase() === word.toLowerCase());
			if (type) return type;
			const meant = closest(word, known);
			const hint = meant ? `Did you mean '${meant}'?` : `It has: ${known.join(", ") || "none"}.`;
			throw new EngineError("usage", `--type: the log has no events of type '${word}'. ${hint}`);
		});
}

/** The newest ones in the order they happened, or with `after` the ones that follow it. */
function select(
	log: Log,
	query: ReadQuery,
	{ limit, after }: { readonly limit: number; readonly after: number | undefined },
): Iterable<EventRecord> {
	const bound = limit === 0 ? {} : { limit };
	if (after !== undefined || limit === 0)
		return log.read({ ...query, ...bound, ...(after === undefined ? {} : { after }) });
	return [...log.read({ ...query, ...bound, order: "newest" })].reverse();
}

function* jsonLines(records: Iterable<EventRecord>): Generator<string> {
	for (const record of records) yield JSON.stringify(record);
}

function* timeline(context: Context, records: Iterable<EventRecord>): Generator<string> {
	let rows: string[][] = [];
	let titled = false;
	for (const record of records) {
		rows.push(timelineRow(record));
		if (rows.length < LAYOUT_ROWS) continue;
		yield* layOut(context, rows, { titled });
		titled = true;
		rows = [];
	}
	if (rows.length > 0) yield* layOut(context, rows, { titled });
	else if (!titled) context.out.talk("No events match.");
}

function layOut({ out }: Context, rows: readonly string[][], { titled }: { readonly titled: boolean }): string[] {
	const dim = (text: string): string => out.paint("dim", text);
	const columns = [
		{ title: "seq", align: "right", paint: (cell: string) => out.paint("cyan", cell), min: titled ? 5 : 0 },
		{ title: "time", paint: dim },
		{ title: "session", paint: dim },
		{ title: "type", paint: (cell: string) => out.paint("green", cell), min: titled ? 14 : 0 },
		{ title: "what", shrink: true },
	] as const;
	return renderTable(columns, rows, { style: titled ? "bare" : "ruled", width: out.columns, paintHead: dim });
}

function timelineRow(record: EventRecord): string[] {
	return [
		String(record.seq),
		formatTime(record.ts),
		oneLine(shortSession(record.session)),
		oneLine(record.type),
		truncateWidth(gist(record), MOST_GIST_COLUMNS),
	];
}

async function follow(context: Context, log: Log, query: ReadQuery & { readonly after: number }): Promise<void> {
	const { out } = context;
	await untilInterrupted(async (signal) => {
		out.talk(out.paintTalk("dim", `Waiting for events after ${formatCount(query.after)}. Ctrl-C ends.`));
		const { upTo: _, ...rest } = query;
		for await (const record of log.tail({ ...rest, signal })) {
			if (out.json) await out.line(JSON.stringify(record));
			else await out.lines(layOut(context, [timelineRow(record)], { titled: true }));
		}
	});
}
