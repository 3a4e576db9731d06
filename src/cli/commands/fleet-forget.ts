import { checkOwner, findFleetSessions, forgetInFleet } from "../../fleet/ask.ts";
import { plural } from "../../text/bytes.ts";
import { DRY_RUN } from "../../view/upkeep.ts";
import type { Context } from "../context.ts";
import { askedProject, withFleet } from "../fleet.ts";

export interface FleetForgetOptions {
	readonly yes?: boolean;
	readonly all?: boolean;
}

export async function run(
	context: Context,
	[start = ""]: readonly string[],
	options: FleetForgetOptions,
): Promise<void> {
	await withFleet(context, async ({ engine, connection }) => {
		const { out } = context;
		await checkOwner(connection);
		const named = await findFleetSessions(connection, start, await askedProject(engine, options.all));
		const { session } = named[0];
		// The team's sessions of that name go together, wherever they are.
		const found = await findFleetSessions(connection, session, null);
		const events = found.reduce((sum, each) => sum + each.events, 0);
		const gone = options.yes ? await forgetInFleet(connection, session) : events;
		if (out.json) return out.document({ session, events: gone, applied: options.yes ?? false });
		const people = new Set(found.map(({ person, machine }) => `${person} on ${machine}`));
		const of = `${plural(gone, "event")} of session ${session} by ${[...people].join(" and ")}`;
		await out.line(options.yes ? `Removed ${of}. The machine's own log is as it was.` : `Would remove ${of}.`);
		if (!options.yes) out.talk(DRY_RUN);
	});
}
