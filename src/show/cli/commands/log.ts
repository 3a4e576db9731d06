import { text } from "node:stream/consumers";
import { EngineError } from "../../../base/error/engine-error.ts";
import { writeJson } from "../../../base/json/write.ts";
import { formatCount } from "../../../base/text/bytes.ts";
import { closest } from "../../../base/text/closest-word.ts";
import { EVENT_SCHEMAS } from "../../../log/event/schema.ts";
import type { EventRecord } from "../../../log/event/types.ts";
import type { Log } from "../../../log/log.ts";
import type { ReadQuery } from "../../../log/types.ts";
import { findNamedSession, freshestSession } from "../../../state/session/find-session.ts";
import { eventFile, readEvent, readEventText, renderEventHeader, type TextPage } from "../../../view/event.ts";
import { recallEvents, renderRecalled } from "../../../view/pruning.ts";
import { eventTypes } from "../../../view/stats.ts";
import { isBookkeeping, Timeline } from "../../../view/timeline.ts";
import { HOST } from "../context.ts";
import type { Call, CommandModule } from "../frame.ts";
import { untilInterrupted } from "../interrupt.ts";
import type { Output } from "../output.ts";

export const logCommand: CommandModule<"log"> = {
	async run(call) {
		const { out, engine, options } = call;
		const { log } = engine;
		const query = readQuery(call);
		const { limit, after } = options;
		const newest = log.newestSeq();
		// The history of a file includes pruned events.
		const past = query.file === undefined ? undefined : await recallEvents(log, { ...query, upTo: newest, after });
		const isShown = (record: EventRecord): boolean => out.json || query.types !== undefined || !isBookkeeping(record);
		const here = select(log, { ...query, upTo: newest }, { limit, after, isShown });
		const records = past ? merge(past.events, here, { limit, after }) : here;
		const timeline = new Timeline(out, { hasSession: query.session === undefined });
		await out.lines(out.json ? jsonLines(records, new Set(past?.events)) : timeline.lines(records));
		if (!out.json && timeline.isEmpty) out.talk("No events match.");
		for (const line of past ? renderRecalled(past.recalled) : []) out.talk(line);
		if (options.follow) await follow(out, log, timeline, { ...query, after: newest, isShown });
	},
};

function readQuery({ context, engine, options }: Call<"log">): ReadQuery {
	const { log, project } = engine;
	const { session, type, file, tool, since, until } = options;
	return {
		session: (findNamedSession(log, session) ?? (spansSessions(options) ? undefined : freshestSession(log)))?.session,
		types: type === undefined ? undefined : typeNames(log, type),
		since,
		until,
		file: file === undefined ? undefined : eventFile(file, context.cwd, project.root),
		tool,
		everything: true,
	};
}

/** A file has one history, and the next event may begin a session. */
function spansSessions({ all, file, follow }: Call<"log">["options"]): boolean {
	return all || follow || file !== undefined;
}

function typeNames(log: Log, given: string): string[] {
	const here = eventTypes(log);
	// A type that no event has yet is a question with the answer none, not a mistake.
	const known = [...new Set([...here, ...Object.keys(EVENT_SCHEMAS)])];
	return given
		.split(",")
		.map((word) => word.trim())
		.filter((word) => word !== "")
		.map((word) => {
			const type = known.find((name) => name.toLowerCase() === word.toLowerCase());
			if (type) return type;
			const meant = closest(word, known);
			const hint = meant ? `Did you mean '${meant}'?` : `It has: ${here.join(", ") || "none"}.`;
			throw new EngineError("usage", `--type: the log has no events of type '${word}'. ${hint}`);
		});
}

interface Selection {
	/** 0: all. */
	readonly limit: number;
	readonly after: number | undefined;
}

/** The newest events in the order they happened, or with `after` those that follow it. */
function select(
	log: Log,
	query: ReadQuery,
	{ limit, after, isShown }: Selection & { readonly isShown: (record: EventRecord) => boolean },
): Iterable<EventRecord> {
	const order = after === undefined && limit > 0 ? "newest" : "oldest";
	const records = Iterator.from(log.read({ ...query, after, order })).filter(isShown);
	if (limit === 0) return records;
	const chosen = records.take(limit).toArray();
	return order === "newest" ? chosen.reverse() : chosen;
}

/** Joins pruned events with those in the log; as many as `select` would give. */
function merge(
	pruned: readonly EventRecord[],
	here: Iterable<EventRecord>,
	{ limit, after }: Selection,
): EventRecord[] {
	const all = [...pruned, ...here].sort((one, other) => one.seq - other.seq);
	if (limit === 0) return all;
	return after === undefined ? all.slice(-limit) : all.slice(0, limit);
}

/** A pruned event says where it was read from; one that was derived again has no id. */
function* jsonLines(records: Iterable<EventRecord>, pruned: ReadonlySet<EventRecord>): Generator<string> {
	for (const record of records) {
		const from = !pruned.has(record) ? undefined : record.id === "" ? "messages" : "archive";
		yield writeJson(from ? { ...record, from } : record);
	}
}

async function follow(
	out: Output,
	log: Log,
	timeline: Timeline,
	{ isShown, ...query }: ReadQuery & { readonly after: number; readonly isShown: (record: EventRecord) => boolean },
): Promise<void> {
	await untilInterrupted(async (signal) => {
		out.talk(out.paintTalk("dim", `Waiting for events after ${formatCount(query.after)}. Ctrl-C ends.`));
		const { upTo: _, ...rest } = query;
		for await (const record of log.tail({ ...rest, signal })) {
			if (!isShown(record)) continue;
			if (out.json) await out.line(writeJson(record));
			else await out.lines(timeline.lines([record]));
		}
	});
}

const MAX_DATA_CHARS = 1_000_000;

export const logAddCommand: CommandModule<"log add"> = {
	check({ args: [name = ""], options: { data } }) {
		if (name.trim() === "") throw new EngineError("usage", "Give the event a name: weft log add NAME.");
		if (data !== undefined && data !== "-") parseData(data);
	},
	async run({ engine, args: [name = ""], options }) {
		const given = options.data === "-" ? await text(process.stdin) : options.data;
		const payload = given === undefined ? { name } : { name, data: parseData(given) };
		const { seqs } = engine.record([{ type: "Custom", session: options.session ?? HOST, payload }]);
		const [seq = 0] = seqs;
		return { data: { seq, id: engine.log.get(seq)?.id }, lines: () => [`Event ${seq}: ${name}`] };
	},
};

function parseData(json: string): unknown {
	if (json.length > MAX_DATA_CHARS) {
		throw new EngineError(
			"usage",
			`--data is limited to ${MAX_DATA_CHARS} characters. Keep large data in a file and name its path.`,
		);
	}
	try {
		return JSON.parse(json);
	} catch (error) {
		throw new EngineError(
			"usage",
			`--data must be JSON: ${(error as Error).message}. A text needs quotes: --data '"text"'.`,
		);
	}
}

export const showCommand: CommandModule<"show"> = {
	run({ out, engine: { log }, args: [handle = ""], options }) {
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
	},
};

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
