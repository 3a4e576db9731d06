/** What the third migration changes: what a forgotten session is, and what it takes with it. See `schema.ts`. */

import { findFunction, RANK_BY_LENGTH } from "./schema-find.ts";

/** Whoever forgets or prunes waits for those that ship right now: an event must not arrive while its blob is removed. */
export const REMOVAL_LOCK = 0x77656675;

export function m003Arrival(): string {
	return `
-- An event may name two blobs: its own, and the one that it is a change of.
ALTER TABLE weft.event ADD COLUMN base bytea;
CREATE INDEX event_base ON weft.event (base) WHERE base IS NOT NULL;
UPDATE weft.event SET base = decode(substring(payload FROM '"base":"([0-9a-f]{64})"'), 'hex')
	WHERE payload ~ '"base":"[0-9a-f]{64}"';

-- Much quicker than the default, where the server was built with it.
DO $do$ BEGIN
	ALTER TABLE weft.blob ALTER COLUMN data SET COMPRESSION lz4;
	ALTER TABLE weft.event ALTER COLUMN payload SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN NULL;
END $do$;

-- A session is forgotten in one log: others may have one of the same name. Without a log: in all of them, as it was before.
ALTER TABLE weft.forgotten ADD COLUMN log uuid, DROP CONSTRAINT forgotten_pkey;
CREATE UNIQUE INDEX forgotten_once ON weft.forgotten (team, session, coalesce(log, '00000000-0000-0000-0000-000000000000'));

-- How many events of a session are not here any more: whoever fetches the rest is told.
CREATE TABLE weft.removed (
	team    text NOT NULL,
	project text NOT NULL,
	log     uuid NOT NULL,
	session text NOT NULL,
	events  bigint NOT NULL,
	PRIMARY KEY (project, log, session)
);
ALTER TABLE weft.removed ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_team ON weft.removed USING (team = (SELECT weft.team_of(current_user)));
GRANT SELECT ON weft.removed TO weft_agent;

-- What was forgotten before was still counted.
UPDATE weft.stream s SET bytes = (SELECT coalesce(sum(octet_length(e.payload)), 0) FROM weft.event e
		WHERE e.project = s.project AND e.log = s.log)
	WHERE EXISTS (SELECT 1 FROM weft.gap g WHERE g.project = s.project AND g.log = s.log);

-- Of the newest event, which may be forgotten itself: by it a machine proves that the log is its own.
ALTER TABLE weft.stream ADD COLUMN proof bytea;
UPDATE weft.stream s SET proof = (SELECT e.proof FROM weft.event e WHERE e.project = s.project AND e.log = s.log AND e.n = s.n);

-- Nobody learns from it who belongs to another team.
CREATE OR REPLACE FUNCTION weft.team_of(who name) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
	AS $$ SELECT team FROM weft.member WHERE role = who AND pg_has_role(session_user, who, 'MEMBER') $$;

CREATE FUNCTION weft.note_arrival() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog AS $$
DECLARE
	named text;
BEGIN
	PERFORM pg_advisory_xact_lock_shared(${REMOVAL_LOCK});
	SELECT g.session INTO named FROM weft.forgotten g
		WHERE EXISTS (SELECT 1 FROM fresh f WHERE f.team = g.team AND f.session = g.session
			AND (g.log IS NULL OR f.log = g.log)) LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'session % was forgotten by an owner', named USING ERRCODE = 'WF004';
	END IF;
	-- An older weft does not name the second blob.
	UPDATE weft.event e SET base = decode(substring(f.payload FROM '"base":"([0-9a-f]{64})"'), 'hex') FROM fresh f
		WHERE f.base IS NULL AND f.payload LIKE '%"base":"%' AND e.project = f.project AND e.log = f.log AND e.n = f.n;
	UPDATE weft.stream s SET proof = f.proof
		FROM (SELECT DISTINCT ON (project, log) project, log, proof FROM fresh ORDER BY project, log, n DESC) f
		WHERE s.project = f.project AND s.log = f.log;
	RETURN NULL;
END $$;
CREATE TRIGGER note_arrival AFTER INSERT ON weft.event REFERENCING NEW TABLE AS fresh
	FOR EACH STATEMENT EXECUTE FUNCTION weft.note_arrival();

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

-- Blobs that no event names any more.
CREATE FUNCTION weft.remove_blobs(mine text) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
	DELETE FROM weft.blob b WHERE b.team = mine
		AND NOT EXISTS (SELECT 1 FROM weft.event e WHERE e.team = mine AND e.blob = b.hash)
		AND NOT EXISTS (SELECT 1 FROM weft.event e WHERE e.team = mine AND e.base = b.hash)
$$;

CREATE OR REPLACE FUNCTION weft.forget_failures() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog AS $$
BEGIN
	DELETE FROM weft.failure f WHERE f.team = NEW.team AND f.session = NEW.session AND (NEW.log IS NULL OR f.log = NEW.log);
	RETURN NULL;
END $$;

-- Takes the events out that pg_temp.weft_gone names. What stays of them is how many there were, and what the caller kept.
CREATE FUNCTION weft.remove_gone(mine text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
	SET search_path = pg_catalog AS $$
DECLARE
	gone bigint;
BEGIN
	-- One hash for each run of them is enough: the next event builds on it.
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

-- Takes out what was shipped of a session in these logs, and lets nothing of it come again there.
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

-- As an older weft asks for it: in all logs.
CREATE OR REPLACE FUNCTION weft.forget(wanted text) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
	SELECT weft.forget(wanted, (SELECT array_agg(s.log) FROM weft.session s WHERE s.team = weft.own_team() AND s.session = wanted))
$$;

-- Removes whole sessions that ended before a moment (ms since the epoch). They are not forgotten: one that goes on may ship.
-- What failed in them stays known. The newest event of each log stays: by it the machine proves that the log is its own.
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

${findFunction({ isNew: false, rank: RANK_BY_LENGTH })}

ALTER TABLE weft.failure ADD CHECK (jsonb_typeof(changes) = 'array'), ADD CHECK (state IN ('open', 'resolved'));

-- A session that was fetched and goes on in another log: who fetches it next needs both.
CREATE TABLE weft.continued (
	team    text NOT NULL DEFAULT weft.team_of(current_user),
	project text NOT NULL,
	log     uuid NOT NULL,
	session text NOT NULL,
	origin  text NOT NULL,  -- of the log that it was fetched from
	PRIMARY KEY (project, log, session, origin)
);
ALTER TABLE weft.continued ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_team ON weft.continued USING (team = (SELECT weft.team_of(current_user)))
	WITH CHECK (team = (SELECT weft.team_of(current_user)) AND EXISTS (
		SELECT 1 FROM weft.stream s WHERE s.project = continued.project AND s.log = continued.log AND s.role = session_user));
GRANT SELECT ON weft.continued TO weft_agent;
GRANT INSERT (project, log, session, origin) ON weft.continued TO weft_agent;

REVOKE ALL ON FUNCTION weft.prune(bigint), weft.own_team(), weft.remove_blobs(text), weft.remove_gone(text), weft.note_arrival(),
	weft.forget(text, uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION weft.own_team() TO weft_agent;
GRANT EXECUTE ON FUNCTION weft.prune(bigint), weft.forget(text, uuid[]) TO weft_owner;
`;
}
