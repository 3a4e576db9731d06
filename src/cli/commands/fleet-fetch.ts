import { findFleetSession } from "../../fleet/ask.ts";
import { fetchSession } from "../../fleet/fetch.ts";
import { plural } from "../../text/bytes.ts";
import type { Context } from "../context.ts";
import { withFleet } from "../fleet.ts";

export async function run(
	context: Context,
	[start = ""]: readonly string[],
	options: { readonly own?: boolean },
): Promise<void> {
	await withFleet(context, async ({ engine, connection }) => {
		const { out } = context;
		const session = await findFleetSession(connection, start);
		const fetched = await fetchSession(connection, engine.log, session, { isOwn: options.own ?? false });
		if (out.json) return out.document({ ...session, ...fetched });
		const { events, added, blobs } = fetched;
		const from = `${session.person} on ${session.machine}`;
		await out.line(
			`${plural(events, "event")} of session ${session.session} by ${from}: ${added} new here, ${plural(blobs, "blob")}`,
		);
	});
}
