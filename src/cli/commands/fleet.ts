import { readMachines, readTeam } from "../../fleet/ask.ts";
import { streamName } from "../../fleet/stream-name.ts";
import { showAddress } from "../../settings/fleet-address.ts";
import { type FleetOverview, renderOverview } from "../../view/fleet.ts";
import { fleetState } from "../../view/fleet-state.ts";
import type { Context } from "../context.ts";
import { withFleet } from "../fleet.ts";

export async function run(context: Context): Promise<void> {
	await withFleet(context, async ({ engine, place, connection, schema }) => {
		const own = streamName(engine.log);
		const { behind } = fleetState(engine.log, place.address);
		const [machines, team] = [await readMachines(connection), await readTeam(connection)];
		const overview: FleetOverview = {
			server: showAddress(place.address),
			schema,
			...team,
			machines: machines.map((machine) => (machine.log === own ? { ...machine, behind } : machine)),
		};
		if (context.out.json) return context.out.document(overview);
		await context.out.lines(renderOverview(overview, context.out, context.now()));
	});
}
