import { connectFleet } from "../../../fleet/connection.ts";
import { migrateFleet } from "../../../fleet/migrate.ts";
import { fleetPlace } from "../../../fleet/place.ts";
import { showAddress } from "../../../settings/fleet-address.ts";
import type { Context } from "../context.ts";

export async function run(context: Context): Promise<void> {
	const { out } = context;
	const { address } = fleetPlace(context.readSettings(), context.env);
	await using connection = await connectFleet(address);
	const { from, to } = await migrateFleet(connection);
	if (out.json) return out.document({ from, to });
	const server = showAddress(address);
	await out.line(from === to ? `${server} has schema ${to} already` : `${server}: schema ${from} → ${to}`);
}
