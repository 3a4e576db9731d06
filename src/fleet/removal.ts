/** Removals from a fleet's server, which only an owner of the team may ask for. */
import type { FleetConnection } from "./connection.ts";

/** Waits this long for a shipper in the middle of a batch. */
const MAX_WAIT_MS = 15_000;

/** Rejects unless the role is an owner. */
export async function checkOwner(connection: FleetConnection): Promise<void> {
	await connection.query("SELECT weft.own_team()");
}

/** Removes sessions that ended before this moment, ms since the epoch. Returns how many events. */
export async function pruneFleet(connection: FleetConnection, before: number): Promise<number> {
	return await remove(connection, "SELECT weft.prune($1) AS gone", before);
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
	return await remove(connection, "SELECT weft.forget($1, $2::uuid[]) AS gone", session, logs);
}

/** In a transaction, so that behind a pooler the setting does not stay with the connection. */
async function remove(connection: FleetConnection, sql: string, ...values: readonly unknown[]): Promise<number> {
	await connection.query("BEGIN");
	try {
		await connection.query(`SET LOCAL lock_timeout = ${MAX_WAIT_MS}`);
		const { rows } = await connection.query<{ gone: string }>(sql, values);
		await connection.query("COMMIT");
		return Number(rows[0]?.gone ?? 0);
	} catch (error) {
		await connection.query("ROLLBACK").catch(() => {});
		throw error;
	}
}
