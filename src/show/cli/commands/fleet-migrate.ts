import { connectFleet } from "../../../fleet/connection.ts";
import { migrateFleet } from "../../../fleet/migrate.ts";
import { fleetPlace } from "../../../fleet/place.ts";
import { showAddress } from "../../../settings/fleet-address.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({ context }: Call<"fleet migrate">): Promise<CommandResult> {
	const { address } = fleetPlace(context.readSettings(), context.env);
	await using connection = await connectFleet(address);
	const { from, to } = await migrateFleet(connection);
	const server = showAddress(address);
	return {
		data: { from, to },
		lines: () => [from === to ? `${server} already has schema ${to}` : `${server}: schema ${from} → ${to}`],
	};
}
