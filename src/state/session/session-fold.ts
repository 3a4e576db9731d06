/**
 * One row per session: title, folder, times, number of messages. Folded on demand, and only from events that are never
 * pruned, so that a prune does not fold the whole log again.
 */

import type { EventRecord } from "../../log/event/types.ts";
import type { TableFold } from "../../log/fold/table-folds.ts";
import { isPrunable } from "../../log/retention/prunable-types.ts";
import { sessionKey } from "../../log/session-ref.ts";
import { OWN_TYPES, type SessionState } from "./session-state.ts";
import { AGENT_RANK, NO_TITLE, titleOf } from "./session-title.ts";

const TEXT_CHARS = 1_000;
/** As `isBetter` says. */
const IS_BETTER = `excluded.rank > rank OR (excluded.rank = rank AND rank >= ${AGENT_RANK})`;

export const sessionFold: TableFold = {
	name: "session",
	version: 5,
	inline: false,
	tables: { session_state: "session, host" },
	create(db) {
		db.exec(`CREATE TABLE session_state (
			session  TEXT NOT NULL,
			host     TEXT NOT NULL,
			cwd      TEXT,
			title    TEXT,
			rank     INTEGER NOT NULL,
			first_ts INTEGER NOT NULL,
			last_ts  INTEGER NOT NULL,
			messages INTEGER NOT NULL,
			last_seq INTEGER NOT NULL,
			PRIMARY KEY (session, host)
		) STRICT, WITHOUT ROWID`);
	},
	prepare(db) {
		const upsert = db.prepare(`INSERT INTO session_state VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET
				cwd = coalesce(cwd, excluded.cwd),
				title = CASE WHEN ${IS_BETTER} THEN excluded.title ELSE title END,
				rank = CASE WHEN ${IS_BETTER} THEN excluded.rank ELSE rank END,
				first_ts = CASE 0 WHEN first_ts THEN excluded.first_ts WHEN excluded.first_ts THEN first_ts
					ELSE min(first_ts, excluded.first_ts) END,
				last_ts = max(last_ts, excluded.last_ts),
				messages = messages + excluded.messages, last_seq = excluded.last_seq`);
		return (records) => {
			for (const row of foldSessions(records)) {
				const { session, host, cwd, title, rank, first_ts, last_ts, messages, last_seq } = row;
				upsert.run(session, host, cwd, title, rank, first_ts, last_ts, messages, last_seq);
			}
		};
	},
};

/** Folds records into rows, starting from those that are known. */
export function foldSessions(
	records: Iterable<EventRecord>,
	known: readonly SessionState[] = [],
): Iterable<SessionState> {
	const rows = new Map(known.map((row) => [sessionKey(row), row]));
	for (const record of records) {
		if (isPrunable(record.type)) continue;
		const key = sessionKey(record);
		rows.set(key, step(rows.get(key), record));
	}
	return rows.values();
}

function step(row: SessionState | undefined, record: EventRecord): SessionState {
	const { title, rank } = titleOf(record, row ?? NO_TITLE);
	return {
		session: record.session,
		host: record.host,
		cwd: row?.cwd ?? (record.type === "SessionStarted" ? textOf(record.payload["cwd"]) : null),
		title,
		rank,
		first_ts: earliest(row?.first_ts ?? 0, record.ts),
		last_ts: Math.max(row?.last_ts ?? 0, OWN_TYPES.has(record.type) ? 0 : record.ts),
		messages: (row?.messages ?? 0) + (record.type === "Message" ? 1 : 0),
		last_seq: record.seq,
	};
}

/** Some agents write lines without a time. */
function earliest(one: number, other: number): number {
	return one === 0 || other === 0 ? one + other : Math.min(one, other);
}

function textOf(value: unknown): string | null {
	return typeof value === "string" && value !== "" ? value.slice(0, TEXT_CHARS).toWellFormed() : null;
}
