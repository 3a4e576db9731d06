/**
 * The tables of a fleet's server, as numbered migrations. Only `weft fleet migrate` applies them, under an advisory lock.
 * A released one is never edited. Machines of several versions ship at the same time: a migration adds, and a column that
 * an older shipper does not know has a default.
 *
 * The server trusts no sender. However a row arrives, a trigger checks that it continues its log's chain, and row security
 * that it belongs to the writer's own team. Agents have no right to change or remove anything.
 */
import { FLEET_FUNCTIONS } from "./schema-functions.ts";

export interface FleetMigration {
	readonly name: string;
	readonly sql: string;
	/** Shippers of this version and newer still work after it. */
	readonly accepts: number;
}

/** How many partitions the events have, by project: it is the column to distribute by. */
const EVENT_PARTITIONS = 8;

/** Members read the rows of their own team. */
const READ_TABLES = ["stream", "event", "blob", "session", "gap", "forgotten", "removed"];
/** A member also writes rows here, about logs that its own role began. */
const OWN_LOG_TABLES = ["failure", "continued"];
const TEAM_TABLES = [...READ_TABLES, ...OWN_LOG_TABLES];
const OWN_TEAM = "team = (SELECT weft.team_of(current_user))";

export const FLEET_MIGRATIONS: readonly FleetMigration[] = [{ name: "m001_initial", accepts: 1, sql: m001Initial() }];

function m001Initial(): string {
	const partitions = Array.from(
		{ length: EVENT_PARTITIONS },
		(_, at) =>
			`CREATE TABLE weft.event_${at} PARTITION OF weft.event FOR VALUES WITH (MODULUS ${EVENT_PARTITIONS}, REMAINDER ${at});`,
	).join("\n");
	return `
-- Who belongs to which team. Only the owner of the schema writes it.
CREATE TABLE weft.member (
	role     name PRIMARY KEY,
	team     text NOT NULL,
	is_owner boolean NOT NULL DEFAULT false
);

-- Reveals no membership of other roles.
CREATE FUNCTION weft.team_of(who name) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
	AS $$ SELECT team FROM weft.member WHERE role = who AND pg_has_role(session_user, who, 'MEMBER') $$;

-- One log of one machine, and how far it has come.
CREATE TABLE weft.stream (
	team    text NOT NULL DEFAULT weft.team_of(current_user),
	project text NOT NULL,
	log     uuid NOT NULL,
	origin  text NOT NULL,
	machine text NOT NULL,
	person  text NOT NULL,
	role    name NOT NULL DEFAULT session_user,
	since   timestamptz NOT NULL DEFAULT now(),
	n       bigint NOT NULL DEFAULT 0,
	seq     bigint NOT NULL DEFAULT 0,
	hash    bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
	proof   bytea,  -- of the newest event, even if forgotten: by it a machine proves that the log is its own
	fresh   timestamptz,
	bytes   bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (project, log)
);

CREATE TABLE weft.event (
	team     text NOT NULL,
	project  text NOT NULL,
	log      uuid NOT NULL,
	n        bigint NOT NULL,  -- number among the shipped events, without holes
	seq      bigint NOT NULL,  -- seq in the machine's own log
	id       uuid NOT NULL,
	session  text NOT NULL,
	host     text NOT NULL,
	ts       bigint NOT NULL,  -- ms since the epoch
	type     text NOT NULL,
	v        integer NOT NULL,
	cause    bigint,           -- seq
	entry    text,
	payload  text NOT NULL,    -- JSON, byte for byte
	proof    bytea NOT NULL,   -- the original's chain hash, keyed by a secret of the machine
	hash     bytea NOT NULL,   -- chain over what was shipped
	handle   text NOT NULL,
	blob     bytea,
	base     bytea,            -- the blob that its own is a change of
	role     text,             -- of what search finds
	tool     text,
	file     text,
	words    tsvector,
	thoughts tsvector,
	PRIMARY KEY (project, log, n)
) PARTITION BY HASH (project);
${partitions}
CREATE INDEX event_session ON weft.event (session, log, n);
CREATE INDEX event_handle ON weft.event (handle);
CREATE INDEX event_file ON weft.event (file) WHERE file IS NOT NULL;
CREATE INDEX event_blob ON weft.event (blob) WHERE blob IS NOT NULL;
CREATE INDEX event_base ON weft.event (base) WHERE base IS NOT NULL;
CREATE INDEX event_words ON weft.event USING gin (words);
CREATE INDEX event_thoughts ON weft.event USING gin (thoughts) WHERE thoughts IS NOT NULL;

-- Bytes, stored once per team under their hash.
CREATE TABLE weft.blob (
	team text NOT NULL DEFAULT weft.team_of(current_user),
	hash bytea NOT NULL,
	data bytea NOT NULL,
	PRIMARY KEY (team, hash),
	CHECK (hash = sha256(data))
);

CREATE TABLE weft.session (
	team     text NOT NULL,
	project  text NOT NULL,
	log      uuid NOT NULL,
	session  text NOT NULL,
	host     text NOT NULL,
	first_ts bigint NOT NULL,
	last_ts  bigint NOT NULL,
	events   bigint NOT NULL,
	messages bigint NOT NULL,
	title    text,
	PRIMARY KEY (project, log, session, host)
);

-- The hash of the last removed event before one that stays: the next hash builds on it.
CREATE TABLE weft.gap (
	team    text NOT NULL,
	project text NOT NULL,
	log     uuid NOT NULL,
	n       bigint NOT NULL,
	hash    bytea NOT NULL,
	PRIMARY KEY (project, log, n)
);

-- Sessions that an owner removed from a log. The server takes no more events of them.
CREATE TABLE weft.forgotten (
	team    text NOT NULL,
	session text NOT NULL,
	log     uuid NOT NULL,
	by_role name NOT NULL DEFAULT session_user,
	at      timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (team, session, log)
);

-- How many events of a session were removed, to report when the rest is fetched.
CREATE TABLE weft.removed (
	team    text NOT NULL,
	project text NOT NULL,
	log     uuid NOT NULL,
	session text NOT NULL,
	events  bigint NOT NULL,
	PRIMARY KEY (project, log, session)
);

-- A session that was fetched and continued in another log: fetching it again needs both.
CREATE TABLE weft.continued (
	team    text NOT NULL DEFAULT weft.team_of(current_user),
	project text NOT NULL,
	log     uuid NOT NULL,
	session text NOT NULL,
	origin  text NOT NULL,  -- of the log that it was fetched from
	PRIMARY KEY (project, log, session, origin)
);

-- What failed where, and what resolved it: a row for each time that a shipping ended with it red or green.
CREATE TABLE weft.failure (
	team     text NOT NULL DEFAULT weft.team_of(current_user),
	project  text NOT NULL,
	log      uuid NOT NULL,
	hash     text NOT NULL,    -- the fingerprint
	state    text NOT NULL CHECK (state IN ('open', 'resolved')),
	seq      bigint NOT NULL,  -- of the run that showed it last, or that resolved it
	name     text NOT NULL,    -- bash:<command>:<fingerprint>
	unit     text,
	message  text NOT NULL,
	session  text NOT NULL,
	attempts integer NOT NULL,
	first_ts bigint NOT NULL,
	last_ts  bigint NOT NULL,
	red      text NOT NULL,    -- handle of the last red run
	green    text,             -- handle of the first green run
	changes  jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(changes) = 'array'),  -- made between the two
	PRIMARY KEY (project, log, hash, state, seq)
);
CREATE INDEX failure_hash ON weft.failure (project, hash);

-- Much quicker than the default, where the server was built with it.
DO $do$ BEGIN
	ALTER TABLE weft.blob ALTER COLUMN data SET COMPRESSION lz4;
	ALTER TABLE weft.event ALTER COLUMN payload SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN NULL;
END $do$;

${FLEET_FUNCTIONS}
${TEAM_TABLES.map((table) => `ALTER TABLE weft.${table} ENABLE ROW LEVEL SECURITY;`).join("\n")}
${READ_TABLES.map((table) => `CREATE POLICY own_team ON weft.${table} USING (${OWN_TEAM});`).join("\n")}
${OWN_LOG_TABLES.map(
	(table) => `CREATE POLICY own_team ON weft.${table} USING (${OWN_TEAM})
	WITH CHECK (${OWN_TEAM} AND EXISTS (
		SELECT 1 FROM weft.stream s WHERE s.project = ${table}.project AND s.log = ${table}.log AND s.role = session_user));`,
).join("\n")}

REVOKE ALL ON FUNCTION weft.verify_arrival(), weft.own_team(), weft.remove_blobs(text), weft.remove_gone(text),
	weft.forget(text, uuid[]), weft.prune(bigint),
	weft.find(tsquery, tsquery, boolean, jsonb, boolean, bigint, bigint) FROM PUBLIC;
GRANT USAGE ON SCHEMA weft TO weft_agent;
GRANT SELECT ON weft.schema, ${TEAM_TABLES.map((table) => `weft.${table}`).join(", ")} TO weft_agent;
GRANT INSERT (project, log, origin, machine, person) ON weft.stream TO weft_agent;
GRANT INSERT ON weft.event TO weft_agent;
GRANT INSERT (hash, data) ON weft.blob TO weft_agent;
GRANT INSERT (project, log, session, origin) ON weft.continued TO weft_agent;
GRANT INSERT (project, log, hash, state, seq, name, unit, message, session, attempts, first_ts, last_ts, red, green, changes)
	ON weft.failure TO weft_agent;
GRANT EXECUTE ON FUNCTION weft.team_of(name), weft.net(text), weft.own_team(),
	weft.find(tsquery, tsquery, boolean, jsonb, boolean, bigint, bigint) TO weft_agent;
GRANT weft_agent TO weft_owner;
GRANT EXECUTE ON FUNCTION weft.forget(text, uuid[]), weft.prune(bigint) TO weft_owner;
`;
}
