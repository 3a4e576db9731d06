/**
 * The tables of a fleet's server, as numbered migrations. Only `weft fleet migrate` applies them. A released one is never
 * edited. Machines of several versions ship at the same time: a migration adds, and a column that an older shipper does not
 * know has a default; `accepts` says which shippers it turns away.
 *
 * The server trusts no sender. A member writes events through one function, which lets a role add to its own logs; a trigger
 * checks that each event continues its log's chain, and row security that it belongs to the writer's own team. Members have no
 * right to change or remove anything.
 */
import { LATEST_TIME } from "./plausible-time.ts";
import { FLEET_FUNCTIONS, MEMBER_FUNCTIONS, OWNER_FUNCTIONS } from "./schema-functions.ts";
import { m001Initial } from "./schema-initial.ts";

export interface FleetMigration {
	readonly name: string;
	readonly sql: string;
	/** Shippers of this version and newer still work after it. */
	readonly accepts: number;
}

/** Members read the rows of their own team. */
const READ_TABLES = ["stream", "event", "blob", "session", "gap", "forgotten", "removed", "failure", "continued"];
/** A member also writes rows here, about logs that its own role began. */
const OWN_LOG_TABLES = ["failure", "continued"];
const WRITTEN_TABLES = ["stream", "event", "blob", ...OWN_LOG_TABLES];

export const FLEET_MIGRATIONS: readonly FleetMigration[] = [
	{ name: "m001_initial", accepts: 1, sql: m001Initial() },
	{ name: "m002_locks", accepts: 2, sql: m002Locks() },
];

/** Nothing that members share is locked or waited for any more, and no function takes a name from its caller. */
function m002Locks(): string {
	const ownTeam = "team = (SELECT weft.my_team())";
	const ownLog = (table: string) =>
		`${ownTeam} AND EXISTS (SELECT 1 FROM weft.stream s WHERE s.log = ${table}.log AND s.role = SESSION_USER)`;
	const ownProject = (table: string) =>
		`${ownTeam} AND EXISTS (
		SELECT 1 FROM weft.stream s WHERE s.project = ${table}.project AND s.log = ${table}.log AND s.role = SESSION_USER)`;
	return `
-- Bytes, stored once per log under their hash. Were they the team's, one shipper would wait for another's.
ALTER TABLE weft.blob RENAME TO team_blob;
ALTER TABLE weft.team_blob RENAME CONSTRAINT blob_pkey TO team_blob_pkey;
CREATE TABLE weft.blob (
	team text NOT NULL,
	log  uuid NOT NULL,
	hash bytea NOT NULL,
	data bytea NOT NULL,
	PRIMARY KEY (hash, log),
	CHECK (hash = sha256(data))
);
DO $do$ BEGIN
	ALTER TABLE weft.blob ALTER COLUMN data SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN NULL;
END $do$;
INSERT INTO weft.blob SELECT b.team, x.log, b.hash, b.data FROM weft.team_blob b JOIN (
	SELECT e.team, e.log, e.blob AS hash FROM weft.event e WHERE e.blob IS NOT NULL
	UNION SELECT e.team, e.log, e.base FROM weft.event e WHERE e.base IS NOT NULL
) x ON x.team = b.team AND x.hash = b.hash;
DROP TABLE weft.team_blob;
CREATE INDEX blob_log ON weft.blob (log);
CREATE INDEX stream_log ON weft.stream (log);
CREATE INDEX stream_origin ON weft.stream (team, origin);
UPDATE weft.session SET last_ts = ${LATEST_TIME}::bigint WHERE last_ts > ${LATEST_TIME}::bigint;
ALTER TABLE weft.failure ADD CONSTRAINT failure_size CHECK (octet_length(name) + octet_length(message)
	+ coalesce(octet_length(unit), 0) + octet_length(changes::text) + octet_length(session) <= 1000000) NOT VALID;

DROP TRIGGER forget_failures ON weft.forgotten;
DROP FUNCTION weft.forget_failures(), weft.forget(text, uuid[]), weft.prune(bigint), weft.remove_gone(text),
	weft.remove_blobs(text);
${FLEET_FUNCTIONS}
CREATE TRIGGER begin_log BEFORE INSERT ON weft.stream FOR EACH ROW EXECUTE FUNCTION weft.begin_log();
${WRITTEN_TABLES.map((table) => `CREATE TRIGGER see_the_newest BEFORE INSERT ON weft.${table} FOR EACH STATEMENT EXECUTE FUNCTION weft.see_the_newest();`).join("\n")}

${READ_TABLES.filter((table) => table !== "blob")
	.map((table) => `DROP POLICY own_team ON weft.${table};`)
	.join("\n")}
ALTER TABLE weft.blob ENABLE ROW LEVEL SECURITY;
ALTER TABLE weft.blob ALTER COLUMN team SET DEFAULT weft.my_team();
${["stream", ...OWN_LOG_TABLES].map((table) => `ALTER TABLE weft.${table} ALTER COLUMN team SET DEFAULT weft.my_team();`).join("\n")}
${READ_TABLES.map((table) => `CREATE POLICY own_team ON weft.${table} FOR SELECT USING (${ownTeam});`).join("\n")}
CREATE POLICY own_role ON weft.stream FOR INSERT WITH CHECK (${ownTeam} AND role = SESSION_USER);
CREATE POLICY own_log ON weft.blob FOR INSERT WITH CHECK (${ownLog("blob")});
${OWN_LOG_TABLES.map((table) => `CREATE POLICY own_log ON weft.${table} FOR INSERT WITH CHECK (${ownProject(table)});`).join("\n")}
DROP FUNCTION weft.team_of(name), weft.chain_hash(bytea, text, uuid, bigint, bigint, uuid, text, text, bigint, text, integer,
	bigint, text, text, bytea), weft.net(text);
`;
}

/** All rights of members and owners. Every migration grants them again. */
export const FLEET_RIGHTS = `
REVOKE ALL ON SCHEMA weft FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA weft FROM PUBLIC, weft_agent, weft_owner;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA weft FROM PUBLIC, weft_agent, weft_owner;
GRANT USAGE ON SCHEMA weft TO weft_agent;
GRANT SELECT ON weft.schema, ${READ_TABLES.map((table) => `weft.${table}`).join(", ")} TO weft_agent;
GRANT INSERT (project, log, origin, machine, person) ON weft.stream TO weft_agent;
GRANT INSERT (log, hash, data) ON weft.blob TO weft_agent;
GRANT INSERT (project, log, session, origin) ON weft.continued TO weft_agent;
GRANT INSERT (project, log, hash, state, seq, name, unit, message, session, attempts, first_ts, last_ts, red, green, changes)
	ON weft.failure TO weft_agent;
GRANT EXECUTE ON FUNCTION ${MEMBER_FUNCTIONS.join(", ")} TO weft_agent;
GRANT EXECUTE ON FUNCTION ${OWNER_FUNCTIONS.join(", ")} TO weft_owner;
GRANT weft_agent TO weft_owner;
`;
