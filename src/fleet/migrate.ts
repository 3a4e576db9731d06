/** Brings a fleet's server to this version, and checks which versions may use it. */
import { EngineError } from "../base/error/engine-error.ts";
import type { FleetConnection } from "./connection.ts";
import { FLEET_MIGRATIONS } from "./schema.ts";

/** "weft" in ASCII: the lock of a migration. */
const MIGRATION_LOCK = 0x77656674;
const MIN_SERVER_VERSION = 140_000;

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
	await connection.query("BEGIN");
	try {
		await connection.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
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
		await connection.query("COMMIT");
		return { from, to: Math.max(from, FLEET_MIGRATIONS.length) };
	} catch (error) {
		await connection.query("ROLLBACK").catch(() => {});
		throw error;
	}
}

/** Creates what every migration needs, and returns the server's version; 0: none yet. */
async function prepare(connection: FleetConnection): Promise<number> {
	for (const role of ["weft_agent", "weft_owner"]) {
		const known = await connection.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
		if (known.rowCount === 0) await connection.query(`CREATE ROLE ${role} NOLOGIN`);
	}
	await connection.query("CREATE SCHEMA IF NOT EXISTS weft");
	await connection.query(`CREATE TABLE IF NOT EXISTS weft.schema (
		version integer PRIMARY KEY, name text NOT NULL, accepts integer NOT NULL, at timestamptz NOT NULL DEFAULT now())`);
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
	return there.version;
}

/** Lets a login role of the server into a team. */
export async function addMember(
	connection: FleetConnection,
	member: { readonly role: string; readonly team: string; readonly isOwner: boolean },
): Promise<void> {
	const { role, team, isOwner } = member;
	const known = await connection.query<{ quoted: string }>(
		"SELECT quote_ident(rolname) AS quoted FROM pg_roles WHERE rolname = $1",
		[role],
	);
	const quoted = known.rows[0]?.quoted;
	if (quoted === undefined) {
		throw new EngineError(
			"not-found",
			`The server has no role '${role}'. Make it first: CREATE ROLE … LOGIN PASSWORD '…'.`,
		);
	}
	await connection.query("BEGIN");
	try {
		await connection.query(`GRANT ${isOwner ? "weft_owner" : "weft_agent"} TO ${quoted}`);
		if (!isOwner) await connection.query(`REVOKE weft_owner FROM ${quoted}`);
		await connection.query(
			`INSERT INTO weft.member (role, team, is_owner) VALUES ($1, $2, $3)
			ON CONFLICT (role) DO UPDATE SET team = excluded.team, is_owner = excluded.is_owner`,
			[role, team, isOwner],
		);
		await connection.query("COMMIT");
	} catch (error) {
		await connection.query("ROLLBACK").catch(() => {});
		throw error;
	}
}
