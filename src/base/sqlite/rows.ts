/** Rows as the types that their SQL gives them: the one place that trusts it. */
import type { SQLInputValue, StatementSync } from "node:sqlite";

export function all<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] {
	return statement.all(...values) as unknown as Row[];
}

export function one<Row>(statement: StatementSync, ...values: SQLInputValue[]): Row | undefined {
	return statement.get(...values) as unknown as Row | undefined;
}

/** One at a time: for more rows than memory should hold. */
export function each<Row>(statement: StatementSync, ...values: SQLInputValue[]): Iterable<Row> {
	return statement.iterate(...values) as unknown as Iterable<Row>;
}
