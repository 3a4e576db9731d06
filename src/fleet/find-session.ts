/**
 * Which session of a fleet is meant. Its id alone does not say: several people, machines and checkouts may have one of that
 * name, and one that was fetched and went on elsewhere is in several logs.
 */
import { EngineError } from "../base/error/engine-error.ts";
import type { FleetConnection } from "./connection.ts";
import { joinContinued } from "./session-continuations.ts";

/** What one log has of a session. */
export interface FleetSession {
	readonly session: string;
	readonly host: string;
	readonly project: string;
	readonly log: string;
	readonly events: number;
	readonly machine: string;
	readonly person: string;
	/** What the server knows the shipper by. */
	readonly role: string;
	readonly origin: string;
}

export interface SessionQuery {
	/** null: all projects. */
	readonly project: string | null;
	readonly machine?: string | undefined;
	readonly person?: string | undefined;
	readonly role?: string | undefined;
	/** The beginning of its id. */
	readonly log?: string | undefined;
}

type SessionLogs = readonly [FleetSession, ...FleetSession[]];

/** The one that is meant, and the logs that went on with it. Two sessions of one name are not mixed. */
export async function findFleetSession(
	connection: FleetConnection,
	start: string,
	query: SessionQuery = { project: null },
): Promise<SessionLogs> {
	const all = await findFleetSessions(connection, start, { project: query.project });
	const logs = [...new Map(all.map((each) => [each.log, each])).values()];
	const joined = await joinContinued(connection, logs);
	const [meant, ...others] = joined.filter((group) => group.some((each) => isMeant(each, query)));
	if (!meant || others.length > 0) throw unclear(all[0].session, joined);
	// A log whose project was renamed has a part of it under each name.
	const [first, ...rest] = meant.flatMap(({ log }) => all.filter((each) => each.log === log).reverse());
	return [first!, ...rest];
}

/** What an id, or the beginning of one, names: in each log that has it and is asked for, the newest first. */
export async function findFleetSessions(
	connection: FleetConnection,
	start: string,
	query: SessionQuery = { project: null },
): Promise<SessionLogs> {
	const session = await findName(connection, start, query.project);
	const { rows } = await connection.query<FleetSession>(
		`SELECT x.session, (array_agg(x.host ORDER BY x.last_ts DESC))[1] AS host, x.project, x.log::text AS log,
			sum(x.events)::float8 AS events, s.machine, s.person, s.role::text AS role, s.origin
		FROM weft.session x JOIN weft.stream s ON s.project = x.project AND s.log = x.log
		WHERE x.session = $1
			-- By the log: it may have had another project's name before.
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
		throw new EngineError("not-found", `The fleet has no session '${start}'${where}. 'weft fleet' tells what it has.`);
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
		`Session ${session} is there from ${places.join(", and ")}. Say which with --machine, --person, --role or --log.`,
	);
}

const SHOWN_DIGITS = 8;

/** Machine and person are what the machine says of itself, and may be those of another: the role and the log are not. */
export function describePlace({ person, machine, role, log, project }: FleetSession): string {
	return `${person} on ${machine} (role ${role}, log ${log.slice(0, SHOWN_DIGITS)}, ${project})`;
}

/** How many events of a session an owner removed: from these logs, and from those that they went on from. */
export async function countRemoved(connection: FleetConnection, logs: SessionLogs): Promise<number> {
	const { rows } = await connection.query<{ events: string | null }>(
		`SELECT sum(r.events) AS events FROM weft.removed r JOIN weft.stream s ON s.project = r.project AND s.log = r.log
		WHERE r.session = $1 AND (r.log = ANY ($2::uuid[]) OR s.origin IN (
			SELECT c.origin FROM weft.continued c WHERE c.session = $1 AND c.log = ANY ($2::uuid[])))`,
		[logs[0].session, logs.map(({ log }) => log)],
	);
	return Number(rows[0]?.events ?? 0);
}
