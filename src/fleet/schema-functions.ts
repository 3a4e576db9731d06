/**
 * The functions of a fleet's server. A member may call some of them, and they run with the rights of the schema's owner. So
 * none of them may take a name from the caller: each has a search path of its own with `pg_temp` last, and every type, function
 * and table is named with its schema. (PostgreSQL looks for operators and functions in `pg_temp` under no circumstances, and
 * for types and tables there first, unless the path says otherwise.)
 *
 * What a member writes is checked against what is there now: a transaction that sees an older moment writes nothing.
 *
 * No member waits for another: an arrival locks the row of its own log and nothing else, and only the role that began a log,
 * or an owner who removes from it, ever locks that row.
 */
import { MAX_DATE_MS } from "../base/json/read.ts";
import { LATEST_TIME, plausibleTime } from "./plausible-time.ts";
import { SHIPPED_COLUMNS, SHIPPED_NAMES } from "./shipped-columns.ts";

/** On every function. */
const DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp";
/** Also holds behind a pooler, where a setting of the connection may be another's. */
const SHORT_WAIT = "SET lock_timeout = '10s'";
/** A removal waits this long for a shipper in the middle of a batch. */
const REMOVAL_WAIT = "SET lock_timeout = '15s'";

/** Far above what a log holds: 1 MB of JSON, and the bytes of a name. */
const MAX_PAYLOAD_BYTES = 64_000_000;
const MAX_NAME_BYTES = 2_000;

/** What every log of weft's fulfils. Readers compute with these numbers. */
const POSSIBLE = `f.ts BETWEEN -${MAX_DATE_MS} AND ${MAX_DATE_MS} AND f.seq BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}
				AND COALESCE(f.cause, 0) BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER} AND f.session <> '' AND f.host <> '' AND f.type <> ''`;

/**
 * PostgreSQL ranks by the words alone, however long the text is. This divides the rank as BM25 does, with a hundred
 * different words as the usual length, so that a short, pointed line comes before a whole file.
 */
const RANK =
	"(COALESCE(pg_catalog.ts_rank(e.words, $1), 0) / (0.25 + 0.0075 * COALESCE(pg_catalog.length(e.words), 0)))::double precision";

const TAKE_TYPES = ["text", "uuid", ...SHIPPED_NAMES.map((name) => `${SHIPPED_COLUMNS[name]}[]`)]
	.map((type) => `pg_catalog.${type}`)
	.join(", ");
const FIND_TYPES = "pg_catalog.tsquery, pg_catalog.tsquery, boolean, pg_catalog.jsonb, boolean, bigint, bigint";

/** Those that a member calls, and those that only an owner of a team calls. The rest is internal. */
export const MEMBER_FUNCTIONS = [
	"weft.my_team()",
	"weft.own_team()",
	"weft.hold(pg_catalog.text, pg_catalog.uuid)",
	`weft.take(${TAKE_TYPES})`,
	`weft.find(${FIND_TYPES})`,
];
export const OWNER_FUNCTIONS = ["weft.forget(pg_catalog.text, pg_catalog.uuid)", "weft.prune(bigint, pg_catalog.uuid)"];

/** A text after its length, so that no text can pass for two. */
function netstring(field: string): string {
	return `COALESCE(pg_catalog.octet_length(${field})::pg_catalog.text || ':' || ${field}, '-')`;
}

/** `chain.ts` computes the same. */
const CHAIN_TEXT = [
	netstring("f.project"),
	"f.log::pg_catalog.text",
	"f.n::pg_catalog.text",
	"f.seq::pg_catalog.text",
	"f.id::pg_catalog.text",
	netstring("f.session"),
	netstring("f.host"),
	"f.ts::pg_catalog.text",
	netstring("f.type"),
	"f.v::pg_catalog.text",
	netstring("f.cause::pg_catalog.text"),
	netstring("f.entry"),
	netstring("f.payload"),
].join(" || ',' || ");

/** `handle.ts` computes the same. The server does not take the shipper's word for it. */
const HANDLE = `CASE x.type WHEN 'Message' THEN 'm-' ELSE 'e-' END || pg_catalog.left(pg_catalog.encode(pg_catalog.sha256(
	pg_catalog.convert_to('[' || ${["x.session", "x.host", "x.type", "COALESCE(x.entry, '#' || x.id::pg_catalog.text)"]
		.map((field) => `pg_catalog.to_json(${field})::pg_catalog.text`)
		.join(" || ',' || ")} || ']', 'UTF8')), 'hex'), 12)`;

export const FLEET_FUNCTIONS = `
-- The team of the role that logged in.
CREATE OR REPLACE FUNCTION weft.my_team() RETURNS pg_catalog.text LANGUAGE sql STABLE ${DEFINER}
	AS $$ SELECT m.team FROM weft.member m WHERE m.role = SESSION_USER $$;

-- The team that the role owns.
CREATE OR REPLACE FUNCTION weft.own_team() RETURNS pg_catalog.text LANGUAGE plpgsql STABLE ${DEFINER} AS $$
DECLARE
	mine pg_catalog.text;
BEGIN
	SELECT m.team INTO mine FROM weft.member m WHERE m.role = SESSION_USER AND m.is_owner;
	IF NOT FOUND THEN
		RAISE EXCEPTION '% is not an owner of a team', SESSION_USER USING ERRCODE = 'WF005';
	END IF;
	RETURN mine;
END $$;

-- A transaction at another level does not see what was begun, forgotten or taken away since its first statement.
CREATE OR REPLACE FUNCTION weft.see_the_newest() RETURNS pg_catalog.trigger LANGUAGE plpgsql ${DEFINER} AS $$
BEGIN
	IF pg_catalog.current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION 'a transaction that writes must be READ COMMITTED' USING ERRCODE = 'WF006';
	END IF;
	RETURN NULL;
END $$;

-- A log belongs to the role that began it, under every name of its project. An origin belongs to the first role that
-- shipped it: with another role it gets a mark, so that nobody's events pass for those of another machine.
CREATE OR REPLACE FUNCTION weft.begin_log() RETURNS pg_catalog.trigger LANGUAGE plpgsql ${DEFINER} AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM weft.stream s WHERE s.log = NEW.log AND s.role <> NEW.role) THEN
		RAISE EXCEPTION 'this log was not begun by %', NEW.role USING ERRCODE = 'WF003';
	END IF;
	IF pg_catalog.octet_length(NEW.project) > ${MAX_NAME_BYTES} OR pg_catalog.octet_length(NEW.machine) > ${MAX_NAME_BYTES}
		OR pg_catalog.octet_length(NEW.person) > ${MAX_NAME_BYTES} OR NEW.origin !~ '^[0-9A-Za-z-]{1,64}$' THEN
		RAISE EXCEPTION 'a name of the log is too long, or its origin is none' USING ERRCODE = 'WF006';
	END IF;
	IF EXISTS (SELECT 1 FROM weft.stream s WHERE s.team = NEW.team AND s.origin = NEW.origin AND s.role <> NEW.role) THEN
		NEW.origin := NEW.origin || '@' || pg_catalog.left(
			pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(NEW.role::pg_catalog.text, 'UTF8')), 'hex'), 12);
	END IF;
	RETURN NEW;
END $$;

-- Keeps a removal, and a second shipper, from a log until the transaction ends. Only its own role can hold a log.
CREATE OR REPLACE FUNCTION weft.hold(wanted pg_catalog.text, one pg_catalog.uuid) RETURNS void LANGUAGE plpgsql
	${DEFINER} ${SHORT_WAIT} AS $$
BEGIN
	PERFORM 1 FROM weft.stream s WHERE s.project = wanted AND s.log = one AND s.role = SESSION_USER
		AND s.team = weft.my_team() FOR UPDATE;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'this log was not begun by %', SESSION_USER USING ERRCODE = 'WF003';
	END IF;
END $$;

-- Takes a batch: the project, the log, and an array of each column.
CREATE OR REPLACE FUNCTION weft.take(${TAKE_TYPES}) RETURNS bigint LANGUAGE plpgsql ${DEFINER} ${SHORT_WAIT} AS $$
DECLARE
	taken bigint;
BEGIN
	-- Before the first row: somebody else's log has no row that its own role would wait for.
	PERFORM weft.hold($1, $2);
	INSERT INTO weft.event (team, project, log, handle, ${SHIPPED_NAMES.join(", ")})
		SELECT weft.my_team(), $1, $2, ${HANDLE}, ${SHIPPED_NAMES.map((name) => `x.${name}`).join(", ")}
		FROM ROWS FROM (${SHIPPED_NAMES.map((_, at) => `pg_catalog.unnest($${at + 3})`).join(", ")})
			AS x (${SHIPPED_NAMES.join(", ")});
	GET DIAGNOSTICS taken = ROW_COUNT;
	RETURN taken;
END $$;

-- However a row arrives: it must continue its log.
CREATE OR REPLACE FUNCTION weft.verify_arrival() RETURNS pg_catalog.trigger LANGUAGE plpgsql ${DEFINER} ${SHORT_WAIT} AS $$
DECLARE
	part record;
	head weft.stream;
	wrong bigint;
	named pg_catalog.text;
BEGIN
	FOR part IN
		SELECT f.project, f.log, pg_catalog.min(f.n) AS first, pg_catalog.max(f.n) AS last, pg_catalog.max(f.seq) AS seq,
			pg_catalog.count(*) AS events, pg_catalog.sum(pg_catalog.octet_length(f.payload)) AS bytes,
			pg_catalog.max(pg_catalog.octet_length(f.payload)) AS longest, pg_catalog.bool_and(${POSSIBLE}) AS is_possible
		FROM fresh f GROUP BY f.project, f.log ORDER BY f.project, f.log
	LOOP
		SELECT * INTO head FROM weft.stream s
			WHERE s.project = part.project AND s.log = part.log AND s.role = SESSION_USER FOR UPDATE;
		IF NOT FOUND THEN
			RAISE EXCEPTION 'this log was not begun by %', SESSION_USER USING ERRCODE = 'WF003';
		END IF;
		IF part.longest > ${MAX_PAYLOAD_BYTES} THEN
			RAISE EXCEPTION 'an event of % bytes is too large', part.longest USING ERRCODE = 'WF006';
		END IF;
		IF part.is_possible IS NOT TRUE THEN
			RAISE EXCEPTION 'an event has a time, a number or a name that is none' USING ERRCODE = 'WF006';
		END IF;
		IF part.first <> head.n + 1 OR part.last - part.first + 1 <> part.events THEN
			RAISE EXCEPTION 'there is a gap: event % should come next, and % came', head.n + 1, part.first
				USING ERRCODE = 'WF001';
		END IF;
		SELECT x.n INTO wrong FROM (
			SELECT f.n, f.hash, f.team, f.seq, pg_catalog.lag(f.seq, 1, head.seq) OVER steps AS seq_before,
				pg_catalog.sha256(pg_catalog.lag(f.hash, 1, head.hash) OVER steps || f.proof
					|| pg_catalog.convert_to(${CHAIN_TEXT}, 'UTF8')) AS computed
			FROM fresh f WHERE f.project = part.project AND f.log = part.log WINDOW steps AS (ORDER BY f.n)
		) x WHERE x.hash <> x.computed OR x.team <> head.team OR x.seq <= x.seq_before ORDER BY x.n LIMIT 1;
		IF FOUND THEN
			RAISE EXCEPTION 'event % is not what was shipped: its hash does not fit', wrong USING ERRCODE = 'WF002';
		END IF;
		UPDATE weft.stream s SET n = part.last, seq = part.seq, hash = f.hash, proof = f.proof, fresh = pg_catalog.now(),
			bytes = s.bytes + part.bytes
			FROM fresh f WHERE f.project = part.project AND f.log = part.log AND f.n = part.last
				AND s.project = part.project AND s.log = part.log;
	END LOOP;
	-- After the lock on the log: an owner who forgets a session holds it too.
	SELECT g.session INTO named FROM weft.forgotten g
		WHERE EXISTS (SELECT 1 FROM fresh f WHERE f.team = g.team AND f.session = g.session AND f.log = g.log) LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'session % was forgotten by an owner', named USING ERRCODE = 'WF004';
	END IF;
	INSERT INTO weft.session AS s
		SELECT f.team, f.project, f.log, f.session, f.host, LEAST(pg_catalog.min(f.ts), ${LATEST_TIME}::bigint),
			LEAST(pg_catalog.max(f.ts), ${LATEST_TIME}::bigint), pg_catalog.count(*),
			pg_catalog.count(*) FILTER (WHERE f.type = 'Message'),
			(pg_catalog.array_agg(pg_catalog.left(f.payload::pg_catalog.json ->> 'text', 200) ORDER BY f.n)
				FILTER (WHERE f.type = 'UserIntent' AND pg_catalog.strpos(f.payload, pg_catalog.chr(92) || 'u') = 0))[1]
		FROM fresh f GROUP BY f.team, f.project, f.log, f.session, f.host
		ORDER BY f.project, f.log, f.session, f.host
		ON CONFLICT (project, log, session, host) DO UPDATE SET
			first_ts = LEAST(s.first_ts, excluded.first_ts), last_ts = GREATEST(s.last_ts, excluded.last_ts),
			events = s.events + excluded.events, messages = s.messages + excluded.messages,
			title = COALESCE(s.title, excluded.title);
	-- Anyone may listen, so the notification says nothing but that there is something. Anyone may also fill the server's
	-- queue, and a full one would refuse the commit.
	IF pg_catalog.pg_notification_queue_usage() < 0.5 THEN
		PERFORM pg_catalog.pg_notify('weft', '');
	END IF;
	RETURN NULL;
END $$;

-- Removes these sessions from one log, whose rows the caller has locked. Their number stays, and a hash for each gap.
CREATE OR REPLACE FUNCTION weft.remove_sessions(mine pg_catalog.text, one pg_catalog.uuid, projects pg_catalog.text[],
	sessions pg_catalog.text[], hosts pg_catalog.text[]) RETURNS bigint LANGUAGE plpgsql ${DEFINER} ${REMOVAL_WAIT} AS $$
DECLARE
	events_gone bigint;
BEGIN
	WITH old AS (
		SELECT x.project, x.session, x.host FROM ROWS FROM (pg_catalog.unnest(projects), pg_catalog.unnest(sessions),
			pg_catalog.unnest(hosts)) AS x (project, session, host)
	), gone AS (
		DELETE FROM weft.event e USING old o WHERE e.team = mine AND e.log = one
			AND e.project = o.project AND e.session = o.session AND e.host = o.host
			RETURNING e.project, e.n, e.hash, e.session, pg_catalog.octet_length(e.payload) AS bytes
	), gaps AS (
		-- One hash per gap is enough: the next event builds on it.
		INSERT INTO weft.gap SELECT mine, g.project, one, g.n, g.hash FROM gone g
			WHERE NOT EXISTS (SELECT 1 FROM gone x WHERE x.project = g.project AND x.n = g.n + 1)
			ON CONFLICT DO NOTHING
	), counts AS (
		INSERT INTO weft.removed AS r SELECT mine, g.project, one, g.session, pg_catalog.count(*) FROM gone g
			GROUP BY g.project, g.session
			ON CONFLICT (project, log, session) DO UPDATE SET events = r.events + excluded.events
	), sizes AS (
		-- Also where nothing is gone: a shipper with an older view of the server must fail on the changed row.
		UPDATE weft.stream s SET bytes = s.bytes
			- COALESCE((SELECT pg_catalog.sum(g.bytes) FROM gone g WHERE g.project = s.project), 0)
			WHERE s.team = mine AND s.log = one
	), listed AS (
		DELETE FROM weft.session s USING old o WHERE s.team = mine AND s.log = one
			AND s.project = o.project AND s.session = o.session AND s.host = o.host
	)
	SELECT pg_catalog.count(*) INTO events_gone FROM gone;
	DELETE FROM weft.blob b WHERE b.team = mine AND b.log = one
		AND NOT EXISTS (SELECT 1 FROM weft.event e WHERE e.log = one AND e.blob = b.hash)
		AND NOT EXISTS (SELECT 1 FROM weft.event e WHERE e.log = one AND e.base = b.hash);
	RETURN events_gone;
END $$;

-- Removes a session from a log, and lets none of its events come again.
CREATE OR REPLACE FUNCTION weft.forget(wanted pg_catalog.text, one pg_catalog.uuid) RETURNS bigint LANGUAGE plpgsql
	${DEFINER} ${REMOVAL_WAIT} AS $$
DECLARE
	mine pg_catalog.text := weft.own_team();
	projects pg_catalog.text[];
	sessions pg_catalog.text[];
	hosts pg_catalog.text[];
BEGIN
	PERFORM 1 FROM weft.stream s WHERE s.team = mine AND s.log = one ORDER BY s.project FOR UPDATE;
	IF NOT FOUND THEN
		RETURN 0;
	END IF;
	INSERT INTO weft.forgotten (team, session, log) VALUES (mine, wanted, one) ON CONFLICT DO NOTHING;
	DELETE FROM weft.failure f WHERE f.team = mine AND f.session = wanted AND f.log = one;
	DELETE FROM weft.continued c WHERE c.team = mine AND c.session = wanted AND c.log = one;
	SELECT pg_catalog.array_agg(x.project), pg_catalog.array_agg(x.session), pg_catalog.array_agg(x.host)
		INTO projects, sessions, hosts FROM weft.session x WHERE x.team = mine AND x.session = wanted AND x.log = one;
	RETURN weft.remove_sessions(mine, one, projects, sessions, hosts);
END $$;

-- Removes from a log whole sessions that ended before a moment (ms since the epoch). They are not forgotten: one that
-- continues may ship. Their failures stay. So does the newest event of each log.
CREATE OR REPLACE FUNCTION weft.prune(before bigint, one pg_catalog.uuid) RETURNS bigint LANGUAGE plpgsql
	${DEFINER} ${REMOVAL_WAIT} AS $$
DECLARE
	mine pg_catalog.text := weft.own_team();
	projects pg_catalog.text[];
	sessions pg_catalog.text[];
	hosts pg_catalog.text[];
BEGIN
	PERFORM 1 FROM weft.stream s WHERE s.team = mine AND s.log = one ORDER BY s.project FOR UPDATE;
	SELECT pg_catalog.array_agg(x.project), pg_catalog.array_agg(x.session), pg_catalog.array_agg(x.host)
		INTO projects, sessions, hosts
		FROM weft.session x JOIN weft.stream t ON t.project = x.project AND t.log = x.log
		WHERE x.team = mine AND x.log = one AND x.last_ts < before AND NOT EXISTS (SELECT 1 FROM weft.event e
			WHERE e.project = t.project AND e.log = t.log AND e.n = t.n AND e.session = x.session AND e.host = x.host);
	RETURN weft.remove_sessions(mine, one, projects, sessions, hosts);
END $$;

-- Search. Under row security PostgreSQL does not use the index of words, because a match could reveal hidden rows. So this
-- function checks the team itself, and takes only values from the caller.
CREATE OR REPLACE FUNCTION weft.find(query pg_catalog.tsquery, besides pg_catalog.tsquery, thinking boolean,
	wanted pg_catalog.jsonb, is_ranked boolean, most bigint, skip bigint)
	RETURNS TABLE (project pg_catalog.text, log pg_catalog.uuid, n bigint, score double precision)
	LANGUAGE plpgsql STABLE ${DEFINER} AS $$
DECLARE
	is_in pg_catalog.text := CASE WHEN thinking THEN '(e.words @@ %1$s OR e.thoughts @@ %1$s)' ELSE 'e.words @@ %1$s' END;
	sql pg_catalog.text := 'SELECT e.project, e.log, e.n, '
		|| CASE WHEN is_ranked THEN '${RANK}' ELSE '${plausibleTime("e.ts")}::double precision' END
		|| ' FROM weft.event e JOIN weft.stream s ON s.project = e.project AND s.log = e.log WHERE e.team = $2 AND '
		|| pg_catalog.format(is_in, '$1');
BEGIN
	IF besides IS NOT NULL THEN sql := sql || ' AND NOT ' || pg_catalog.format(is_in, '$3'); END IF;
	IF wanted ? 'project' THEN sql := sql || ' AND e.project = $4 ->> ''project'''; END IF;
	IF wanted ? 'session' THEN sql := sql || ' AND e.session = $4 ->> ''session'''; END IF;
	IF wanted ? 'tool' THEN sql := sql || ' AND e.tool = $4 ->> ''tool'''; END IF;
	IF wanted ? 'role' THEN sql := sql || ' AND e.role = $4 ->> ''role'''; END IF;
	IF wanted ? 'machine' THEN sql := sql || ' AND s.machine = $4 ->> ''machine'''; END IF;
	-- The role, not what the machine says of its user.
	IF wanted ? 'person' THEN sql := sql || ' AND s.role::pg_catalog.text = $4 ->> ''person'''; END IF;
	IF wanted ? 'since' THEN sql := sql || ' AND e.ts >= ($4 ->> ''since'')::bigint'; END IF;
	IF wanted ? 'until' THEN sql := sql || ' AND e.ts < ($4 ->> ''until'')::bigint'; END IF;
	-- As in the local search: messages that caused an event about that file.
	IF wanted ? 'file' THEN
		sql := sql || ' AND EXISTS (SELECT 1 FROM weft.event f WHERE f.project = e.project AND f.log = e.log AND f.cause = e.seq AND '
			|| CASE WHEN wanted ->> 'file' LIKE '%/' THEN 'pg_catalog.starts_with(f.file, $4 ->> ''file''))'
				ELSE 'f.file = $4 ->> ''file'')' END;
	END IF;
	RETURN QUERY EXECUTE sql || ' ORDER BY 4 DESC, ${plausibleTime("e.ts")} DESC, e.n DESC LIMIT $5 OFFSET $6'
		USING query, weft.my_team(), besides, wanted, most, skip;
END $$;
`;
