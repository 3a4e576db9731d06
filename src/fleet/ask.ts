/** Questions to a fleet's server: who ships, what failed elsewhere, and what its owner wants forgotten. */
import { EngineError } from "../error/engine-error.ts";
import type { FleetFailure, FleetMachine } from "../view/fleet.ts";
import type { FleetConnection } from "./connect.ts";

export async function readMachines(connection: FleetConnection): Promise<readonly FleetMachine[]> {
	const { rows } = await connection.query<Omit<FleetMachine, "behind">>(
		`SELECT s.machine, s.person, s.role::text AS role, s.project, s.log::text AS log, s.n::float8 AS events, s.bytes::float8 AS bytes,
			(SELECT count(*) FROM weft.session x WHERE x.project = s.project AND x.log = s.log)::int AS sessions,
			floor(extract(epoch FROM s.fresh) * 1000)::float8 AS fresh
		FROM weft.stream s ORDER BY s.fresh DESC NULLS LAST, s.machine`,
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
	const { rows } = await connection.query<FleetFailure>(
		`SELECT x.*, s.machine, s.person FROM (
			SELECT DISTINCT ON (f.project, f.log, f.hash) f.hash, f.name, f.unit, f.message, f.state, f.project, f.log, f.session,
				f.attempts, f.first_ts::float8 AS "firstTs", f.last_ts::float8 AS "lastTs", f.red, f.green, f.changes
			FROM weft.failure f
			WHERE ($1::text IS NULL OR f.project = $1) AND ($2::text[] IS NULL OR f.hash = ANY ($2)) AND ($3::uuid IS NULL OR f.log <> $3)
			ORDER BY f.project, f.log, f.hash, f.seq DESC
		) x JOIN weft.stream s ON s.project = x.project AND s.log = x.log
		ORDER BY x."lastTs" DESC LIMIT $4`,
		[project, hashes ?? null, besides ?? null, limit],
	);
	return rows;
}

export interface FleetSession {
	readonly session: string;
	readonly host: string;
	readonly project: string;
	readonly log: string;
	readonly events: number;
	readonly machine: string;
	readonly person: string;
	readonly origin: string;
}

/** The session that an id, or the beginning of one, names. */
export async function findFleetSession(connection: FleetConnection, start: string): Promise<FleetSession> {
	const { rows } = await connection.query<FleetSession>(
		`SELECT x.session, x.host, x.project, x.log::text AS log, x.events::float8 AS events, s.machine, s.person, s.origin
		FROM weft.session x JOIN weft.stream s ON s.project = x.project AND s.log = x.log
		WHERE starts_with(x.session, $1) ORDER BY x.session <> $1, x.last_ts DESC LIMIT 10`,
		[start],
	);
	const names = new Set(rows.map(({ session }) => session));
	if (rows[0] && (names.size === 1 || rows[0].session === start)) return rows[0];
	if (rows.length === 0)
		throw new EngineError("not-found", `The fleet has no session '${start}'. 'weft fleet' tells what it has.`);
	throw new EngineError("usage", `More than one session begins with '${start}': ${[...names].join(", ")}.`);
}

/** As an owner. What the machines still have is not touched, and not shipped again. */
export async function forgetInFleet(connection: FleetConnection, session: string): Promise<number> {
	const { rows } = await connection.query<{ gone: string }>("SELECT weft.forget($1) AS gone", [session]);
	return Number(rows[0]?.gone ?? 0);
}
