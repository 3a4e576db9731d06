/** The columns of an event that a shipper sends, in the order in which `weft.take` takes them: an array of each. */
export const SHIPPED_COLUMNS = {
	n: "int8",
	seq: "int8",
	id: "uuid",
	session: "text",
	host: "text",
	ts: "int8",
	type: "text",
	v: "int4",
	cause: "int8",
	entry: "text",
	payload: "text",
	proof: "bytea",
	hash: "bytea",
	blob: "bytea",
	base: "bytea",
	role: "text",
	tool: "text",
	file: "text",
	words: "tsvector",
	thoughts: "tsvector",
} as const;

export type ShippedColumn = keyof typeof SHIPPED_COLUMNS;

export const SHIPPED_NAMES = Object.keys(SHIPPED_COLUMNS) as readonly ShippedColumn[];
