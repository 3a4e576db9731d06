import { quoteWord } from "../../../base/shell/quote-word.ts";
import { formatCount, plural } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { fetchSession } from "../../../fleet/fetch.ts";
import { findFleetSession } from "../../../fleet/find-session.ts";
import type { Context } from "../context.ts";
import { askedProject, withFleet } from "../fleet.ts";

export interface FleetFetchOptions {
	readonly own?: boolean;
	readonly all?: boolean;
	readonly machine?: string;
	readonly person?: string;
	readonly role?: string;
	readonly log?: string;
}

export async function run(
	context: Context,
	[start = ""]: readonly string[],
	options: FleetFetchOptions,
): Promise<void> {
	await withFleet(context, async ({ engine, connection }) => {
		const { out } = context;
		const { machine, person, role, log } = options;
		const project = await askedProject(engine, options.all);
		const logs = await findFleetSession(connection, start, { project, machine, person, role, log });
		const [session] = logs;
		const fetched = await fetchSession(connection, engine.log, logs, { isOwn: options.own ?? false });
		if (out.json) return out.document({ ...session, ...fetched });
		const { events, added, blobs, missing, malformed, removed } = fetched;
		const makers = new Map(logs.map((each) => [each.log, `${each.person} on ${each.machine}`]));
		const from = [...makers.values()].join(", continued by ");
		await out.line(
			`${plural(events, "event")} of session ${oneLine(session.session)} by ${from}: ${added} new here, ${plural(blobs, "blob")}`,
		);
		if (missing > 0) await out.line(`${plural(missing, "blob")} of it the fleet does not have.`);
		if (malformed > 0) await out.line(`${plural(malformed, "malformed event")} of it did not come.`);
		if (removed > 0) {
			const were = removed === 1 ? "1 earlier event of it was" : `${formatCount(removed)} earlier events of it were`;
			await out.line(`${were} removed from the fleet: what is here is not all of it.`);
		}
		if (session.host === "pi") {
			out.talk(
				`To go on with it in Pi: weft export --format pi --session ${oneLine(quoteWord(session.session))} --out FILE, pi --session FILE`,
			);
		}
	});
}
