import { findFleetSession, forgetInFleet } from "../../fleet/ask.ts";
import { plural } from "../../text/bytes.ts";
import { DRY_RUN } from "../../view/upkeep.ts";
import type { Context } from "../context.ts";
import { withFleet } from "../fleet.ts";

export async function run(
	context: Context,
	[start = ""]: readonly string[],
	options: { readonly yes?: boolean },
): Promise<void> {
	await withFleet(context, async ({ connection }) => {
		const { out } = context;
		const { session, events, machine, person } = await findFleetSession(connection, start);
		const gone = options.yes ? await forgetInFleet(connection, session) : events;
		if (out.json) return out.document({ session, events: gone, applied: options.yes ?? false });
		const of = `${plural(gone, "event")} of session ${session} by ${person} on ${machine}`;
		await out.line(options.yes ? `Removed ${of}. The machine's own log is as it was.` : `Would remove ${of}.`);
		if (!options.yes) out.talk(DRY_RUN);
	});
}
