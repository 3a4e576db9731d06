import { findFleetSession } from "../../fleet/ask.ts";
import { fetchSession } from "../../fleet/fetch.ts";
import { plural } from "../../text/bytes.ts";
import type { Context } from "../context.ts";
import { askedProject, withFleet } from "../fleet.ts";

export interface FleetFetchOptions {
	readonly own?: boolean;
	readonly all?: boolean;
	readonly machine?: string;
	readonly person?: string;
}

export async function run(
	context: Context,
	[start = ""]: readonly string[],
	options: FleetFetchOptions,
): Promise<void> {
	await withFleet(context, async ({ engine, connection }) => {
		const { out } = context;
		const { machine, person } = options;
		const project = await askedProject(engine, options.all);
		const logs = await findFleetSession(connection, start, { project, machine, person });
		const [session] = logs;
		const fetched = await fetchSession(connection, engine.log, logs, { isOwn: options.own ?? false });
		if (out.json) return out.document({ ...session, ...fetched });
		const { events, added, blobs } = fetched;
		const from = logs.map((each) => `${each.person} on ${each.machine}`).join(", continued by ");
		await out.line(
			`${plural(events, "event")} of session ${session.session} by ${from}: ${added} new here, ${plural(blobs, "blob")}`,
		);
		if (session.host === "pi") {
			out.talk(
				`To go on with it in Pi: weft export --format pi --session ${session.session} --out FILE, pi --session FILE`,
			);
		}
	});
}
