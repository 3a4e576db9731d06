/** Brings a fleet's server to this version, and checks which versions may use it. */
import { EngineError } from "../base/error/engine-error.ts";
import type { FleetConnection } from "./connection.ts";
import { FLEET_MIGRATIONS } from "./schema.ts";
import { FLEET_ROLES, makeRoles, secureSchema } from "./schema-owner.ts";

const MIN_SERVER_VERSION = 140_000;
/** Older tables lack what this weft calls. */
const MIN_SCHEMA = 2;
/** Changing a table waits for every open transaction that has read it, and everybody else then waits for the change. */
const MAX_WAIT_MS = 10_000;
const UNIQUE_VIOLATION = "23505";

export interface Migrated {
	readonly from: number;
	readonly to: number;
}

/** As the owner of the database. */
export async function migrateFleet(connection: FleetConnection): Promise<Migrated> {
	const { rows } = await connection.query<{ version: number; encoding: string }>(
		"SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
	);
	const { version = 0, encoding = "unknown" } = rows[0] ?? {};
	if (version < MIN_SERVER_VERSION) throw new EngineError("refused", "A fleet needs PostgreSQL 14 or newer.");
	if (encoding !== "UTF8") throw new EngineError("refused", `A fleet's database must be UTF8, not ${encoding}.`);
	try {
		return await migrateOnce(connection);
	} catch (error) {
		// Another migration made the first tables at the same time.
		if ((error as { cause?: { code?: string } }).cause?.code !== UNIQUE_VIOLATION) throw error;
		return await migrateOnce(connection);
	}
}

async function migrateOnce(connection: FleetConnection): Promise<Migrated> {
	await connection.query("BEGIN");
	try {
		// Names in a migration must not be found in a schema where others may create objects.
		await connection.query(
			`SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL lock_timeout = ${MAX_WAIT_MS}; SET LOCAL statement_timeout = 0`,
		);
		const from = await prepare(connection);
		for (const [at, { name, sql, accepts }] of FLEET_MIGRATIONS.entries()) {
			if (at < from) continue;
			await connection.query(sql);
			await connection.query("INSERT INTO weft.schema (version, name, accepts) VALUES ($1, $2, $3)", [
				at + 1,
				name,
				accepts,
			]);
		}
		// A newer weft's rights are not ours to give.
		if (from <= FLEET_MIGRATIONS.length) await secureSchema(connection);
		await connection.query("COMMIT");
		return { from, to: Math.max(from, FLEET_MIGRATIONS.length) };
	} catch (error) {
		await connection.query("ROLLBACK").catch(() => {});
		throw error;
	}
}

/** Creates what every migration needs, and returns the server's version; 0: none yet. */
async function prepare(connection: FleetConnection): Promise<number> {
	await makeRoles(connection);
	await connection.query("CREATE SCHEMA IF NOT EXISTS weft");
	await connection.query(`CREATE TABLE IF NOT EXISTS weft.schema (
		version integer PRIMARY KEY, name text NOT NULL, accepts integer NOT NULL, at timestamptz NOT NULL DEFAULT now())`);
	// One migration at a time. A member may only read this table, and so cannot hold what conflicts.
	await connection.query("LOCK TABLE weft.schema IN EXCLUSIVE MODE");
	return await serverVersion(connection);
}

async function serverVersion(connection: FleetConnection): Promise<number> {
	const { rows } = await connection.query<{ version: number | null }>(
		"SELECT max(version) AS version FROM weft.schema",
	);
	return rows[0]?.version ?? 0;
}

/** The server's version. Throws if this weft may not use it. */
export async function checkVersion(connection: FleetConnection): Promise<number> {
	const { rows } = await connection.query<{ version: number; accepts: number }>(
		"SELECT version, accepts FROM weft.schema ORDER BY version DESC LIMIT 1",
	);
	const there = rows[0];
	if (!there)
		throw new EngineError("unknown-format", "The fleet's server has no tables yet. Run 'weft fleet migrate'.");
	if (there.accepts > FLEET_MIGRATIONS.length) {
		throw new EngineError(
			"newer-schema",
			`The fleet's server has schema ${there.version} and takes nothing from this weft any more. Update weft.`,
		);
	}
	if (there.version < MIN_SCHEMA) {
		throw new EngineError(
			"unknown-format",
			`The fleet's server has schema ${there.version}, and this weft needs ${MIN_SCHEMA}. Its owner runs 'weft fleet migrate'.`,
		);
	}
	return there.version;
}

/** Lets a login role of the server into a team. */
export async function addMember(
	connection: FleetConnection,
	member: { readonly role: string; readonly team: string; readonly isOwner: boolean },
): Promise<void> {
	const { role, team, isOwner } = member;
	const quoted = await quoteRole(connection, role);
	if (quoted === undefined) {
		throw new EngineError(
			"not-found",
			`The server has no role '${role}'. Make it first: CREATE ROLE … LOGIN PASSWORD '…'.`,
		);
	}
	if (FLEET_ROLES.includes(role)) throw new EngineError("usage", `'${role}' is a role of weft's own, not a person's.`);
	await inTransaction(connection, async () => {
		await connection.query(`GRANT ${isOwner ? "weft_owner" : "weft_agent"} TO ${quoted}`);
		if (!isOwner) await connection.query(`REVOKE weft_owner FROM ${quoted}`);
		await connection.query(
			`INSERT INTO weft.member (role, team, is_owner) VALUES ($1, $2, $3)
			ON CONFLICT (role) DO UPDATE SET team = excluded.team, is_owner = excluded.is_owner`,
			[role, team, isOwner],
		);
	});
}

/** Takes a role's rights away, also if the server no longer has it. What it shipped stays with its team. */
export async function removeMember(connection: FleetConnection, role: string): Promise<void> {
	const quoted = await quoteRole(connection, role);
	await inTransaction(connection, async () => {
		if (quoted !== undefined) await connection.query(`REVOKE weft_agent, weft_owner FROM ${quoted}`);
		const { rowCount } = await connection.query("DELETE FROM weft.member WHERE role = $1", [role]);
		if (rowCount === 0) throw new EngineError("not-found", `'${role}' is in no team.`);
	});
}

async function quoteRole(connection: FleetConnection, role: string): Promise<string | undefined> {
	const { rows } = await connection.query<{ quoted: string }>(
		"SELECT quote_ident(rolname) AS quoted FROM pg_roles WHERE rolname = $1",
		[role],
	);
	return rows[0]?.quoted;
}

async function inTransaction(connection: FleetConnection, work: () => Promise<void>): Promise<void> {
	await connection.query("BEGIN");
	try {
		await work();
		await connection.query("COMMIT");
	} catch (error) {
		await connection.query("ROLLBACK").catch(() => {});
		throw error;
	}
}
