import { EngineError } from "../../../base/error/engine-error.ts";
import { connectFleet } from "../../../fleet/connection.ts";
import { addMember } from "../../../fleet/migrate.ts";
import { fleetPlace } from "../../../fleet/place.ts";
import type { Context } from "../context.ts";

export interface FleetMemberOptions {
	readonly team?: string;
	readonly owner?: boolean;
}

export async function run(
	context: Context,
	[role = ""]: readonly string[],
	options: FleetMemberOptions,
): Promise<void> {
	const { out } = context;
	const { team, owner: isOwner = false } = options;
	if (team === undefined || team.trim() === "")
		throw new EngineError("usage", "Say which team: weft fleet member ROLE --team TEAM.");
	const { address } = fleetPlace(context.readSettings(), context.env);
	await using connection = await connectFleet(address);
	await addMember(connection, { role, team, isOwner });
	if (out.json) return out.document({ role, team, isOwner });
	await out.line(
		`${role} is ${isOwner ? "an owner" : "a member"} of ${team}: it ships, and reads what ${team} ships${isOwner ? ", and may remove it" : ""}`,
	);
}
