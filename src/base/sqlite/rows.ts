/** Rows typed as their SQL gives them: the one place that trusts it. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

export function all<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
	return statement.all(...values) as unknown as Row[];
}

export function one<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row | undefined {
	return statement.get(...values) as unknown as Row | undefined;
}

/** For a statement that always gives a row, such as a count. */
export function only<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row {
	const row = one<Row>(statement, ...values);
	if (row === undefined) throw new Error(`no row: ${statement.sourceSQL}`);
	return row;
}

/** One at a time, for more rows than memory should hold. */
export function each<Row>(statement: StatementSync, ...values: SQLInputValue[]): Iterable<Row> {
	return statement.iterate(...values) as unknown as Iterable<Row>;
}

/** Prepares a statement at its first use. A process that opens many databases uses few of its statements. */
export function prepareLazily(db: DatabaseSync, sql: string): () => StatementSync {
	let statement: StatementSync | undefined;
	return () => {
		statement ??= db.prepare(sql);
		return statement;
	};
}
