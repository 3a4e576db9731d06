import type { EventRecord } from "./event/types.ts";
import type { ReadQuery } from "./types.ts";

/** Whether a record in memory meets a query's conditions; `limit` and `order` are not conditions. */
export function matchesQuery(record: Omit<EventRecord, "wrong">, query: ReadQuery): boolean {
	const { after, upTo, session, types, since, until, file, tool, host } = query;
	return (
		(after === undefined || record.seq > after) &&
		(upTo === undefined || record.seq <= upTo) &&
		(session === undefined || record.session === session) &&
		(types === undefined || types.includes(record.type)) &&
		(since === undefined || record.ts >= since) &&
		(until === undefined || record.ts < until) &&
		(file === undefined || isOfFile(record.payload["path"], file)) &&
		(tool === undefined || record.payload["tool"] === tool) &&
		(host === undefined || record.host === host)
	);
}

function isOfFile(path: unknown, file: string): boolean {
	if (typeof path !== "string") return false;
	return file.endsWith("/") ? path.startsWith(file) : path === file;
}
