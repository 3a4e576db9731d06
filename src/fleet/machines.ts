/** The machines that ship to a fleet, and the team of this one. */
import type { FleetConnection } from "./connection.ts";
import type { FleetMachine } from "./view/fleet-view.ts";

export async function readMachines(connection: FleetConnection): Promise<readonly FleetMachine[]> {
	const { rows } = await connection.query<Omit<FleetMachine, "behind">>(
		`SELECT s.machine, s.person, s.role::text AS role, s.project, s.log::text AS log, x.events, x.sessions,
			s.bytes::float8 AS bytes, floor(extract(epoch FROM s.fresh) * 1000)::float8 AS fresh
		-- A log's n also counts removed events; the sums of its sessions do not.
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
