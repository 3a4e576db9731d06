/**
 * Calls of models and their usage, as the agents wrote them down: a row for each, folded on demand. An answer of several lines counts once,
 * with the usage of its last line; one that a fork copied counts where it came first. `usage: null`: the provider gave none.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { all, one } from "../../base/sqlite/rows.ts";
import { type PriceList, stepsIn } from "../../base/tokens/prices.ts";
import { type EventRecord, isA } from "../../log/event/types.ts";
import type { TableFold } from "../../log/fold/table-folds.ts";
import type { Log } from "../../log/log.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { answerId } from "../../message/outgoing-message.ts";
import { NO_USAGE, totalTokens, type Usage } from "../../message/usage.ts";
import { viewMessage } from "../../message/view.ts";

const HOUR_MS = 3_600_000;

/** Model calls of one session with one model within an hour, at one tariff; either all have an agent's price, or none. */
export interface UsageRow {
	readonly session: string;
	readonly host: string;
	/** Empty: the answers do not say. */
	readonly model: string;
	/** Hours since the epoch. */
	readonly hour: number;
	/** Their prompts are longer than this many tokens: the highest step of any price list, or 0. */
	readonly above: number;
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
	/** Dollars, as the agents computed them; null: they did not. */
	readonly cost: number | null;
}

export const usageFold: TableFold = {
	name: "usage",
	version: 6,
	inline: false,
	isOfOwnWork: true,
	tables: { usage_request: "host, answer", usage_raised: "host, answer" },
	create(db) {
		db.exec(`
			CREATE TABLE usage_request (
				host        TEXT NOT NULL,
				answer      TEXT NOT NULL,   -- the provider's id of it; without one '#' and its place in the log
				session     TEXT NOT NULL,   -- in which it was counted: a fork copies it
				model       TEXT NOT NULL,
				ts          INTEGER NOT NULL,
				unreported  INTEGER NOT NULL,
				input       INTEGER NOT NULL,
				output      INTEGER NOT NULL,
				reasoning   INTEGER NOT NULL,
				cache_read  INTEGER NOT NULL,
				cache_write INTEGER NOT NULL,
				cache_write_long INTEGER NOT NULL,
				raised      INTEGER NOT NULL,
				cost        REAL,            -- as the agent computed it
				PRIMARY KEY (host, answer)
			) STRICT, WITHOUT ROWID;
			CREATE INDEX usage_session ON usage_request (session);
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

interface UsageQuery {
	readonly session?: SessionRef | undefined;
	/** From the settings: rows are split at the prompt lengths where its prices change. */
	readonly prices?: PriceList | undefined;
	/** An answer that another log has counted is not counted again: a fork may continue in another project. */
	readonly seen?: AnswersSeen | undefined;
}

/** Folds the log in memory if its tables cannot be written. */
export function readUsage(log: Log, query: UsageQuery = {}): UsageRow[] {
	return withUsage(log, (ask) => rowsOf(ask, query));
}

/** A log that cannot be written is folded in memory. */
function withUsage<Result>(log: Log, read: (ask: TableQuery) => Result): Result {
	if (!log.readOnly) {
		log.foldMissing();
		return read((sql, ...values) => log.tables.all("usage_request", sql, ...values));
	}
	const db = memoryTables(log);
	return read((sql, ...values) => all(db.prepare(sql), ...values));
}

/** Kept until the log grows: a report over a project asks once for each of its sessions. */
const folded = new WeakMap<Log, { readonly upTo: number; readonly db: DatabaseSync }>();

function memoryTables(log: Log): DatabaseSync {
	const upTo = log.newestSeq();
	const known = folded.get(log);
	if (known?.upTo === upTo) return known.db;
	known?.db.close();
	const db = new DatabaseSync(":memory:");
	usageFold.create(db);
	usageFold.prepare(db)([...log.read({ types: ["Message", "UsageRaised"], upTo })]);
	folded.set(log, { upTo, db });
	return db;
}

type TableQuery = <Row>(sql: string, ...values: SQLInputValue[]) => Row[];

function rowsOf(ask: TableQuery, { session: of, prices, seen }: UsageQuery): UsageRow[] {
	const again: string[] = [];
	if (seen) {
		const sql = "SELECT host || ' ' || answer AS name FROM usage_request WHERE answer NOT LIKE '#%'";
		for (const { name } of ask<{ name: string }>(sql)) {
			if (seen.has(name)) again.push(name);
			else seen.add(name);
		}
	}
	const where = [
		...(of ? ["session = ? AND host = ?"] : []),
		...(again.length > 0 ? ["host || ' ' || answer NOT IN (SELECT value FROM json_each(?))"] : []),
	];
	const steps = stepsIn(prices).toReversed();
	const above = steps.map((step) => `WHEN input + cache_read + cache_write > ${step} THEN ${step}`).join(" ");
	return ask<UsageRow>(
		`SELECT session, host, model, ts / ${HOUR_MS} AS hour, CASE ${above} ELSE 0 END AS above,
			COUNT(*) AS requests, SUM(unreported) AS unreported, SUM(input) AS input, SUM(output) AS output,
			SUM(reasoning) AS reasoning, SUM(cache_read) AS cache_read, SUM(cache_write) AS cache_write,
			SUM(cache_write_long) AS cache_write_long, SUM(raised) AS raised, SUM(cost) AS cost
		FROM usage_request ${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""}
		GROUP BY session, host, model, hour, above, cost IS NULL`,
		...(of ? [of.session, of.host] : []),
		...(again.length > 0 ? [JSON.stringify(again)] : []),
	);
}

/** The names of the answers that count in a session: the provider's id of each, or `#` and its place in the log. */
export function countedAnswers(log: Log, { session, host }: SessionRef): Set<string> {
	const sql = "SELECT answer FROM usage_request WHERE session = ? AND host = ?";
	const rows = withUsage(log, (ask) => ask<{ answer: string }>(sql, session, host));
	return new Set(rows.map(({ answer }) => answer));
}

function isAnswer({ type, payload }: EventRecord): boolean {
	return type === "Message" && payload["role"] === "assistant";
}

class UsageWriter {
	readonly #raise: StatementSync;
	readonly #raised: StatementSync;
	readonly #put: StatementSync;

	constructor(db: DatabaseSync) {
		this.#raise = db.prepare("INSERT OR REPLACE INTO usage_raised VALUES (?, ?, ?)");
		this.#raised = db.prepare("SELECT tokens FROM usage_raised WHERE host = ? AND answer = ?");
		this.#put = db.prepare(`INSERT INTO usage_request VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET
				model = excluded.model, ts = excluded.ts, unreported = excluded.unreported,
				input = excluded.input, output = excluded.output, reasoning = excluded.reasoning,
				cache_read = excluded.cache_read, cache_write = excluded.cache_write,
				cache_write_long = excluded.cache_write_long, raised = excluded.raised, cost = excluded.cost
			WHERE session = excluded.session`);
	}

	add(record: EventRecord): void {
		const { session, host, seq, ts, payload } = record;
		if (isA(record, "UsageRaised")) {
			this.#raise.run(host, record.payload.answer, record.payload.tokens);
			return;
		}
		const { usage, model = "", raw } = viewMessage(payload);
		const put = (answer: string, counts: readonly (number | null)[]) =>
			this.#put.run(host, answer, session, model, Math.trunc(ts), ...counts);
		if (raw["usage"] === null) put(`#${seq}`, [1, ...countsOf(NO_USAGE)]);
		if (model === "<synthetic>" || !usage || totalTokens(usage) === 0) return;
		const answer = answerId(payload);
		const raised = answer === undefined ? undefined : one<{ tokens: number }>(this.#raised, host, answer);
		put(answer ?? `#${seq}`, [0, ...countsOf(usage, raised?.tokens)]);
	}
}

/** In the order of the table. A cost of 0 means that the model is free. */
function countsOf(usage: Usage, raised = 0): readonly (number | null)[] {
	const { input, output, reasoning = 0, cacheRead, cacheWrite, cacheWriteLong = 0, cost } = usage;
	const whole = (tokens: number) => Math.max(0, Math.round(tokens));
	const counts = [input, output, reasoning, cacheRead - raised, cacheWrite, Math.min(cacheWrite, cacheWriteLong)];
	return [...counts.map(whole), raised, cost ?? null];
}
