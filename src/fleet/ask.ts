/** Questions to a fleet's server: who ships, what failed elsewhere, and what its owner wants forgotten. */
import { asInteger, asList, asNumber, asObject, asText } from "../base/json/read.ts";
import type { FleetFailure, FleetMachine } from "../view/fleet.ts";
import type { FleetConnection } from "./connection.ts";

export async function readMachines(connection: FleetConnection): Promise<readonly FleetMachine[]> {
	const { rows } = await connection.query<Omit<FleetMachine, "behind">>(
		`SELECT s.machine, s.person, s.role::text AS role, s.project, s.log::text AS log, x.events, x.sessions,
			s.bytes::float8 AS bytes, floor(extract(epoch FROM s.fresh) * 1000)::float8 AS fresh
		-- A log's own n goes on counting what an owner removed: what is there is told by its sessions.
		FROM weft.stream s CROSS JOIN LATERAL (
			SELECT coalesce(sum(x.events), 0)::float8 AS events, count(DISTINCT x.session)::int AS sessions
			FROM weft.session x WHERE x.project = s.project AND x.log = s.log
		) x ORDER BY s.fresh DESC NULLS LAST, s.machine`,
	);
	return rows.map((row) => ({ ...row, behind: null }));
}

export async function readTeam(
	connection: FleetConnection,
): Promise<{ readonly team: string; readonly bytes: number }> {
	const { rows } = await connection.query<{ team: string | null; bytes: number }>(
		"SELECT weft.team_of(current_user) AS team, pg_database_size(current_database())::float8 AS bytes",
	);
	return { team: rows[0]?.team ?? "none", bytes: rows[0]?.bytes ?? 0 };
}

export interface FailureQuery {
	/** null: all projects. */
	readonly project: string | null;
	readonly hashes?: readonly string[] | undefined;
	/** Not those of this log. */
	readonly besides?: string | undefined;
	readonly limit?: number | undefined;
}

/** Of each fingerprint in each log what is known last, the newest first. */
export async function readFailures(connection: FleetConnection, query: FailureQuery): Promise<readonly FleetFailure[]> {
	const { project, hashes, besides, limit = 50 } = query;
	const { rows } = await connection.query<Readonly<Record<string, unknown>>>(
		`SELECT x.*, s.machine, s.person FROM (
			SELECT DISTINCT ON (f.project, f.log, f.hash) f.hash, f.name, f.unit, f.message, f.state, f.project, f.log, f.session,
				f.attempts, f.first_ts::float8 AS "firstTs", f.last_ts::float8 AS "lastTs", f.red, f.green, f.changes
			FROM weft.failure f
			WHERE ($1::text IS NULL OR f.project = $1) AND ($2::text[] IS NULL OR f.hash = ANY ($2)) AND ($3::uuid IS NULL OR f.log <> $3)
				-- A clock may be wrong, but not by a day.
				AND f.last_ts < extract(epoch FROM now()) * 1000 + 86400000
			ORDER BY f.project, f.log, f.hash, f.seq DESC
		) x JOIN weft.stream s ON s.project = x.project AND s.log = x.log
		ORDER BY x."lastTs" DESC LIMIT $4`,
		[project, hashes ?? null, besides ?? null, limit],
	);
	return rows.map(failureOf);
}

/** Any member may have written anything there: a field that is not what it should be costs itself. */
function failureOf(row: Readonly<Record<string, unknown>>): FleetFailure {
	const text = (name: string) => asText(row[name]) ?? "";
	const number = (name: string) => asNumber(row[name]) ?? 0;
	return {
		hash: text("hash"),
		name: text("name"),
		unit: asText(row["unit"]) ?? null,
		message: text("message"),
		state: row["state"] === "resolved" ? "resolved" : "open",
		project: text("project"),
		session: text("session"),
		attempts: number("attempts"),
		firstTs: number("firstTs"),
		lastTs: number("lastTs"),
		red: text("red"),
		green: asText(row["green"]) ?? null,
		machine: text("machine"),
		person: text("person"),
		changes: asList(row["changes"]).flatMap((each) => {
			const { path, handle, added, removed } = asObject(each) ?? {};
			if (asText(path) === undefined || asText(handle) === undefined) return [];
			return {
				path: asText(path)!,
				handle: asText(handle)!,
				added: asInteger(added) ?? 0,
				removed: asInteger(removed) ?? null,
			};
		}),
	};
}

/** For a shipper that is in the middle of a batch. */
const WAIT_MS = 15_000;

/** Refuses whoever is not an owner. */
export async function checkOwner(connection: FleetConnection): Promise<void> {
	await connection.query("SELECT weft.own_team()");
}

/** As an owner: sessions that ended before this moment, ms since the epoch. How many events went. */
export async function pruneFleet(connection: FleetConnection, before: number): Promise<number> {
	return await remove(connection, "SELECT weft.prune($1) AS gone", before);
}

/** As many as pruning would remove, but for the newest session of each log, which stays. */
export async function countOlder(connection: FleetConnection, before: number): Promise<number> {
	const { rows } = await connection.query<{ events: string | null }>(
		"SELECT sum(events) AS events FROM weft.session WHERE last_ts < $1",
		[before],
	);
	return Number(rows[0]?.events ?? 0);
}

/** As an owner: a session in these logs. What the machines still have is not touched, and not shipped again. */
export async function forgetInFleet(
	connection: FleetConnection,
	session: string,
	logs: readonly string[],
): Promise<number> {
	return await remove(connection, "SELECT weft.forget($1, $2::uuid[]) AS gone", session, logs);
}

/** In a transaction: behind a pooler a setting must not stay with the connection. */
async function remove(connection: FleetConnection, sql: string, ...values: readonly unknown[]): Promise<number> {
	await connection.query("BEGIN");
	try {
		await connection.query(`SET LOCAL lock_timeout = ${WAIT_MS}`);
		const { rows } = await connection.query<{ gone: string }>(sql, values);
		await connection.query("COMMIT");
		return Number(rows[0]?.gone ?? 0);
	} catch (error) {
		await connection.query("ROLLBACK").catch(() => {});
		throw error;
	}
}
