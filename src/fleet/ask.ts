/** Questions to a fleet's server: who ships, what failed elsewhere, and what its owner wants forgotten. */
import { EngineError } from "../error/engine-error.ts";
import { asInteger, asList, asNumber, asObject, asText } from "../json/read.ts";
import type { FleetFailure, FleetMachine } from "../view/fleet.ts";
import type { FleetConnection } from "./connect.ts";
import { joinContinued } from "./continued.ts";

export async function readMachines(connection: FleetConnection): Promise<readonly FleetMachine[]> {
	const { rows } = await connection.query<Omit<FleetMachine, "behind">>(
		`SELECT s.machine, s.person, s.role::text AS role, s.project, s.log::text AS log, s.n::float8 AS events, s.bytes::float8 AS bytes,
			(SELECT count(*) FROM weft.session x WHERE x.project = s.project AND x.log = s.log)::int AS sessions,
			floor(extract(epoch FROM s.fresh) * 1000)::float8 AS fresh
		FROM weft.stream s ORDER BY s.fresh DESC NULLS LAST, s.machine`,
	);
	return rows.map((row) => ({ ...row, behind: null }));
}

export async function readTeam(
	connection: FleetConnection,
): Promise<{ readonly team: string; readonly bytes: number }> {
	const { rows } = await connection.query<{ team: string | null; bytes: number }>(
		"SELECT weft.team_of(current_user) AS team, pg_database_size(current_database())::float8 AS bytes",
	);
	return { team: rows[0]?.team ?? "none", bytes: rows[0]?.bytes ?? 0 };
}

export interface FailureQuery {
	/** null: all projects. */
	readonly project: string | null;
	readonly hashes?: readonly string[] | undefined;
	/** Not those of this log. */
	readonly besides?: string | undefined;
	readonly limit?: number | undefined;
}

/** Of each fingerprint in each log what is known last, the newest first. */
export async function readFailures(connection: FleetConnection, query: FailureQuery): Promise<readonly FleetFailure[]> {
	const { project, hashes, besides, limit = 50 } = query;
	const { rows } = await connection.query<Readonly<Record<string, unknown>>>(
		`SELECT x.*, s.machine, s.person FROM (
			SELECT DISTINCT ON (f.project, f.log, f.hash) f.hash, f.name, f.unit, f.message, f.state, f.project, f.log, f.session,
				f.attempts, f.first_ts::float8 AS "firstTs", f.last_ts::float8 AS "lastTs", f.red, f.green, f.changes
			FROM weft.failure f
			WHERE ($1::text IS NULL OR f.project = $1) AND ($2::text[] IS NULL OR f.hash = ANY ($2)) AND ($3::uuid IS NULL OR f.log <> $3)
				-- A clock may be wrong, but not by a day.
				AND f.last_ts < extract(epoch FROM now()) * 1000 + 86400000
			ORDER BY f.project, f.log, f.hash, f.seq DESC
		) x JOIN weft.stream s ON s.project = x.project AND s.log = x.log
		ORDER BY x."lastTs" DESC LIMIT $4`,
		[project, hashes ?? null, besides ?? null, limit],
	);
	return rows.map(failureOf);
}

/** Any member may have written anything there: a field that is not what it should be costs itself. */
function failureOf(row: Readonly<Record<string, unknown>>): FleetFailure {
	const text = (name: string) => asText(row[name]) ?? "";
	const number = (name: string) => asNumber(row[name]) ?? 0;
	return {
		hash: text("hash"),
		name: text("name"),
		unit: asText(row["unit"]) ?? null,
		message: text("message"),
		state: row["state"] === "resolved" ? "resolved" : "open",
		project: text("project"),
		session: text("session"),
		attempts: number("attempts"),
		firstTs: number("firstTs"),
		lastTs: number("lastTs"),
		red: text("red"),
		green: asText(row["green"]) ?? null,
		machine: text("machine"),
		person: text("person"),
		changes: asList(row["changes"]).flatMap((each) => {
			const { path, handle, added, removed } = asObject(each) ?? {};
			if (asText(path) === undefined || asText(handle) === undefined) return [];
			return {
				path: asText(path)!,
				handle: asText(handle)!,
				added: asInteger(added) ?? 0,
				removed: asInteger(removed) ?? null,
			};
		}),
	};
}

export interface FleetSession {
	readonly session: string;
	readonly host: string;
	readonly project: string;
	readonly log: string;
	readonly events: number;
	readonly machine: string;
	readonly person: string;
	readonly origin: string;
}

/** The session that an id, or the beginning of one, names: in each log that has it, the newest first. null: of all projects. */
export async function findFleetSessions(
	connection: FleetConnection,
	start: string,
	project: string | null,
): Promise<readonly [FleetSession, ...FleetSession[]]> {
	const { rows } = await connection.query<FleetSession>(
		`SELECT x.session, x.host, x.project, x.log::text AS log, x.events::float8 AS events, s.machine, s.person, s.origin
		FROM weft.session x JOIN weft.stream s ON s.project = x.project AND s.log = x.log
		WHERE starts_with(x.session, $1) AND ($2::text IS NULL OR x.project = $2)
		ORDER BY x.session <> $1, x.last_ts DESC LIMIT 50`,
		[start, project],
	);
	const [first, ...rest] = rows;
	const names = new Set(rows.map(({ session }) => session));
	if (first && (names.size === 1 || first.session === start)) {
		return [first, ...rest.filter(({ session }) => session === first.session)];
	}
	if (!first) {
		const where = project === null ? "" : " in this project; '--all' looks at all of them";
		throw new EngineError("not-found", `The fleet has no session '${start}'${where}. 'weft fleet' tells what it has.`);
	}
	throw new EngineError("usage", `More than one session begins with '${start}': ${[...names].join(", ")}.`);
}

export interface SessionQuery {
	/** null: all projects. */
	readonly project: string | null;
	readonly machine?: string | undefined;
	readonly person?: string | undefined;
}

/** The one that is meant, and the logs that went on with it. Two people's sessions of one name are not mixed. */
export async function findFleetSession(
	connection: FleetConnection,
	start: string,
	{ project, machine, person }: SessionQuery = { project: null },
): Promise<readonly [FleetSession, ...FleetSession[]]> {
	const found = await findFleetSessions(connection, start, project);
	const logs = [...new Map(found.map((each) => [each.log, each])).values()];
	const joined = await joinContinued(connection, logs);
	const meant = joined.filter((group) =>
		group.some((each) => (machine ?? each.machine) === each.machine && (person ?? each.person) === each.person),
	);
	if (meant.length === 1) return meant[0]!;
	const places = joined.map(([each]) => `${each.person} on ${each.machine} (${each.project})`);
	throw new EngineError(
		"usage",
		`Session ${found[0].session} is there from ${places.join(", and ")}. Say which with --machine or --person.`,
	);
}

/** For a shipper that is in the middle of a batch. */
const WAIT_MS = 15_000;

/** Refuses whoever is not an owner. */
export async function checkOwner(connection: FleetConnection): Promise<void> {
	await connection.query("SELECT weft.own_team()");
}

/** As an owner: sessions that ended before this moment, ms since the epoch. How many events went. */
export async function pruneFleet(connection: FleetConnection, before: number): Promise<number> {
	return await remove(connection, "SELECT weft.prune($1) AS gone", before);
}

/** As many as pruning would remove, but for the newest session of each log, which stays. */
export async function countOlder(connection: FleetConnection, before: number): Promise<number> {
	const { rows } = await connection.query<{ events: string | null }>(
		"SELECT sum(events) AS events FROM weft.session WHERE last_ts < $1",
		[before],
	);
	return Number(rows[0]?.events ?? 0);
}

/** As an owner. What the machines still have is not touched, and not shipped again. */
export async function forgetInFleet(connection: FleetConnection, session: string): Promise<number> {
	return await remove(connection, "SELECT weft.forget($1) AS gone", session);
}

/** In a transaction: behind a pooler a setting must not stay with the connection. */
async function remove(connection: FleetConnection, sql: string, value: unknown): Promise<number> {
	await connection.query("BEGIN");
	try {
		await connection.query(`SET LOCAL lock_timeout = ${WAIT_MS}`);
		const { rows } = await connection.query<{ gone: string }>(sql, [value]);
		await connection.query("COMMIT");
		return Number(rows[0]?.gone ?? 0);
	} catch (error) {
		await connection.query("ROLLBACK").catch(() => {});
		throw error;
	}
}
