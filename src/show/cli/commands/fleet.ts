import { readOverview } from "../../../fleet/overview.ts";
import { renderOverview } from "../../../fleet/view/fleet-view.ts";
import { fleetState } from "../../../view/fleet-state.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({ context, engine, place, connection }: Call<"fleet">): Promise<CommandResult> {
	const { behind } = fleetState(engine.log, place.address);
	const overview = await readOverview(connection, engine, place, behind);
	return { data: overview, lines: (out) => renderOverview(overview, out, context.now()) };
}
