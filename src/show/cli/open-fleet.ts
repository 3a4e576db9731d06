/** Opens the project, its place in the fleet and a connection, for the fleet's commands. */

import { existsSync } from "node:fs";
import { EngineError } from "../../base/error/engine-error.ts";
import type { Engine } from "../../engine.ts";
import { connectFleet, type FleetConnection } from "../../fleet/connection.ts";
import { checkVersion } from "../../fleet/migrate.ts";
import { type FleetPlace, fleetPlace, projectName } from "../../fleet/place.ts";
import type { Context } from "./context.ts";

export interface OpenFleet {
	readonly engine: Engine;
	readonly place: FleetPlace;
	readonly connection: FleetConnection;
}

/** Opens the project's log and the fleet's server for one command. */
export async function withFleet<Answer>(
	context: Context,
	work: (fleet: OpenFleet) => Promise<Answer>,
): Promise<Answer> {
	// Most of these commands only ask the server: they work where the log can only be read.
	const engine = existsSync(context.places().logPath) ? context.openExisting() : context.openForWriting();
	try {
		const place = fleetPlace(engine, context.env);
		await using connection = await connectFleet(place.address, { onWait: (sentence) => context.out.talk(sentence) });
		await checkVersion(connection);
		return await work({ engine, place, connection });
	} finally {
		engine.close();
	}
}

/** The project to ask about; null: `--all`, which reads every partition of the server's events. */
export async function askedProject(engine: Engine, all: boolean | undefined): Promise<string | null> {
	if (all) return null;
	const name = await projectName(engine);
	if (name !== undefined) return name;
	throw new EngineError("usage", "This project has no name in the fleet. Ask about all of them with --all.");
}
