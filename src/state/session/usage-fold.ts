/**
 * Calls of models and their usage, as the agents wrote them down: sums by session, model and hour, folded on demand. An answer of several lines
 * counts once, with the usage of its last line; one that a fork copied counts where it came first. `usage: null`: the provider gave none.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { all, one } from "../../base/sqlite/rows.ts";
import { type EventRecord, isA } from "../../log/event/types.ts";
import type { TableFold } from "../../log/fold/table-folds.ts";
import type { Log } from "../../log/log.ts";
import { answerId } from "../../message/outgoing-message.ts";
import { NO_USAGE, totalTokens, type Usage } from "../../message/usage.ts";
import { viewMessage } from "../../message/view.ts";

const HOUR_MS = 3_600_000;

/** Model calls of one session with one model within an hour. */
export interface UsageRow {
	readonly session: string;
	readonly host: string;
	/** Empty: the answers do not say. */
	readonly model: string;
	/** Hours since the epoch. */
	readonly hour: number;
	readonly requests: number;
	/** How many of the requests came back without usage. They count, their tokens do not. */
	readonly unreported: number;
	/** Tokens that were neither read from the provider's cache nor written to it. */
	readonly input: number;
	readonly output: number;
	/** The part of it that the models thought, where the agents say so. */
	readonly reasoning: number;
	readonly cache_read: number;
	readonly cache_write: number;
	/** The part of it that the provider keeps for an hour. */
	readonly cache_write_long: number;
	/** Tokens by which the proxy raised the usage that agents read. They are in no other sum. */
	readonly raised: number;
	/** Dollars, as the agents computed them. */
	readonly cost: number;
	/** How many of the requests have a cost. */
	readonly priced: number;
}

export const usageFold: TableFold = {
	name: "usage",
	version: 5,
	inline: false,
	isOfOwnWork: true,
	tables: {
		usage_hour: "session, host, model, hour",
		usage_answer: "host, answer",
		usage_raised: "host, answer",
	},
	create(db) {
		db.exec(`
			CREATE TABLE usage_hour (
				session     TEXT NOT NULL,
				host        TEXT NOT NULL,
				model       TEXT NOT NULL,
				hour        INTEGER NOT NULL,
				requests    INTEGER NOT NULL,
				unreported  INTEGER NOT NULL,
				input       INTEGER NOT NULL,
				output      INTEGER NOT NULL,
				reasoning   INTEGER NOT NULL,
				cache_read  INTEGER NOT NULL,
				cache_write INTEGER NOT NULL,
				cache_write_long INTEGER NOT NULL,
				raised      INTEGER NOT NULL,
				cost        REAL NOT NULL,
				priced      INTEGER NOT NULL,
				PRIMARY KEY (session, host, model, hour)
			) STRICT, WITHOUT ROWID;
			CREATE TABLE usage_answer (
				host    TEXT NOT NULL,
				answer  TEXT NOT NULL,   -- the provider's id of an answer
				session TEXT NOT NULL,   -- in which it was counted: a fork copies it
				counted TEXT NOT NULL,   -- what was counted for it, as JSON
				PRIMARY KEY (host, answer)
			) STRICT, WITHOUT ROWID;
			CREATE TABLE usage_raised (
				host    TEXT NOT NULL,
				answer  TEXT NOT NULL,
				tokens  INTEGER NOT NULL, -- by which the proxy raised the usage that the agent read
				PRIMARY KEY (host, answer)
			) STRICT, WITHOUT ROWID;
		`);
	},
	prepare(db) {
		const writer = new UsageWriter(db);
		return (records) => {
			for (const record of records) if (isAnswer(record) || record.type === "UsageRaised") writer.add(record);
		};
	},
};

/** Which answers were counted in the logs that were read before. */
export type AnswersSeen = Set<string>;

/**
 * Folds the log in memory if its tables cannot be written. With `seen`, an answer that another log has counted is not counted again: a fork
 * may continue in another project.
 */
export function readUsage(log: Log, seen?: AnswersSeen): UsageRow[] {
	if (!log.readOnly) {
		log.foldMissing();
		return rowsOf((table, sql, ...values) => log.tables.all(table, sql, ...values), seen);
	}
	const db = new DatabaseSync(":memory:");
	try {
		usageFold.create(db);
		usageFold.prepare(db)([...log.read({ types: ["Message", "UsageRaised"] })]);
		return rowsOf((_, sql, ...values) => all(db.prepare(sql), ...values), seen);
	} finally {
		db.close();
	}
}

type TableQuery = <Row>(table: string, sql: string, ...values: string[]) => Row[];

function rowsOf(ask: TableQuery, seen: AnswersSeen | undefined): UsageRow[] {
	const rows = ask<UsageRow>("usage_hour", "SELECT * FROM usage_hour");
	if (!seen) return rows;
	const again: { readonly host: string; readonly answer: string }[] = [];
	for (const each of ask<(typeof again)[number]>("usage_answer", "SELECT host, answer FROM usage_answer")) {
		const name = `${each.host} ${each.answer}`;
		if (seen.has(name)) again.push(each);
		else seen.add(name);
	}
	const keyOf = (row: Pick<UsageRow, "session" | "host" | "model" | "hour">) =>
		JSON.stringify([row.session, row.host, row.model, row.hour]);
	const left = new Map(rows.map((row) => [keyOf(row), row]));
	for (const { host, answer } of again) {
		const sql = "SELECT session, counted FROM usage_answer WHERE host = ? AND answer = ?";
		for (const { session, counted } of ask<{ session: string; counted: string }>("usage_answer", sql, host, answer)) {
			const taken = JSON.parse(counted) as CountedAnswer;
			const key = keyOf({ ...taken, session, host });
			const row = left.get(key);
			if (row) left.set(key, without(row, taken));
		}
	}
	return [...left.values()];
}

function without(row: UsageRow, { model: _, hour: __, ...taken }: CountedAnswer): UsageRow {
	const counts = Object.entries(taken).map(([name, count]) => [name, row[name as keyof typeof taken] - count]);
	return { ...row, ...(Object.fromEntries(counts) as typeof taken) };
}

function isAnswer({ type, payload }: EventRecord): boolean {
	return type === "Message" && payload["role"] === "assistant";
}

type CountedAnswer = Omit<UsageRow, "session" | "host">;

class UsageWriter {
	readonly #last: StatementSync;
	readonly #keep: StatementSync;
	readonly #raise: StatementSync;
	readonly #raised: StatementSync;
	readonly #add: StatementSync;

	constructor(db: DatabaseSync) {
		this.#last = db.prepare("SELECT session, counted FROM usage_answer WHERE host = ? AND answer = ?");
		this.#keep = db.prepare("INSERT OR REPLACE INTO usage_answer VALUES (?, ?, ?, ?)");
		this.#raise = db.prepare("INSERT OR REPLACE INTO usage_raised VALUES (?, ?, ?)");
		this.#raised = db.prepare("SELECT tokens FROM usage_raised WHERE host = ? AND answer = ?");
		this.#add = db.prepare(`INSERT INTO usage_hour VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET
				requests = requests + excluded.requests, unreported = unreported + excluded.unreported,
				input = input + excluded.input, output = output + excluded.output,
				reasoning = reasoning + excluded.reasoning,
				cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
				cache_write_long = cache_write_long + excluded.cache_write_long,
				raised = raised + excluded.raised,
				cost = cost + excluded.cost, priced = priced + excluded.priced`);
	}

	add(record: EventRecord): void {
		const { session, host, ts, payload } = record;
		if (isA(record, "UsageRaised")) {
			this.#raise.run(host, record.payload.answer, record.payload.tokens);
			return;
		}
		const { usage, model = "", raw } = viewMessage(payload);
		const hour = Math.floor(ts / HOUR_MS);
		if (raw["usage"] === null) this.#write(session, host, { ...count(NO_USAGE, model, hour), unreported: 1 }, 1);
		if (model === "<synthetic>" || !usage || totalTokens(usage) === 0) return;
		const answer = answerId(payload);
		const raised = answer === undefined ? undefined : one<{ tokens: number }>(this.#raised, host, answer);
		const counted = count(usage, model, hour, raised?.tokens);
		if (answer !== undefined) {
			const last = one<{ session: string; counted: string }>(this.#last, host, answer);
			if (last && last.session !== session) return;
			if (last) this.#write(session, host, JSON.parse(last.counted) as CountedAnswer, -1);
			this.#keep.run(host, answer, session, JSON.stringify(counted));
		}
		this.#write(session, host, counted, 1);
	}

	#write(session: string, host: string, row: CountedAnswer, sign: 1 | -1): void {
		const { model, hour, requests, unreported, input, output, reasoning } = row;
		const { cache_read, cache_write, cache_write_long, raised, cost, priced } = row;
		const counts = [
			requests,
			unreported,
			input,
			output,
			reasoning,
			cache_read,
			cache_write,
			cache_write_long,
			raised,
			cost,
			priced,
		].map((each) => each * sign);
		this.#add.run(session, host, model, hour, ...counts);
	}
}

function count(
	{ input, output, reasoning = 0, cacheRead, cacheWrite, cacheWriteLong = 0, cost }: Usage,
	model: string,
	hour: number,
	raised = 0,
): CountedAnswer {
	const whole = (tokens: number) => Math.max(0, Math.round(tokens));
	return {
		model,
		hour,
		requests: 1,
		unreported: 0,
		input: whole(input),
		output: whole(output),
		reasoning: whole(reasoning),
		cache_read: whole(cacheRead - raised),
		cache_write: whole(cacheWrite),
		cache_write_long: whole(Math.min(cacheWrite, cacheWriteLong)),
		raised,
		cost: cost ?? 0,
		// A cost of 0 means that the model is free.
		priced: cost === undefined ? 0 : 1,
	};
}
