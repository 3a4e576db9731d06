import { quoteWord } from "../../../base/shell/quote-word.ts";
import { formatCount, plural } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { fetchSession } from "../../../fleet/fetch.ts";
import { findFleetSession } from "../../../fleet/find-session.ts";
import type { Call, CommandResult } from "../frame.ts";
import { askedProject } from "../open-fleet.ts";

export async function run({
	engine,
	connection,
	args: [start = ""],
	options,
}: Call<"fleet fetch">): Promise<CommandResult> {
	const { machine, person, role, log } = options;
	const project = await askedProject(engine, options.all);
	const logs = await findFleetSession(connection, start, { project, machine, person, role, log });
	const [session] = logs;
	const fetched = await fetchSession(connection, engine.log, logs, { isOwn: options.own });
	const resume = `To continue it in Pi: weft export --format pi --session ${oneLine(quoteWord(session.session))} --out FILE, pi --session FILE`;
	return {
		data: { ...session, ...fetched },
		lines: () => fetchedLines(logs, fetched),
		remarks: session.host === "pi" ? [resume] : [],
	};
}

function* fetchedLines(
	logs: Awaited<ReturnType<typeof findFleetSession>>,
	{ events, added, blobs, missing, malformed, removed }: Awaited<ReturnType<typeof fetchSession>>,
): Generator<string> {
	const makers = new Map(logs.map((each) => [each.log, `${each.person} on ${each.machine}`]));
	const from = [...makers.values()].join(", continued by ");
	yield `${plural(events, "event")} of session ${oneLine(logs[0].session)} by ${from}: ${added} new here, ${plural(blobs, "blob")}`;
	if (missing > 0) yield `The fleet does not have ${plural(missing, "blob")} of it.`;
	if (malformed > 0) yield `${plural(malformed, "malformed event")} of it did not come.`;
	if (removed > 0) {
		const were = removed === 1 ? "1 earlier event of it was" : `${formatCount(removed)} earlier events of it were`;
		yield `${were} removed from the fleet, so this copy is not complete.`;
	}
}
