import { EngineError } from "../../error/engine-error.ts";
import type { EventRecord } from "../../event/types.ts";
import type { Log } from "../../log/log.ts";
import type { ReadQuery } from "../../log/types.ts";
import { formatCount } from "../../text/bytes.ts";
import { closest } from "../../text/closest.ts";
import { oneLine } from "../../text/printable.ts";
import { type Column, renderTable } from "../../text/table.ts";
import { formatTime } from "../../text/time.ts";
import { textWidth, truncateWidth } from "../../text/truncate.ts";
import { eventFile } from "../../view/file.ts";
import { gist } from "../../view/gist.ts";
import { findSession, shortSession } from "../../view/session.ts";
import { eventTypes } from "../../view/stats.ts";
import { pointInTime, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { untilInterrupted } from "../interrupt.ts";
import type { Output } from "../output.ts";

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
		const timeline = new Timeline(context.out);
		await context.out.lines(context.out.json ? jsonLines(records) : timeline.lines(records));
		if (options.follow) await follow(context, log, timeline, { ...query, after: newest });
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

/** Lays a timeline out piece by piece. What comes later stands under what came before, as far as it fits. */
class Timeline {
	readonly #out: Output;
	readonly #least: number[] = [];

	constructor(out: Output) {
		this.#out = out;
	}

	*lines(records: Iterable<EventRecord>): Generator<string> {
		let rows: string[][] = [];
		for (const record of records) {
			rows.push(timelineRow(record));
			if (rows.length < LAYOUT_ROWS) continue;
			yield* this.#layOut(rows);
			rows = [];
		}
		if (rows.length > 0) yield* this.#layOut(rows);
		else if (this.#least.length === 0) this.#out.talk("No events match.");
	}

	#layOut(rows: readonly string[][]): string[] {
		const out = this.#out;
		const style = this.#least.length === 0 ? "ruled" : "bare";
		const dim = (text: string): string => out.paint("dim", text);
		const columns: readonly Column[] = [
			{ title: "seq", align: "right", paint: (cell) => out.paint("cyan", cell) },
			{ title: "time", paint: dim },
			{ title: "session", paint: dim },
			{ title: "type", paint: (cell) => out.paint("green", cell) },
			{ title: "what", shrink: true },
		];
		for (const [at, { title }] of columns.slice(0, -1).entries()) {
			const widest = rows.reduce((most, row) => Math.max(most, textWidth(row[at]!)), title.length);
			this.#least[at] = Math.max(this.#least[at] ?? 0, widest);
		}
		const aligned = columns.map((column, at) => ({ ...column, min: this.#least[at] ?? 0 }));
		return renderTable(aligned, rows, { style, width: out.columns, paintHead: dim });
	}
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

async function follow(
	{ out }: Context,
	log: Log,
	timeline: Timeline,
	query: ReadQuery & { readonly after: number },
): Promise<void> {
	await untilInterrupted(async (signal) => {
		out.talk(out.paintTalk("dim", `Waiting for events after ${formatCount(query.after)}. Ctrl-C ends.`));
		const { upTo: _, ...rest } = query;
		for await (const record of log.tail({ ...rest, signal })) {
			if (out.json) await out.line(JSON.stringify(record));
			else await out.lines(timeline.lines([record]));
		}
	});
}
