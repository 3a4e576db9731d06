import type { DatabaseSync, StatementSync } from "node:sqlite";

/** A statement that is prepared when it is needed for the first time: whoever opens many databases needs few of them. */
export function prepareLater(db: DatabaseSync, sql: string): () => StatementSync {
	let statement: StatementSync | undefined;
	return () => {
		statement ??= db.prepare(sql);
		return statement;
	};
}
