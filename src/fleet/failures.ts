/** Failures that the fleet knows, and which of them another machine resolved. */
import { asInteger, asList, asNumber, asObject, asText } from "../base/json/read.ts";
import type { FleetConnection } from "./connection.ts";
import { LATEST_TIME } from "./plausible-time.ts";
import { SHIPPER_COLUMNS, type Shipper } from "./shipper.ts";

export interface FleetFailure extends Shipper {
	readonly hash: string;
	readonly name: string;
	readonly unit: string | null;
	readonly message: string;
	readonly state: "open" | "resolved";
	readonly project: string;
	readonly session: string;
	readonly attempts: number;
	readonly firstTs: number;
	readonly lastTs: number;
	/** Handles: of the last red run, of the first green one. */
	readonly red: string;
	readonly green: string | null;
	readonly changes: readonly {
		readonly path: string;
		readonly handle: string;
		readonly added: number;
		readonly removed: number | null;
	}[];
}

export interface FailureQuery {
	/** null: all projects. */
	readonly project: string | null;
	readonly hashes?: readonly string[] | undefined;
	/** Leaves out this log. */
	readonly besides?: string | undefined;
	readonly limit?: number | undefined;
}

/** The latest state of each fingerprint in each log, the newest first. */
export async function readFailures(connection: FleetConnection, query: FailureQuery): Promise<readonly FleetFailure[]> {
	const { project, hashes, besides, limit = 50 } = query;
	const { rows } = await connection.query<Readonly<Record<string, unknown>>>(
		`SELECT x.*, ${SHIPPER_COLUMNS} FROM (
			SELECT DISTINCT ON (f.project, f.log, f.hash) f.hash, f.name, f.unit, f.message, f.state, f.project, f.log, f.session,
				f.attempts, f.first_ts::float8 AS "firstTs", f.last_ts::float8 AS "lastTs", f.red, f.green, f.changes
			FROM weft.failure f
			WHERE ($1::text IS NULL OR f.project = $1) AND ($2::text[] IS NULL OR f.hash = ANY ($2)) AND ($3::uuid IS NULL OR f.log <> $3)
				AND f.last_ts < ${LATEST_TIME}
			ORDER BY f.project, f.log, f.hash, f.seq DESC
		) x JOIN weft.stream s ON s.project = x.project AND s.log = x.log
		ORDER BY x."lastTs" DESC LIMIT $4`,
		[project, hashes ?? null, besides ?? null, limit],
	);
	return rows.map(failureOf);
}

/** Any member may have written anything here, so each field is checked by itself. */
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
		person: text("person"),
		says: text("says"),
		machine: text("machine"),
		changes: asList(row["changes"]).flatMap((each) => {
			const { added, removed, ...change } = asObject(each) ?? {};
			const [path, handle] = [asText(change["path"]), asText(change["handle"])];
			if (path === undefined || handle === undefined) return [];
			return { path, handle, added: asInteger(added) ?? 0, removed: asInteger(removed) ?? null };
		}),
	};
}

const MAX_PATHS = 10;

export interface ResolvedThere {
	readonly hash: string;
	readonly person: string;
	readonly machine: string;
	readonly session: string;
	readonly at: number;
	readonly handle: string;
	/** The last changed come last. */
	readonly paths: readonly string[];
}

export interface LookUp {
	readonly project: string;
	readonly hashes: readonly string[];
	/** Leaves out our own log. */
	readonly besides: string;
}

export async function lookUpResolved(connection: FleetConnection, query: LookUp): Promise<readonly ResolvedThere[]> {
	const found = await readFailures(connection, { ...query, limit: query.hashes.length * 10 });
	const resolved = new Map<string, FleetFailure>();
	// Sorted newest first, so the first of each hash counts.
	for (const failure of found) {
		if (failure.state === "resolved" && !resolved.has(failure.hash)) resolved.set(failure.hash, failure);
	}
	return [...resolved.values()].map(({ hash, person, machine, session, lastTs, changes, green, red }) => ({
		hash,
		person,
		machine,
		session,
		at: lastTs,
		handle: changes.at(-1)?.handle ?? green ?? red,
		paths: [...new Set(changes.map(({ path }) => path))].slice(-MAX_PATHS),
	}));
}
