import { readOverview } from "../../../fleet/overview.ts";
import { renderOverview } from "../../../fleet/view/fleet-view.ts";
import { fleetState } from "../../../view/fleet-state.ts";
import type { Context } from "../context.ts";
import { withFleet } from "../fleet.ts";

export async function run(context: Context): Promise<void> {
	await withFleet(context, async ({ engine, place, connection }) => {
		const { behind } = fleetState(engine.log, place.address);
		const overview = await readOverview(connection, engine, place, behind);
		if (context.out.json) return context.out.document(overview);
		await context.out.lines(renderOverview(overview, context.out, context.now()));
	});
}
