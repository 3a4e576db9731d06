/**
 * The owner of a fleet's tables and functions: a role without login that can do nothing else. The functions run
 * with its rights, so a hole in one of them opens this schema and not the server. Members cannot create anything in the database,
 * not even temporary objects.
 */
import { EngineError } from "../base/error/engine-error.ts";
import type { FleetConnection } from "./connection.ts";
import { FLEET_RIGHTS } from "./schema.ts";

const SCHEMA_OWNER = "weft_schema";

/** Roles of weft's own; none of them is a member. */
export const FLEET_ROLES: readonly string[] = ["weft_agent", "weft_owner", SCHEMA_OWNER];

export async function makeRoles(connection: FleetConnection): Promise<void> {
	for (const role of FLEET_ROLES) {
		const known = await connection.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
		if (known.rowCount === 0) await connection.query(`CREATE ROLE ${role} NOLOGIN`);
	}
	// A role that gives an object to another must be a member of it; a superuser is a member of all.
	const { rows } = await connection.query<{ isIn: boolean }>(
		`SELECT pg_has_role(current_user, $1, 'MEMBER') AS "isIn"`,
		[SCHEMA_OWNER],
	);
	if (rows[0]?.isIn !== true) await connection.query(`GRANT ${SCHEMA_OWNER} TO CURRENT_USER`);
}

/** Gives everything to the owner, grants the members' rights again, and throws if a door stays open. */
export async function secureSchema(connection: FleetConnection): Promise<void> {
	await runAll(connection, OWNER_CHANGES);
	await connection.query(FLEET_RIGHTS);
	await runAll(connection, PUBLIC_CHANGES);
	const { rows } = await connection.query<{ door: string }>(OPEN_DOORS);
	if (rows.length === 0) return;
	throw new EngineError(
		"refused",
		`The fleet's database would not be safe against its own members, so nothing was changed: ${rows.map(({ door }) => door).join("; ")}. Run 'weft fleet migrate' as the owner of the database, in a database that is only the fleet's.`,
	);
}

async function runAll(connection: FleetConnection, statements: string): Promise<void> {
	const { rows } = await connection.query<{ sql: string }>(statements);
	for (const { sql } of rows) await connection.query(sql);
}

const OWNER_CHANGES = `
SELECT 'ALTER SCHEMA weft OWNER TO ${SCHEMA_OWNER}' AS sql FROM pg_namespace
	WHERE nspname = 'weft' AND nspowner <> '${SCHEMA_OWNER}'::regrole
UNION ALL
SELECT format('ALTER TABLE weft.%I OWNER TO ${SCHEMA_OWNER}', relname) FROM pg_class
	WHERE relnamespace = 'weft'::regnamespace AND relkind IN ('r', 'p') AND relowner <> '${SCHEMA_OWNER}'::regrole
UNION ALL
SELECT format('ALTER FUNCTION %s OWNER TO ${SCHEMA_OWNER}', oid::regprocedure) FROM pg_proc
	WHERE pronamespace = 'weft'::regnamespace AND proowner <> '${SCHEMA_OWNER}'::regrole`;

/**
 * PostgreSQL lets everybody make temporary objects and large ones, and before version 15 objects in the schema public. It also
 * lets everybody take advisory locks, and one statement that takes many fills the table of locks that all sessions of the
 * server share: then nobody can even connect. Only a superuser can take away the large objects and the locks.
 */
const PUBLIC_CHANGES = `
SELECT format('REVOKE TEMPORARY, CREATE ON DATABASE %I FROM PUBLIC, weft_agent, weft_owner', current_database()) AS sql
UNION ALL
SELECT format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC, weft_agent, weft_owner', nspname) FROM pg_namespace
	WHERE has_schema_privilege('weft_owner', oid, 'CREATE')
UNION ALL
SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure) FROM pg_proc
	WHERE pronamespace = 'pg_catalog'::regnamespace
		AND (proname IN ('lo_creat', 'lo_create', 'lo_from_bytea') OR proname ~ '^pg_(?:try_)?advisory_(?:xact_)?lock')
		AND has_function_privilege('weft_owner', oid, 'EXECUTE') AND pg_has_role(current_user, proowner, 'MEMBER')`;

const OPEN_DOORS = `
SELECT format('the role %s can log in or has rights on the server', rolname) AS door FROM pg_roles r
	WHERE rolname = '${SCHEMA_OWNER}' AND (rolsuper OR rolcanlogin OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication
		OR EXISTS (SELECT 1 FROM pg_auth_members m WHERE m.member = r.oid))
UNION ALL
SELECT format('%s runs with the rights of %s', p.oid::regprocedure, r.rolname) FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
	WHERE p.pronamespace = 'weft'::regnamespace AND (r.rolsuper OR r.rolname <> '${SCHEMA_OWNER}')
UNION ALL
SELECT format('%s has no search path of its own', oid::regprocedure) FROM pg_proc
	WHERE pronamespace = 'weft'::regnamespace AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)
UNION ALL
SELECT 'members can create temporary objects' WHERE has_database_privilege('weft_owner', current_database(), 'TEMPORARY')
UNION ALL
SELECT 'members can create schemas' WHERE has_database_privilege('weft_owner', current_database(), 'CREATE')
UNION ALL
SELECT format('members can create objects in the schema %s', nspname) FROM pg_namespace
	WHERE has_schema_privilege('weft_owner', oid, 'CREATE')`;
