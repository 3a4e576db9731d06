import { EngineError } from "../../../base/error/engine-error.ts";
import { connectFleet } from "../../../fleet/connection.ts";
import { addMember } from "../../../fleet/migrate.ts";
import { fleetPlace } from "../../../fleet/place.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({ context, args: [role = ""], options }: Call<"fleet member">): Promise<CommandResult> {
	const { team, owner: isOwner } = options;
	if (team === undefined || team.trim() === "")
		throw new EngineError("usage", "Say which team: weft fleet member ROLE --team TEAM.");
	const { address } = fleetPlace(context.readSettings(), context.env);
	await using connection = await connectFleet(address);
	await addMember(connection, { role, team, isOwner });
	const rank = isOwner ? "an owner" : "a member";
	return {
		data: { role, team, isOwner },
		lines: () => [
			`${role} is ${rank} of ${team}: it ships, reads what ${team} ships${isOwner ? ", and may remove it" : ""}`,
		],
	};
}
