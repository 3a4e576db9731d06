/** Ships what failed here and what resolved it: the changes between the last red run and the first green one. */

import { asInteger, asText } from "../base/json/read.ts";
import { maskStrings } from "../base/text/mask-strings.ts";
import type { EventRecord } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { StoredRecord } from "../log/read.ts";
import type { Failure, FailureState } from "../state/work/failure/types.ts";
import type { FleetConnection } from "./connection.ts";
import type { Excludes } from "./exclude.ts";
import { serverSession, serverText } from "./server-text.ts";
import { streamName } from "./stream.ts";

export interface FailureShipment {
	readonly log: Log;
	readonly project: string;
	readonly failures: FailureState;
	readonly excludes: Excludes;
	readonly isMasked: boolean;
	/** The handle on the server of an event of this log. */
	readonly handle: (own: string) => string;
	/** Failures up to this event were shipped before. */
	readonly after: number;
	/** Newer events have not been shipped. */
	readonly upTo: number;
}

const MAX_CHANGES = 20;

export interface FleetChange {
	readonly path: string;
	readonly handle: string;
	readonly added: number;
	readonly removed: number | null;
}

export async function shipFailures(connection: FleetConnection, shipment: FailureShipment): Promise<number> {
	const { log, failures, after, upTo } = shipment;
	const rows = [...failures.resolved, ...failures.open]
		.filter((failure) => {
			const seq = failure.resolvedSeq ?? failure.lastSeq;
			return seq > after && seq <= upTo;
		})
		.flatMap((failure) => rowOf(shipment, failure) ?? []);
	if (rows.length === 0) return 0;
	const shown = shipment.isMasked ? ((await maskStrings(rows)) as typeof rows) : rows;
	// Fingerprints and handles are no secrets and must not be masked.
	const outgoing = shown.map((row, at) => {
		const { firstTs: first_ts, lastTs: last_ts, ...rest } = row;
		const { hash, red, green } = rows[at] ?? row;
		return { ...rest, hash, red, green, first_ts, last_ts };
	});
	// One statement for all, because the server may be far away.
	await connection.query(
		`INSERT INTO weft.failure (project, log, hash, state, seq, name, unit, message, session, attempts, first_ts, last_ts, red, green, changes)
		SELECT $1, $2::uuid, hash, state, seq, name, unit, message, session, attempts, first_ts, last_ts, red, green, changes
		FROM jsonb_to_recordset($3::jsonb) AS x (hash text, state text, seq bigint, name text, unit text, message text, session text,
			attempts integer, first_ts bigint, last_ts bigint, red text, green text, changes jsonb) ON CONFLICT DO NOTHING`,
		[shipment.project, streamName(log), JSON.stringify(outgoing).replaceAll("\\u0000", "␀")],
	);
	return rows.length;
}

/** Undefined: the failure is not of this machine, or is excluded. */
function rowOf({ log, excludes, handle }: FailureShipment, failure: Failure) {
	const run = log.getStored(failure.lastSeq);
	if (!run || run.origin !== log.options.origin) return undefined;
	const step: StoredRecord[] = [run, ...(run.cause === null ? [] : [log.getStored(run.cause) ?? []].flat())];
	if (excludes(step)) return undefined;
	return {
		hash: failure.hash,
		state: failure.state,
		seq: failure.resolvedSeq ?? failure.lastSeq,
		name: serverText(failure.id),
		unit: failure.unit === null ? null : serverText(failure.unit),
		message: serverText(failure.message),
		session: serverSession(run.session),
		attempts: failure.attempts,
		firstTs: failure.firstTs,
		lastTs: failure.resolvedTs ?? failure.lastTs,
		red: handle(failure.lastHandle),
		green: failure.resolvedHandle === null ? null : handle(failure.resolvedHandle),
		changes: changesBetween(log, failure)
			.filter(({ path }) => !excludes([{ ...run, text: JSON.stringify(path) }]))
			.map((change) => ({ ...change, handle: handle(change.handle) })),
	};
}

/** The last changes: those right before the green run most likely resolved it. */
function changesBetween(log: Log, { lastSeq, resolvedSeq }: Failure): FleetChange[] {
	if (resolvedSeq === null) return [];
	const found: FleetChange[] = [];
	for (const record of log.read({ after: lastSeq, upTo: resolvedSeq, types: ["FileChanged"], order: "newest" })) {
		if (record.origin !== log.options.origin) continue;
		found.push(changeOf(record));
		if (found.length > MAX_CHANGES) break;
	}
	return found.reverse();
}

function changeOf(record: EventRecord): FleetChange {
	const { path, added, removed } = record.payload;
	return {
		path: serverText(asText(path) ?? ""),
		handle: handleOf(record),
		added: asInteger(added) ?? 0,
		removed: asInteger(removed) ?? null,
	};
}
