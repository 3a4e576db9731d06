/**
 * Finds the session of a fleet that an id means. The id alone may not be enough: several people, machines and checkouts may have
 * one of that name, and a session that was fetched and continued elsewhere is in several logs.
 */
import { EngineError } from "../base/error/engine-error.ts";
import { allFetched } from "../log/fetched-sessions.ts";
import type { Log } from "../log/log.ts";
import type { FleetConnection } from "./connection.ts";
import { serverSession } from "./server-text.ts";
import { renderShipper, SHIPPER_COLUMNS, type Shipper } from "./shipper.ts";
import { streamName } from "./stream.ts";

/** The part of a session in one log. */
export interface FleetSession extends Shipper {
	readonly session: string;
	readonly host: string;
	readonly project: string;
	readonly log: string;
	readonly events: number;
	/** As `person`. */
	readonly role: string;
	readonly origin: string;
}

interface SessionQuery {
	/** null: all projects. */
	readonly project: string | null;
	readonly machine?: string | undefined;
	readonly person?: string | undefined;
	readonly role?: string | undefined;
	/** The beginning of its id. */
	readonly log?: string | undefined;
}

type SessionLogs = readonly [FleetSession, ...FleetSession[]];

/** The session and the logs that continued it. Throws if the id means two different sessions. */
export async function findFleetSession(
	connection: FleetConnection,
	start: string,
	query: SessionQuery = { project: null },
): Promise<SessionLogs> {
	const all = await findFleetSessions(connection, start, { project: query.project });
	const logs = [...new Map(all.map((each) => [each.log, each])).values()];
	const joined = await joinContinuations(connection, logs);
	const [meant, ...others] = joined.filter((group) => group.some((each) => isMeant(each, query)));
	if (!meant || others.length > 0) throw unclear(all[0].session, joined);
	// A log whose project was renamed has a part under each name.
	const [first = meant[0], ...rest] = meant.flatMap(({ log }) => all.filter((each) => each.log === log).reverse());
	return [first, ...rest];
}

/** The logs that have the session of an id or the beginning of one, and match the query, the newest first. */
export async function findFleetSessions(
	connection: FleetConnection,
	start: string,
	query: SessionQuery = { project: null },
): Promise<SessionLogs> {
	const session = await findName(connection, start, query.project);
	const { rows } = await connection.query<FleetSession>(
		`SELECT x.session, (array_agg(x.host ORDER BY x.last_ts DESC))[1] AS host, x.project, x.log::text AS log,
			sum(x.events)::float8 AS events, ${SHIPPER_COLUMNS}, s.role::text AS role, s.origin
		FROM weft.session x JOIN weft.stream s ON s.project = x.project AND s.log = x.log
		WHERE x.session = $1
			-- By log, because it may have had another project's name before.
			AND ($2::text IS NULL OR x.log IN (SELECT y.log FROM weft.session y WHERE y.session = $1 AND y.project = $2))
		GROUP BY x.session, x.project, x.log, s.machine, s.person, s.role, s.origin
		ORDER BY max(x.last_ts) DESC, x.project, x.log`,
		[session, query.project],
	);
	const [first, ...rest] = rows.filter((each) => isMeant(each, query));
	if (first) return [first, ...rest];
	throw unclear(
		session,
		rows.map((each) => [each]),
	);
}

async function findName(connection: FleetConnection, start: string, project: string | null): Promise<string> {
	const { rows } = await connection.query<{ session: string }>(
		`SELECT x.session FROM weft.session x WHERE starts_with(x.session, $1) AND ($2::text IS NULL OR x.project = $2)
		GROUP BY x.session ORDER BY x.session <> $1, max(x.last_ts) DESC LIMIT 20`,
		[start, project],
	);
	const [first, ...others] = rows.map(({ session }) => session);
	if (first === undefined) {
		const where = project === null ? "" : " in this project; '--all' looks at all of them";
		throw new EngineError("not-found", `The fleet has no session '${start}'${where}. 'weft fleet' shows what it has.`);
	}
	if (others.length === 0 || first === start) return first;
	throw new EngineError("usage", `More than one session begins with '${start}': ${[first, ...others].join(", ")}.`);
}

function isMeant(each: FleetSession, { machine, person, role, log }: SessionQuery): boolean {
	return (
		(machine ?? each.machine) === each.machine &&
		(person ?? each.person) === each.person &&
		(role ?? each.role) === each.role &&
		each.log.startsWith(log ?? "")
	);
}

function unclear(session: string, groups: readonly (readonly FleetSession[])[]): EngineError {
	const places = groups.flatMap(([each]) => (each ? [describePlace(each)] : []));
	return new EngineError(
		"usage",
		`Session ${session} exists from ${places.join(", and ")}. Choose one with --machine, --person, --role or --log.`,
	);
}

const SHOWN_DIGITS = 8;

export function describePlace(session: FleetSession): string {
	const { log, project } = session;
	return `${renderShipper(session)} (log ${log.slice(0, SHOWN_DIGITS)}, ${project})`;
}

/** How many events of a session an owner removed from these logs and from those that they continue. */
export async function countRemoved(connection: FleetConnection, logs: SessionLogs): Promise<number> {
	const { rows } = await connection.query<{ events: string | null }>(
		`SELECT sum(r.events) AS events FROM weft.removed r JOIN weft.stream s ON s.project = r.project AND s.log = r.log
		WHERE r.session = $1 AND (r.log = ANY ($2::uuid[]) OR s.origin IN (
			SELECT c.origin FROM weft.continued c WHERE c.session = $1 AND c.log = ANY ($2::uuid[])))`,
		[logs[0].session, logs.map(({ log }) => log)],
	);
	return Number(rows[0]?.events ?? 0);
}

/** A fetched session that continued here is in two logs of the fleet. A row on the server links them, so that both are fetched. */
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
async function joinContinuations(
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
