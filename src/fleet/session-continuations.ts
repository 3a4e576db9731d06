/** A session that was fetched and went on here is in two logs of the fleet. This one tells of it, so that both are fetched. */
import { allFetched } from "../log/fetched-sessions.ts";
import type { Log } from "../log/log.ts";
import type { FleetConnection } from "./connection.ts";
import type { FleetSession } from "./find-session.ts";
import { sessionName } from "./server-text.ts";
import { streamName } from "./stream.ts";

export async function tellContinued(connection: FleetConnection, log: Log, project: string): Promise<void> {
	for (const { origin, session } of allFetched(log)) {
		const [newest] = log.read({ session, order: "newest", limit: 1 });
		if (newest?.origin !== log.options.origin) continue;
		await connection.query(
			"INSERT INTO weft.continued (project, log, session, origin) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
			[project, streamName(log), sessionName(session), origin],
		);
	}
}

/** Each session with the logs that went on with it, in the order of their time. */
export async function joinContinued(
	connection: FleetConnection,
	found: readonly FleetSession[],
): Promise<readonly (readonly [FleetSession, ...FleetSession[]])[]> {
	const { rows } = await connection.query<{ log: string; origin: string }>(
		"SELECT log::text AS log, origin FROM weft.continued WHERE session = $1",
		[found[0]?.session ?? ""],
	);
	const from = (each: FleetSession) =>
		rows
			.filter(({ log }) => log === each.log)
			.flatMap(({ origin }) => found.find((other) => other.origin === origin) ?? []);
	const goesOn = (of: FleetSession, each: FleetSession, seen: readonly FleetSession[] = []): boolean =>
		!seen.includes(each) && from(each).some((before) => before === of || goesOn(of, before, [...seen, each]));
	return found
		.filter((each) => from(each).length === 0)
		.map((each) => [each, ...found.filter((other) => goesOn(each, other)).reverse()] as const);
}
