/** Removals from a fleet's server, which only an owner of the team may ask for. */
import { EngineError } from "../base/error/engine-error.ts";
import { plural } from "../base/text/bytes.ts";
import type { FleetConnection } from "./connection.ts";

/** Rejects unless the role is an owner. */
export async function checkOwner(connection: FleetConnection): Promise<void> {
	await connection.query("SELECT weft.own_team()");
}

/** Removes sessions that ended before this moment, ms since the epoch. Returns how many events. */
export async function pruneFleet(connection: FleetConnection, before: number): Promise<number> {
	const { rows } = await connection.query<{ log: string }>(
		"SELECT DISTINCT log::text AS log FROM weft.session WHERE last_ts < $1 ORDER BY 1",
		[before],
	);
	return await removeFrom(
		connection,
		rows.map(({ log }) => log),
		(log) => ["SELECT weft.prune($1, $2) AS gone", before, log],
	);
}

/** How many events pruning would remove, plus the newest session of each log, which it keeps. */
export async function countOlder(connection: FleetConnection, before: number): Promise<number> {
	const { rows } = await connection.query<{ events: string | null }>(
		"SELECT sum(events) AS events FROM weft.session WHERE last_ts < $1",
		[before],
	);
	return Number(rows[0]?.events ?? 0);
}

/** Removes a session from these logs. The machines keep their copies and do not ship them again. */
export async function forgetInFleet(
	connection: FleetConnection,
	session: string,
	logs: readonly string[],
): Promise<number> {
	return await removeFrom(connection, logs, (log) => ["SELECT weft.forget($1, $2) AS gone", session, log]);
}

/** Log by log: a shipper that holds its own log keeps nothing but that from being removed. */
async function removeFrom(
	connection: FleetConnection,
	logs: readonly string[],
	removal: (log: string) => readonly [sql: string, ...values: unknown[]],
): Promise<number> {
	let gone = 0;
	const held: string[] = [];
	for (const log of logs) {
		const [sql, ...values] = removal(log);
		try {
			const { rows } = await connection.query<{ gone: string }>(sql, values);
			gone += Number(rows[0]?.gone ?? 0);
		} catch (error) {
			if (!(error instanceof EngineError) || error.code !== "locked") throw error;
			held.push(log);
		}
	}
	if (held.length === 0) return gone;
	const { rows } = await connection.query<{ role: string }>(
		"SELECT DISTINCT role::text AS role FROM weft.stream WHERE log = ANY ($1::uuid[]) ORDER BY 1",
		[held],
	);
	throw new EngineError(
		"locked",
		`${plural(gone, "event")} removed. A shipper holds ${plural(held.length, "log")} of ${rows.map(({ role }) => role).join(", ")} and does not finish, so nothing was removed there. Try again; the owner of the database can end its connection.`,
	);
}
