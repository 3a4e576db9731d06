import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Prepares a statement at its first use. A process that opens many databases uses few of its statements. */
export function prepareLazily(db: DatabaseSync, sql: string): () => StatementSync {
	let statement: StatementSync | undefined;
	return () => {
		statement ??= db.prepare(sql);
		return statement;
	};
}
