/**
 * The tables of a fleet's server, as numbered migrations. Only `weft fleet migrate` applies them, under an advisory lock.
 * A released one is never edited. Machines of several versions ship at the same time: a migration adds, and what an older
 * shipper does not know has a default.
 *
 * The server believes nobody. Whatever way a row comes in, a trigger checks that it continues its log's chain, and row
 * security that it is of the writer's own team. Agents have no right to change or remove anything.
 */
import { m003Arrival } from "./schema-arrival.ts";
import { findFunction } from "./schema-find.ts";

export interface FleetMigration {
	readonly name: string;
	readonly sql: string;
	/** Shippers of this version and newer go on after it. */
	readonly accepts: number;
}

/** How many parts the events have. The project decides which: it is the column to distribute by. */
const EVENT_PARTS = 8;

export const FLEET_MIGRATIONS: readonly FleetMigration[] = [
	{ name: "m001_events", accepts: 1, sql: m001Events() },
	{ name: "m002_failures", accepts: 1, sql: m002Failures() },
	{ name: "m003_arrival", accepts: 1, sql: m003Arrival() },
];

function m001Events(): string {
	const parts = Array.from(
		{ length: EVENT_PARTS },
		(_, part) =>
			`CREATE TABLE weft.event_${part} PARTITION OF weft.event FOR VALUES WITH (MODULUS ${EVENT_PARTS}, REMAINDER ${part});`,
	).join("\n");
	return `
-- Who belongs to which team. Only the owner of the schema writes it.
CREATE TABLE weft.member (
	role     name PRIMARY KEY,
	team     text NOT NULL,
	is_owner boolean NOT NULL DEFAULT false
);

CREATE FUNCTION weft.team_of(who name) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
	AS $$ SELECT team FROM weft.member WHERE role = who $$;

-- The porter stemmer without stop words, as the local search has it.
CREATE TEXT SEARCH DICTIONARY weft.porter (TEMPLATE = pg_catalog.snowball, Language = porter);
CREATE TEXT SEARCH CONFIGURATION weft.words (PARSER = pg_catalog."default");
ALTER TEXT SEARCH CONFIGURATION weft.words
	ADD MAPPING FOR asciiword, word, numword, int, uint, float, sfloat, version WITH weft.porter;

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
	fresh   timestamptz,
	bytes   bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (project, log)
);

CREATE TABLE weft.event (
	team     text NOT NULL,
	project  text NOT NULL,
	log      uuid NOT NULL,
	n        bigint NOT NULL,  -- place in what was shipped, without holes
	seq      bigint NOT NULL,  -- place in the machine's own log
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
	role     text,             -- of what search finds
	tool     text,
	file     text,
	words    tsvector,
	thoughts tsvector,
	PRIMARY KEY (project, log, n)
) PARTITION BY HASH (project);
${parts}
CREATE INDEX event_session ON weft.event (session, log, n);
CREATE INDEX event_handle ON weft.event (handle);
CREATE INDEX event_file ON weft.event (file) WHERE file IS NOT NULL;
CREATE INDEX event_blob ON weft.event (blob) WHERE blob IS NOT NULL;
CREATE INDEX event_words ON weft.event USING gin (words);
CREATE INDEX event_thoughts ON weft.event USING gin (thoughts) WHERE thoughts IS NOT NULL;

-- Bytes, once for a team. The name is what they hash to.
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

-- Where events were forgotten: the next one's hash builds on what stays of them.
CREATE TABLE weft.gap (
	team    text NOT NULL,
	project text NOT NULL,
	log     uuid NOT NULL,
	n       bigint NOT NULL,
	hash    bytea NOT NULL,
	PRIMARY KEY (project, log, n)
);

-- Sessions that an owner removed: what comes of them later is not taken again.
CREATE TABLE weft.forgotten (
	team    text NOT NULL,
	session text NOT NULL,
	by_role name NOT NULL DEFAULT session_user,
	at      timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (team, session)
);

CREATE FUNCTION weft.net(field text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS $$ SELECT coalesce(octet_length(field)::text || ':' || field, '-') $$;

CREATE FUNCTION weft.chain_hash(before bytea, project text, log uuid, n bigint, seq bigint, id uuid, session text, host text,
	ts bigint, type text, v integer, cause bigint, entry text, payload text, proof bytea)
	-- STABLE, as what it calls: so the server puts its body in the place of each call.
	RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT sha256(before || proof || convert_to(weft.net(project) || ',' || log::text || ',' || n::text || ',' || seq::text || ','
		|| id::text || ',' || weft.net(session) || ',' || weft.net(host) || ',' || ts::text || ',' || weft.net(type) || ','
		|| v::text || ',' || weft.net(cause::text) || ',' || weft.net(entry) || ',' || weft.net(payload), 'UTF8')) $$;

CREATE FUNCTION weft.verify_arrival() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog AS $$
DECLARE
	part record;
	head weft.stream;
	wrong bigint;
BEGIN
	FOR part IN
		SELECT f.project, f.log, min(f.n) AS first, max(f.n) AS last, max(f.seq) AS seq, count(*) AS events,
			sum(octet_length(f.payload)) AS bytes
		FROM fresh f GROUP BY f.project, f.log ORDER BY f.project, f.log
	LOOP
		SELECT * INTO head FROM weft.stream s WHERE s.project = part.project AND s.log = part.log FOR UPDATE;
		IF NOT FOUND OR head.role <> session_user THEN
			RAISE EXCEPTION 'this log was not begun by %', session_user USING ERRCODE = 'WF003';
		END IF;
		IF part.first <> head.n + 1 OR part.last - part.first + 1 <> part.events THEN
			RAISE EXCEPTION 'there is a gap: event % should come next, and % came', head.n + 1, part.first
				USING ERRCODE = 'WF001';
		END IF;
		SELECT x.n INTO wrong FROM (
			SELECT f.n, f.hash, f.team, f.seq, lag(f.seq, 1, head.seq) OVER steps AS seq_before,
				weft.chain_hash(lag(f.hash, 1, head.hash) OVER steps, f.project, f.log, f.n, f.seq, f.id, f.session, f.host,
					f.ts, f.type, f.v, f.cause, f.entry, f.payload, f.proof) AS computed
			FROM fresh f WHERE f.project = part.project AND f.log = part.log WINDOW steps AS (ORDER BY f.n)
		) x WHERE x.hash <> x.computed OR x.team <> head.team OR x.seq <= x.seq_before ORDER BY x.n LIMIT 1;
		IF FOUND THEN
			RAISE EXCEPTION 'event % is not what was shipped: its hash does not fit', wrong USING ERRCODE = 'WF002';
		END IF;
		UPDATE weft.stream s SET n = part.last, seq = part.seq, fresh = now(), bytes = s.bytes + part.bytes,
			hash = (SELECT f.hash FROM fresh f WHERE f.project = part.project AND f.log = part.log AND f.n = part.last)
			WHERE s.project = part.project AND s.log = part.log;
	END LOOP;
	INSERT INTO weft.session AS s
		SELECT f.team, f.project, f.log, f.session, f.host, min(f.ts), max(f.ts), count(*),
			count(*) FILTER (WHERE f.type = 'Message'),
			(array_agg(left(f.payload::json ->> 'text', 200) ORDER BY f.n)
				FILTER (WHERE f.type = 'UserIntent' AND f.payload NOT LIKE '%\\\\u%'))[1]
		FROM fresh f GROUP BY f.team, f.project, f.log, f.session, f.host
		ORDER BY f.project, f.log, f.session, f.host
		ON CONFLICT (project, log, session, host) DO UPDATE SET
			first_ts = least(s.first_ts, excluded.first_ts), last_ts = greatest(s.last_ts, excluded.last_ts),
			events = s.events + excluded.events, messages = s.messages + excluded.messages,
			title = coalesce(s.title, excluded.title);
	-- Anybody may listen: nothing is said but that there is something.
	PERFORM pg_notify('weft', '');
	RETURN NULL;
END $$;

CREATE TRIGGER verify_arrival AFTER INSERT ON weft.event REFERENCING NEW TABLE AS fresh
	FOR EACH STATEMENT EXECUTE FUNCTION weft.verify_arrival();

-- Takes out what was shipped of a session. What stays of each event is its hash, so that the chain stays whole.
CREATE FUNCTION weft.forget(wanted text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog AS $$
DECLARE
	mine text;
	gone bigint;
BEGIN
	SELECT m.team INTO mine FROM weft.member m WHERE m.role = session_user AND m.is_owner;
	IF NOT FOUND THEN
		RAISE EXCEPTION '% is not an owner of a team', session_user USING ERRCODE = 'insufficient_privilege';
	END IF;
	INSERT INTO weft.forgotten (team, session) VALUES (mine, wanted) ON CONFLICT DO NOTHING;
	INSERT INTO weft.gap SELECT e.team, e.project, e.log, e.n, e.hash FROM weft.event e
		WHERE e.team = mine AND e.session = wanted ON CONFLICT DO NOTHING;
	DELETE FROM weft.event e WHERE e.team = mine AND e.session = wanted;
	GET DIAGNOSTICS gone = ROW_COUNT;
	DELETE FROM weft.session s WHERE s.team = mine AND s.session = wanted;
	DELETE FROM weft.blob b WHERE b.team = mine
		AND NOT EXISTS (SELECT 1 FROM weft.event e WHERE e.team = mine AND e.blob = b.hash);
	RETURN gone;
END $$;

${findFunction({ isNew: true, rank: "coalesce(ts_rank(e.words, $1), 0)::float8" })}

ALTER TABLE weft.stream ENABLE ROW LEVEL SECURITY;
ALTER TABLE weft.event ENABLE ROW LEVEL SECURITY;
ALTER TABLE weft.blob ENABLE ROW LEVEL SECURITY;
ALTER TABLE weft.session ENABLE ROW LEVEL SECURITY;
ALTER TABLE weft.gap ENABLE ROW LEVEL SECURITY;
ALTER TABLE weft.forgotten ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_team ON weft.stream USING (team = (SELECT weft.team_of(current_user)));
CREATE POLICY own_team ON weft.event USING (team = (SELECT weft.team_of(current_user)));
CREATE POLICY own_team ON weft.blob USING (team = (SELECT weft.team_of(current_user)));
CREATE POLICY own_team ON weft.session USING (team = (SELECT weft.team_of(current_user)));
CREATE POLICY own_team ON weft.gap USING (team = (SELECT weft.team_of(current_user)));
CREATE POLICY own_team ON weft.forgotten USING (team = (SELECT weft.team_of(current_user)));

REVOKE ALL ON FUNCTION weft.forget(text), weft.verify_arrival(),
	weft.find(tsquery, tsquery, boolean, jsonb, boolean, bigint, bigint) FROM PUBLIC;
GRANT USAGE ON SCHEMA weft TO weft_agent;
GRANT SELECT ON weft.schema, weft.stream, weft.event, weft.blob, weft.session, weft.gap, weft.forgotten TO weft_agent;
GRANT INSERT (project, log, origin, machine, person) ON weft.stream TO weft_agent;
GRANT INSERT ON weft.event TO weft_agent;
GRANT INSERT (hash, data) ON weft.blob TO weft_agent;
GRANT EXECUTE ON FUNCTION weft.team_of(name), weft.net(text),
	weft.find(tsquery, tsquery, boolean, jsonb, boolean, bigint, bigint) TO weft_agent;
GRANT weft_agent TO weft_owner;
GRANT EXECUTE ON FUNCTION weft.forget(text) TO weft_owner;
`;
}

function m002Failures(): string {
	return `
-- What failed where, and what resolved it. A row for each time that it was seen red or green at the end of a shipping.
CREATE TABLE weft.failure (
	team     text NOT NULL DEFAULT weft.team_of(current_user),
	project  text NOT NULL,
	log      uuid NOT NULL,
	hash     text NOT NULL,    -- the fingerprint
	state    text NOT NULL,    -- open or resolved
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
	changes  jsonb NOT NULL DEFAULT '[]',  -- made between the two
	PRIMARY KEY (project, log, hash, state, seq)
);
CREATE INDEX failure_hash ON weft.failure (project, hash);
ALTER TABLE weft.failure ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_team ON weft.failure USING (team = (SELECT weft.team_of(current_user)))
	WITH CHECK (team = (SELECT weft.team_of(current_user)) AND EXISTS (
		SELECT 1 FROM weft.stream s WHERE s.project = failure.project AND s.log = failure.log AND s.role = session_user));
GRANT SELECT ON weft.failure TO weft_agent;
GRANT INSERT (project, log, hash, state, seq, name, unit, message, session, attempts, first_ts, last_ts, red, green, changes)
	ON weft.failure TO weft_agent;

CREATE OR REPLACE FUNCTION weft.forget_failures() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog AS $$
BEGIN
	DELETE FROM weft.failure f WHERE f.team = NEW.team AND f.session = NEW.session;
	RETURN NULL;
END $$;
CREATE TRIGGER forget_failures AFTER INSERT ON weft.forgotten FOR EACH ROW EXECUTE FUNCTION weft.forget_failures();
`;
}
