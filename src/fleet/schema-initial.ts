/**
 * The first released schema of a fleet's server. Frozen: servers that have it never run it again, and `schema.ts` replaces its
 * functions and its rules.
 */

/** A removal waits for the shippers at work: an event must not arrive while its blob is removed. */
const REMOVAL_LOCK = 0x77656675;

/**
 * PostgreSQL ranks by the words alone, however long the text is. This divides the rank as BM25 does, with a hundred
 * different words as the usual length, so that a short, pointed line comes before a whole file.
 */
const RANK = "(coalesce(ts_rank(e.words, $1), 0) / (0.25 + 0.0075 * coalesce(length(e.words), 0)))::float8";

const FUNCTIONS = `
CREATE FUNCTION weft.net(field text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS $$ SELECT coalesce(octet_length(field)::text || ':' || field, '-') $$;

CREATE FUNCTION weft.chain_hash(before bytea, project text, log uuid, n bigint, seq bigint, id uuid, session text, host text,
	ts bigint, type text, v integer, cause bigint, entry text, payload text, proof bytea)
	-- STABLE like the functions it calls, so that the server inlines it.
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
	named text;
BEGIN
	PERFORM pg_advisory_xact_lock_shared(${REMOVAL_LOCK});
	SELECT g.session INTO named FROM weft.forgotten g
		WHERE EXISTS (SELECT 1 FROM fresh f WHERE f.team = g.team AND f.session = g.session AND f.log = g.log) LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'session % was forgotten by an owner', named USING ERRCODE = 'WF004';
	END IF;
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
		UPDATE weft.stream s SET n = part.last, seq = part.seq, hash = f.hash, proof = f.proof, fresh = now(),
			bytes = s.bytes + part.bytes
			FROM fresh f WHERE f.project = part.project AND f.log = part.log AND f.n = part.last
				AND s.project = part.project AND s.log = part.log;
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
	-- Anyone may listen, so the notification says nothing but that there is something.
	PERFORM pg_notify('weft', '');
	RETURN NULL;
END $$;

CREATE TRIGGER verify_arrival AFTER INSERT ON weft.event REFERENCING NEW TABLE AS fresh
	FOR EACH STATEMENT EXECUTE FUNCTION weft.verify_arrival();

CREATE FUNCTION weft.own_team() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
	mine text;
BEGIN
	SELECT m.team INTO mine FROM weft.member m WHERE m.role = session_user AND m.is_owner;
	IF NOT FOUND THEN
		RAISE EXCEPTION '% is not an owner of a team', session_user USING ERRCODE = 'WF005';
	END IF;
	RETURN mine;
END $$;

-- Removes blobs that no event names any more.
CREATE FUNCTION weft.remove_blobs(mine text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
	DELETE FROM weft.blob b WHERE b.team = mine
		AND NOT EXISTS (SELECT 1 FROM weft.event e WHERE e.team = mine AND e.blob = b.hash)
		AND NOT EXISTS (SELECT 1 FROM weft.event e WHERE e.team = mine AND e.base = b.hash)
$$;

-- Removes the events that pg_temp.weft_gone names. Their number stays, and a hash for each gap.
CREATE FUNCTION weft.remove_gone(mine text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog AS $$
DECLARE
	gone bigint;
BEGIN
	-- One hash per gap is enough: the next event builds on it.
	INSERT INTO weft.gap SELECT mine, g.project, g.log, g.n, g.hash FROM pg_temp.weft_gone g
		WHERE NOT EXISTS (SELECT 1 FROM pg_temp.weft_gone x WHERE x.project = g.project AND x.log = g.log AND x.n = g.n + 1)
		ON CONFLICT DO NOTHING;
	INSERT INTO weft.removed AS r SELECT mine, g.project, g.log, g.session, count(*) FROM pg_temp.weft_gone g
		GROUP BY g.project, g.log, g.session
		ON CONFLICT (project, log, session) DO UPDATE SET events = r.events + excluded.events;
	UPDATE weft.stream s SET bytes = s.bytes - g.bytes
		FROM (SELECT project, log, sum(bytes) AS bytes FROM pg_temp.weft_gone GROUP BY project, log) g
		WHERE s.project = g.project AND s.log = g.log;
	DELETE FROM weft.event e USING pg_temp.weft_gone g WHERE e.project = g.project AND e.log = g.log AND e.n = g.n;
	GET DIAGNOSTICS gone = ROW_COUNT;
	PERFORM weft.remove_blobs(mine);
	RETURN gone;
END $$;

-- Removes a session from these logs, and lets none of its events come again.
CREATE FUNCTION weft.forget(wanted text, logs uuid[]) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog AS $$
DECLARE
	mine text := weft.own_team();
BEGIN
	PERFORM pg_advisory_xact_lock(${REMOVAL_LOCK});
	INSERT INTO weft.forgotten (team, session, log)
		SELECT DISTINCT mine, wanted, s.log FROM weft.stream s WHERE s.team = mine AND s.log = ANY (logs) ON CONFLICT DO NOTHING;
	CREATE TEMPORARY TABLE weft_gone ON COMMIT DROP AS
		SELECT e.project, e.log, e.n, e.hash, e.session, octet_length(e.payload) AS bytes FROM weft.event e
		WHERE e.team = mine AND e.session = wanted AND e.log = ANY (logs);
	DELETE FROM weft.session s WHERE s.team = mine AND s.session = wanted AND s.log = ANY (logs);
	DELETE FROM weft.continued c WHERE c.team = mine AND c.session = wanted AND c.log = ANY (logs);
	RETURN weft.remove_gone(mine);
END $$;

CREATE FUNCTION weft.forget_failures() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog AS $$
BEGIN
	DELETE FROM weft.failure f WHERE f.team = NEW.team AND f.session = NEW.session AND f.log = NEW.log;
	RETURN NULL;
END $$;
CREATE TRIGGER forget_failures AFTER INSERT ON weft.forgotten FOR EACH ROW EXECUTE FUNCTION weft.forget_failures();

-- Removes whole sessions that ended before a moment (ms since the epoch). They are not forgotten: one that continues may ship.
-- Their failures stay. So does the newest event of each log.
CREATE FUNCTION weft.prune(before bigint) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog AS $$
DECLARE
	mine text := weft.own_team();
BEGIN
	PERFORM pg_advisory_xact_lock(${REMOVAL_LOCK});
	CREATE TEMPORARY TABLE weft_old ON COMMIT DROP AS
		SELECT s.project, s.log, s.session, s.host FROM weft.session s JOIN weft.stream t ON t.project = s.project AND t.log = s.log
		WHERE s.team = mine AND s.last_ts < before AND NOT EXISTS (SELECT 1 FROM weft.event e WHERE e.project = t.project
			AND e.log = t.log AND e.n = t.n AND e.session = s.session AND e.host = s.host);
	CREATE TEMPORARY TABLE weft_gone ON COMMIT DROP AS
		SELECT e.project, e.log, e.n, e.hash, e.session, octet_length(e.payload) AS bytes FROM weft.event e JOIN pg_temp.weft_old o
			ON o.project = e.project AND o.log = e.log AND o.session = e.session AND o.host = e.host WHERE e.team = mine;
	DELETE FROM weft.session s USING pg_temp.weft_old o
		WHERE s.project = o.project AND s.log = o.log AND s.session = o.session AND s.host = o.host;
	RETURN weft.remove_gone(mine);
END $$;

-- Search. Under row security PostgreSQL does not use the index of words, because a match could reveal hidden rows. So this
-- function checks the team itself, and takes only values from the caller.
CREATE FUNCTION weft.find(query tsquery, besides tsquery, thinking boolean, wanted jsonb, is_ranked boolean, most bigint, skip bigint)
	RETURNS TABLE (project text, log uuid, n bigint, score double precision) LANGUAGE plpgsql STABLE SECURITY DEFINER
	SET search_path = pg_catalog AS $$
DECLARE
	is_in text := CASE WHEN thinking THEN '(e.words @@ %1$s OR e.thoughts @@ %1$s)' ELSE 'e.words @@ %1$s' END;
	sql text := 'SELECT e.project, e.log, e.n, ' || CASE WHEN is_ranked THEN '${RANK}' ELSE 'e.ts::float8' END
		|| ' FROM weft.event e JOIN weft.stream s ON s.project = e.project AND s.log = e.log WHERE e.team = $2 AND ' || format(is_in, '$1');
BEGIN
	IF besides IS NOT NULL THEN sql := sql || ' AND NOT ' || format(is_in, '$3'); END IF;
	IF wanted ? 'project' THEN sql := sql || ' AND e.project = $4 ->> ''project'''; END IF;
	IF wanted ? 'session' THEN sql := sql || ' AND e.session = $4 ->> ''session'''; END IF;
	IF wanted ? 'tool' THEN sql := sql || ' AND e.tool = $4 ->> ''tool'''; END IF;
	IF wanted ? 'role' THEN sql := sql || ' AND e.role = $4 ->> ''role'''; END IF;
	IF wanted ? 'machine' THEN sql := sql || ' AND s.machine = $4 ->> ''machine'''; END IF;
	IF wanted ? 'person' THEN sql := sql || ' AND s.person = $4 ->> ''person'''; END IF;
	IF wanted ? 'since' THEN sql := sql || ' AND e.ts >= ($4 ->> ''since'')::bigint'; END IF;
	IF wanted ? 'until' THEN sql := sql || ' AND e.ts < ($4 ->> ''until'')::bigint'; END IF;
	-- As in the local search: messages that caused an event about that file.
	IF wanted ? 'file' THEN
		sql := sql || ' AND EXISTS (SELECT 1 FROM weft.event f WHERE f.project = e.project AND f.log = e.log AND f.cause = e.seq AND '
			|| CASE WHEN wanted ->> 'file' LIKE '%/' THEN 'starts_with(f.file, $4 ->> ''file''))' ELSE 'f.file = $4 ->> ''file'')' END;
	END IF;
	RETURN QUERY EXECUTE sql || ' ORDER BY 4 DESC, e.ts DESC, e.n DESC LIMIT $5 OFFSET $6'
		USING query, weft.team_of(session_user), besides, wanted, most, skip;
END $$;
`;

/** How many partitions the events have, by project: it is the column to distribute by. */
const EVENT_PARTITIONS = 8;

/** Members read the rows of their own team. */
const READ_TABLES = ["stream", "event", "blob", "session", "gap", "forgotten", "removed"];
/** A member also writes rows here, about logs that its own role began. */
const OWN_LOG_TABLES = ["failure", "continued"];
const TEAM_TABLES = [...READ_TABLES, ...OWN_LOG_TABLES];
const OWN_TEAM = "team = (SELECT weft.team_of(current_user))";

export function m001Initial(): string {
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

${FUNCTIONS}
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
