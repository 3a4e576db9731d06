/**
 * Reads events from a fleet's server as from a local log: the same conditions, order and records, with malformed events marked.
 * A named project selects one partition.
 */

import { parseObject } from "../base/json/read.ts";
import { wrongFields } from "../log/append.ts";
import { checked, isReadable } from "../log/event/check.ts";
import type { AnyPayload, EventRecord } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { ReadQuery } from "../log/types.ts";
import type { FleetConnection } from "./connection.ts";
import { plausibleTime } from "./plausible-time.ts";
import { SHIPPER_COLUMNS, type Shipper } from "./shipper.ts";

/** An event of some machine. Its seq is the place in that machine's own log. */
export interface FleetRecord extends EventRecord, Shipper {
	readonly project: string;
	readonly log: string;
	/** Number among the shipped events of its log. */
	readonly n: number;
	readonly handle: string;
	/** The payload's exact text. */
	readonly text: string;
}

export interface FleetQuery extends ReadQuery {
	/** null: all projects, and so all partitions. */
	readonly project: string | null;
	readonly log?: string | undefined;
	readonly machine?: string | undefined;
	/** A role of the server. */
	readonly person?: string | undefined;
}

interface FleetRow {
	readonly [column: string]: unknown;
	readonly payload: string;
}

const STEP_ROWS = 500;

const FROM = `SELECT e.project, e.log, e.n, e.seq, e.id, s.origin, e.session, e.host, e.ts, e.type, e.v, e.cause, e.entry,
	e.payload, e.handle, ${SHIPPER_COLUMNS} FROM weft.event e JOIN weft.stream s ON s.project = e.project AND s.log = e.log`;

/** In the order of seqs within a log, one log after the other. */
export async function* readFleet(connection: FleetConnection, query: FleetQuery): AsyncGenerator<FleetRecord> {
	const { values, where } = fleetConditions(query);
	const order = query.order === "newest" ? "DESC" : "ASC";
	let left = query.limit ?? Number.POSITIVE_INFINITY;
	let last: FleetRow | undefined;
	while (left > 0) {
		const after = last
			? ` AND (e.project, e.log, e.n) ${order === "ASC" ? ">" : "<"} ($${values.length + 1}, $${values.length + 2}, $${values.length + 3})`
			: "";
		const { rows } = await connection.query<FleetRow>(
			`${FROM} WHERE ${where}${after} ORDER BY e.project ${order}, e.log ${order}, e.n ${order} LIMIT ${STEP_ROWS}`,
			last ? [...values, last["project"], last["log"], last["n"]] : values,
		);
		for (const row of rows) {
			const record = recordOf(row);
			if (!query.everything && !isReadable(record)) continue;
			yield record;
			if (--left <= 0) return;
		}
		if (rows.length < STEP_ROWS) return;
		last = rows.at(-1);
	}
}

/** Across logs, by time, for people. */
export async function readNewest(connection: FleetConnection, query: FleetQuery): Promise<FleetRecord[]> {
	const { values, where } = fleetConditions(query);
	const { rows } = await connection.query<FleetRow>(
		`${FROM} WHERE ${where} ORDER BY ${plausibleTime("e.ts")} DESC, e.log, e.n DESC LIMIT $${values.length + 1}`,
		[...values, query.limit ?? STEP_ROWS],
	);
	return rows.map(recordOf).reverse();
}

export async function readHandle(
	connection: FleetConnection,
	handle: string,
	project: string | null,
): Promise<FleetRecord | undefined> {
	const own = project === null ? "" : " AND e.project = $2";
	const { rows } = await connection.query<FleetRow>(
		`${FROM} WHERE e.handle = $1${own} ORDER BY e.project, e.log, e.n LIMIT 50`,
		project === null ? [handle] : [handle, project],
	);
	return rows.map(recordOf).find((record) => record.handle === handle);
}

export function recordOf(row: FleetRow): FleetRecord {
	const text = (name: string) => String(row[name]);
	const number = (name: string) => Number(row[name]);
	const parsed = parseObject(row.payload);
	const payload: AnyPayload = parsed ?? {};
	const record: EventRecord = {
		seq: number("seq"),
		id: text("id"),
		origin: text("origin"),
		session: text("session"),
		host: text("host"),
		ts: number("ts"),
		type: text("type"),
		v: number("v"),
		cause: row["cause"] === null ? null : number("cause"),
		entry: row["entry"] === null ? null : text("entry"),
		payload,
	};
	// A member may ship what no log of weft's takes. It must not stop those who read.
	const wrong = parsed ? wrongFields(record) : "payload must be a plain object";
	return {
		...(wrong === undefined ? checked(record) : { ...record, wrong: `is malformed: ${wrong}` }),
		project: text("project"),
		log: text("log"),
		n: number("n"),
		// Computed here, because before schema 2 the shipper could write any handle.
		handle: handleOf(record),
		person: text("person"),
		says: text("says"),
		machine: text("machine"),
		text: row.payload,
	};
}

/** The conditions as SQL over `e` (events) and `s` (streams). User input is always a value, never SQL. */
function fleetConditions(query: FleetQuery): { readonly where: string; readonly values: unknown[] } {
	const values: unknown[] = [];
	const parts: string[] = [];
	const add = (value: unknown, sql: (place: string) => string) => {
		if (value === undefined || value === null) return;
		values.push(value);
		parts.push(sql(`$${values.length}`));
	};
	add(query.project, (at) => `e.project = ${at}`);
	add(query.log, (at) => `e.log = ${at}`);
	add(query.after, (at) => `e.seq > ${at}`);
	add(query.upTo, (at) => `e.seq <= ${at}`);
	add(query.session, (at) => `e.session = ${at}`);
	add(query.types, (at) => `e.type = ANY (${at})`);
	add(query.since, (at) => `e.ts >= ${at}`);
	add(query.until, (at) => `e.ts < ${at}`);
	add(query.tool, (at) => `e.tool = ${at}`);
	add(query.host, (at) => `e.host = ${at}`);
	add(query.machine, (at) => `s.machine = ${at}`);
	add(query.person, (at) => `s.role = ${at}`);
	if (query.file?.endsWith("/")) add(query.file, (at) => `starts_with(e.file, ${at})`);
	else add(query.file, (at) => `e.file = ${at}`);
	return { where: parts.length === 0 ? "true" : parts.join(" AND "), values };
}
