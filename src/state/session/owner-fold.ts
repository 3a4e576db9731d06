/**
 * Whose conversation each session is, for agents that talk with several people. A session without a row belongs to the project.
 * Folded with every append: a reader must never find a session before its owner is known.
 */

import { asName, asObject } from "../../base/json/read.ts";
import type { EventRecord } from "../../log/event/types.ts";
import type { TableFold } from "../../log/fold/table-folds.ts";
import { ownerOfKey } from "./owner.ts";

/** A session as `session_owner` holds it. */
export interface OwnedSession {
	readonly session: string;
	readonly host: string;
	readonly owner: string;
	/** The agent's name of the conversation. A reset keeps it: the newest session of a line is its present. */
	readonly line: string;
	/** The session whose sub-agent this is. */
	readonly works_for: string | null;
	readonly seq: number;
}

export const ownerFold: TableFold = {
	name: "owner",
	version: 1,
	inline: true,
	tables: { session_owner: "session, host" },
	create(db) {
		db.exec(`
			CREATE TABLE session_owner (
				session   TEXT NOT NULL,
				host      TEXT NOT NULL,
				owner     TEXT NOT NULL,
				line      TEXT NOT NULL,
				works_for TEXT,
				seq       INTEGER NOT NULL,
				PRIMARY KEY (session, host)
			) STRICT, WITHOUT ROWID;
			CREATE INDEX session_owner_owner ON session_owner (owner);
		`);
	},
	prepare(db) {
		const add = db.prepare("INSERT OR IGNORE INTO session_owner VALUES (?, ?, ?, ?, ?, ?)");
		return (records) => {
			for (const record of records) {
				const row = ownedSession(record);
				if (row) add.run(row.session, row.host, row.owner, row.line, row.works_for, row.seq);
			}
		};
	},
};

/** Undefined: not the beginning of a session that somebody owns. */
export function ownedSession({ type, session, host, seq, payload }: EventRecord): OwnedSession | undefined {
	if (type !== "SessionStarted") return undefined;
	const key = asName(asObject(payload["raw"])?.["sessionKey"]);
	const owner = asName(payload["owner"]) ?? (key === undefined ? undefined : ownerOfKey(key));
	if (owner === undefined) return undefined;
	return { session, host, owner, line: key ?? session, works_for: asName(payload["worksFor"]) ?? null, seq };
}
