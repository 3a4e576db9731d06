/**
 * Which sessions there are and how fresh each is: one row a session, folded when somebody asks, from what is kept for
 * good: so a prune does not fold the whole log again.
 */

import type { EventRecord } from "../../log/event/types.ts";
import type { TableFold } from "../../log/fold/table-folds.ts";
import type { Log } from "../../log/log.ts";
import { isPrunable } from "../../log/retention/prunable-types.ts";
import { sessionKey } from "../../log/session-ref.ts";

const TEXT_CHARS = 1_000;

/** What weft makes of a session. It is not the session's own activity, and may come much later. */
export const OWN_TYPES: ReadonlySet<string> = new Set([
	"Summary",
	"Seal",
	"Transform",
	"Request",
	"Verdict",
	"Fault",
	"Pruned",
	"RepoMap",
	"ResolvedElsewhere",
]);

/** A session as `session_state` holds it. */
export interface SessionState {
	readonly session: string;
	readonly host: string;
	readonly cwd: string | null;
	/** The first thing that the user asked for. */
	readonly title: string | null;
	/** 0: nothing of it has a time. */
	readonly first_ts: number;
	/** When the agent or the user did something last. */
	readonly last_ts: number;
	readonly messages: number;
	readonly last_seq: number;
}

export const sessionFold: TableFold = {
	name: "session",
	version: 4,
	inline: false,
	tables: { session_state: "session, host" },
	create(db) {
		db.exec(`CREATE TABLE session_state (
			session  TEXT NOT NULL,
			host     TEXT NOT NULL,
			cwd      TEXT,
			title    TEXT,
			first_ts INTEGER NOT NULL,
			last_ts  INTEGER NOT NULL,
			messages INTEGER NOT NULL,
			last_seq INTEGER NOT NULL,
			PRIMARY KEY (session, host)
		) STRICT, WITHOUT ROWID`);
	},
	prepare(db) {
		const upsert = db.prepare(`INSERT INTO session_state VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET
				cwd = coalesce(cwd, excluded.cwd), title = coalesce(title, excluded.title),
				first_ts = CASE 0 WHEN first_ts THEN excluded.first_ts WHEN excluded.first_ts THEN first_ts
					ELSE min(first_ts, excluded.first_ts) END,
				last_ts = max(last_ts, excluded.last_ts),
				messages = messages + excluded.messages, last_seq = excluded.last_seq`);
		return (records) => {
			for (const row of foldSessions(records)) {
				upsert.run(row.session, row.host, row.cwd, row.title, row.first_ts, row.last_ts, row.messages, row.last_seq);
			}
		};
	},
};

/** The sessions of the log, the last active first. Where the table cannot be written, what it lacks is folded in memory. */
export function listSessions(log: Log): SessionState[] {
	log.foldMissing();
	const known = log.tables.all<SessionState>("session_state", "SELECT * FROM session_state").sort(byActivity);
	if (!log.readOnly) return known;
	const after = log.tables.foldedTo(sessionFold.name);
	return [...foldSessions(log.read({ after }), known)].sort(byActivity);
}

function byActivity(one: SessionState, other: SessionState): number {
	return other.last_ts - one.last_ts || other.last_seq - one.last_seq;
}

/** The ids of a session and of its side chains, which are named after it. */
export function withSideChains(log: Log, session: string): string[] {
	const isSide = (name: string) => name.startsWith(`${session}/`) || name.startsWith(`${session}--`);
	const sides = listSessions(log).flatMap((row) => (isSide(row.session) ? [row.session] : []));
	return [...new Set([session, ...sides])];
}

/** True: of an agent; not one under which weft itself or people at the command line write. */
export function isAgents({ messages, cwd }: SessionState): boolean {
	return messages > 0 || cwd !== null;
}

/** Whose events count for a session that is looked at alone: its own, and what weft and people wrote for all. */
export function scopeOf(log: Log, session: string): string[] {
	const common = listSessions(log).flatMap((row) => (isAgents(row) ? [] : [row.session]));
	return [...new Set([...withSideChains(log, session), ...common])];
}

function foldSessions(records: Iterable<EventRecord>, known: readonly SessionState[] = []): Iterable<SessionState> {
	const rows = new Map(known.map((row) => [sessionKey(row), row]));
	for (const record of records) {
		if (isPrunable(record.type)) continue;
		const key = sessionKey(record);
		rows.set(key, step(rows.get(key), record));
	}
	return rows.values();
}

function step(row: SessionState | undefined, record: EventRecord): SessionState {
	return {
		session: record.session,
		host: record.host,
		cwd: row?.cwd ?? (record.type === "SessionStarted" ? textOf(record.payload["cwd"]) : null),
		title: row?.title ?? (record.type === "UserIntent" ? textOf(record.payload["text"]) : null),
		first_ts: earliest(row?.first_ts ?? 0, record.ts),
		last_ts: Math.max(row?.last_ts ?? 0, OWN_TYPES.has(record.type) ? 0 : record.ts),
		messages: (row?.messages ?? 0) + (record.type === "Message" ? 1 : 0),
		last_seq: record.seq,
	};
}

/** Some lines of a host have no time. */
function earliest(one: number, other: number): number {
	return one === 0 || other === 0 ? one + other : Math.min(one, other);
}

function textOf(value: unknown): string | null {
	return typeof value === "string" && value !== "" ? value.slice(0, TEXT_CHARS).toWellFormed() : null;
}
