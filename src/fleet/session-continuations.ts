/** A fetched session that continued here is in two logs of the fleet. A row on the server links them, so that both are fetched. */
import { allFetched } from "../log/fetched-sessions.ts";
import type { Log } from "../log/log.ts";
import type { FleetConnection } from "./connection.ts";
import type { FleetSession } from "./find-session.ts";
import { serverSession } from "./server-text.ts";
import { streamName } from "./stream.ts";

export async function shipContinuations(connection: FleetConnection, log: Log, project: string): Promise<void> {
	for (const { origin, session } of allFetched(log)) {
		const [newest] = log.read({ session, order: "newest", limit: 1 });
		if (newest?.origin !== log.options.origin) continue;
		await connection.query(
			"INSERT INTO weft.continued (project, log, session, origin) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
			[project, streamName(log), serverSession(session), origin],
		);
	}
}

/** Each session with the logs that continued it, by time. */
export async function joinContinuations(
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
	const continues = (of: FleetSession, each: FleetSession, seen: readonly FleetSession[] = []): boolean =>
		!seen.includes(each) && from(each).some((before) => before === of || continues(of, before, [...seen, each]));
	return found
		.filter((each) => from(each).length === 0)
		.map((each) => [each, ...found.filter((other) => continues(each, other)).reverse()] as const);
}
