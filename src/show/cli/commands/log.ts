import { EngineError } from "../../../base/error/engine-error.ts";
import { writeJson } from "../../../base/json/write.ts";
import { formatCount } from "../../../base/text/bytes.ts";
import { closest } from "../../../base/text/closest-word.ts";
import type { EventRecord } from "../../../log/event/types.ts";
import type { Log } from "../../../log/log.ts";
import type { ReadQuery } from "../../../log/types.ts";
import { findSession } from "../../../state/session/find-session.ts";
import { eventFile } from "../../../view/file.ts";
import { recallEvents, tellRecalled } from "../../../view/recall.ts";
import { eventTypes } from "../../../view/stats.ts";
import { Timeline } from "../../../view/timeline.ts";
import { pointInTime, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { untilInterrupted } from "../interrupt.ts";

const DEFAULT_LIMIT = 50;

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
		const { out } = context;
		// What happened to a file is asked of the past, too.
		const past = query.file === undefined ? undefined : await recallEvents(log, { ...query, upTo: newest, after });
		const here = select(log, { ...query, upTo: newest }, { limit, after });
		const records = past ? merge(past.events, here, { limit, after }) : here;
		const timeline = new Timeline(out, { hasSession: options.session === undefined });
		await out.lines(out.json ? jsonLines(records, new Set(past?.events)) : timeline.lines(records));
		if (!out.json && timeline.isEmpty) out.talk("No events match.");
		for (const line of past ? tellRecalled(past.recalled) : []) out.talk(line);
		if (options.follow) await follow(context, log, timeline, { ...query, after: newest });
	} finally {
		engine.close();
	}
}

function readQuery(context: Context, log: Log, root: string, options: LogOptions): ReadQuery {
	const now = context.now();
	const since = pointInTime("--since", options.since, now);
	const until = pointInTime("--until", options.until, now);
	const { session, type, file, tool } = options;
	return {
		session: session === undefined ? undefined : findSession(log, session).session,
		types: type === undefined ? undefined : typeNames(log, type),
		since,
		until,
		file: file === undefined ? undefined : eventFile(file, context.cwd, root),
		tool,
		everything: true,
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
	if (limit === 0) return log.read({ ...query, after });
	if (after !== undefined) return log.read({ ...query, after, limit });
	return [...log.read({ ...query, limit, order: "newest" })].reverse();
}

/** Events that left and events that are here, as many as `select` would give. */
function merge(
	left: readonly EventRecord[],
	here: Iterable<EventRecord>,
	{ limit, after }: { readonly limit: number; readonly after: number | undefined },
): EventRecord[] {
	const all = [...left, ...here].sort((one, other) => one.seq - other.seq);
	if (limit === 0) return all;
	return after === undefined ? all.slice(-limit) : all.slice(0, limit);
}

/** An event that left the log says where it was read from; one that was derived again has no id. */
function* jsonLines(records: Iterable<EventRecord>, left: ReadonlySet<EventRecord>): Generator<string> {
	for (const record of records) {
		const from = !left.has(record) ? undefined : record.id === "" ? "messages" : "archive";
		yield writeJson(from ? { ...record, from } : record);
	}
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
			if (out.json) await out.line(writeJson(record));
			else await out.lines(timeline.lines([record]));
		}
	});
}
