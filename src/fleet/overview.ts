/** The fleet at a glance: what this machine knows of its shipping, and what the server answers in time. */
import { EngineError } from "../base/error/engine-error.ts";
import type { Engine } from "../engine.ts";
import { showAddress } from "../settings/fleet-address.ts";
import { ownVariables } from "../settings/project-variables.ts";
import { configuredFleet } from "../view/fleet-state.ts";
import { connectFleet, type FleetConnection } from "./connection.ts";
import { checkVersion } from "./migrate.ts";
import { type FleetPlace, fleetPlace } from "./place.ts";
import { SHIPPER_COLUMNS } from "./shipper.ts";
import { streamName } from "./stream.ts";
import type { FleetMachine, FleetOverview, FleetPage } from "./view/fleet-view.ts";

const MAX_ANSWER_MS = 3_000;
/** A member can begin any number of logs. */
const MAX_LOGS = 5_000;

export async function readOverview(
	connection: FleetConnection,
	{ log }: Pick<Engine, "log">,
	place: FleetPlace,
	behind: number,
): Promise<FleetOverview> {
	const schema = await checkVersion(connection);
	const own = streamName(log);
	const machines = await readMachines(connection);
	return {
		server: showAddress(place.address),
		schema,
		...(await readTeam(connection)),
		machines: machines.map((machine) => (machine.log === own ? { ...machine, behind } : machine)),
	};
}

/** For a page: a server that does not answer is part of the result, not a failure. */
export async function readFleetPage(engine: Engine, env: NodeJS.ProcessEnv): Promise<FleetPage> {
	const state = configuredFleet(engine.log, engine.settings, env);
	if (!state) return { state: null, overview: null, problem: null };
	try {
		const place = fleetPlace(engine, ownVariables(env, [engine.project.root]));
		const limits = { connectMs: MAX_ANSWER_MS, statementMs: MAX_ANSWER_MS };
		await using connection = await connectFleet(place.address, limits);
		return { state, overview: await readOverview(connection, engine, place, state.behind), problem: null };
	} catch (error) {
		if (!(error instanceof EngineError)) throw error;
		return { state, overview: null, problem: error.message };
	}
}

/** The machines that ship to a fleet, and the team of this one. */
export async function readMachines(connection: FleetConnection): Promise<readonly FleetMachine[]> {
	const { rows } = await connection.query<Omit<FleetMachine, "behind">>(
		`SELECT ${SHIPPER_COLUMNS}, s.role::text AS role, s.project, s.log::text AS log, x.events, x.sessions,
			s.bytes::float8 AS bytes, floor(extract(epoch FROM s.fresh) * 1000)::float8 AS fresh
		-- A log's n also counts removed events; the sums of its sessions do not.
		FROM weft.stream s CROSS JOIN LATERAL (
			SELECT coalesce(sum(x.events), 0)::float8 AS events, count(DISTINCT x.session)::int AS sessions
			FROM weft.session x WHERE x.project = s.project AND x.log = s.log
		) x ORDER BY s.fresh DESC NULLS LAST, s.machine LIMIT ${MAX_LOGS}`,
	);
	return rows.map((row) => ({ ...row, behind: null }));
}

async function readTeam(connection: FleetConnection): Promise<{ readonly team: string; readonly bytes: number }> {
	const { rows } = await connection.query<{ team: string | null; bytes: number }>(
		"SELECT weft.my_team() AS team, pg_database_size(current_database())::float8 AS bytes",
	);
	return { team: rows[0]?.team ?? "none", bytes: rows[0]?.bytes ?? 0 };
}
