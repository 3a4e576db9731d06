/** The fleet at a glance: what this machine knows of its shipping, and what the server answers in time. */

import { EngineError } from "../base/error/engine-error.ts";
import type { Engine } from "../engine.ts";
import { showAddress } from "../settings/fleet-address.ts";
import { configuredFleet } from "../view/fleet-state.ts";
import { connectFleet, type FleetConnection } from "./connection.ts";
import { readMachines, readTeam } from "./machines.ts";
import { checkVersion } from "./migrate.ts";
import { type FleetPlace, fleetPlace } from "./place.ts";
import { streamName } from "./stream.ts";
import type { FleetOverview, FleetPage } from "./view/fleet-view.ts";

const MAX_ANSWER_MS = 3_000;

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
		const place = fleetPlace(engine, env);
		const limits = { connectMs: MAX_ANSWER_MS, statementMs: MAX_ANSWER_MS };
		await using connection = await connectFleet(place.address, limits);
		return { state, overview: await readOverview(connection, engine, place, state.behind), problem: null };
	} catch (error) {
		if (!(error instanceof EngineError)) throw error;
		return { state, overview: null, problem: error.message };
	}
}
