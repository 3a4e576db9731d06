import { plural } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { describePlace, findFleetSessions } from "../../../fleet/find-session.ts";
import { checkOwner, forgetInFleet } from "../../../fleet/removal.ts";
import { DRY_RUN } from "../../../view/pruning.ts";
import type { Call, CommandResult } from "../frame.ts";
import { askedProject } from "../open-fleet.ts";

export async function run({
	engine,
	connection,
	args: [start = ""],
	options,
}: Call<"fleet forget">): Promise<CommandResult> {
	const { all, yes, machine, person, role, log } = options;
	await checkOwner(connection);
	const project = await askedProject(engine, all);
	const found = await findFleetSessions(connection, start, { project, machine, person, role, log });
	const { session } = found[0];
	const logs = [...new Set(found.map((each) => each.log))];
	const counted = found.reduce((sum, { events }) => sum + events, 0);
	const events = yes ? await forgetInFleet(connection, session, logs) : counted;
	const of = `${plural(events, "event")} of session ${oneLine(session)}`;
	return {
		data: { session, events, applied: yes, of: found },
		lines: () => [
			yes ? `Removed ${of}. The machine's own log is unchanged.` : `Would remove ${of}:`,
			...found.map((each) => `  ${plural(each.events, "event")} by ${oneLine(describePlace(each))}`),
		],
		remarks: yes ? [] : [DRY_RUN],
	};
}
