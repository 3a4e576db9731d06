import { plural } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { describePlace, findFleetSessions } from "../../../fleet/find-session.ts";
import { checkOwner, forgetInFleet } from "../../../fleet/removal.ts";
import { DRY_RUN } from "../../../view/upkeep.ts";
import type { Context } from "../context.ts";
import { askedProject, withFleet } from "../fleet.ts";

export interface FleetForgetOptions {
	readonly yes?: boolean;
	readonly all?: boolean;
	readonly machine?: string;
	readonly person?: string;
	readonly role?: string;
	readonly log?: string;
}

export async function run(
	context: Context,
	[start = ""]: readonly string[],
	options: FleetForgetOptions,
): Promise<void> {
	await withFleet(context, async ({ engine, connection }) => {
		const { out } = context;
		const { all, yes = false, machine, person, role, log } = options;
		await checkOwner(connection);
		const project = await askedProject(engine, all);
		const found = await findFleetSessions(connection, start, { project, machine, person, role, log });
		const { session } = found[0];
		const logs = [...new Set(found.map((each) => each.log))];
		const counted = found.reduce((sum, { events }) => sum + events, 0);
		const events = yes ? await forgetInFleet(connection, session, logs) : counted;
		if (out.json) return out.document({ session, events, applied: yes, of: found });
		const of = `${plural(events, "event")} of session ${oneLine(session)}`;
		await out.lines([
			yes ? `Removed ${of}. The machine's own log is as it was.` : `Would remove ${of}:`,
			...found.map((each) => `  ${plural(each.events, "event")} by ${oneLine(describePlace(each))}`),
		]);
		if (!yes) out.talk(DRY_RUN);
	});
}
