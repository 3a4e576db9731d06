/** Read-only questions over the log's tables. */

export const BY_TYPE = `SELECT word.text AS type, count(*) AS events, sum(event.size) AS bytes
	FROM event JOIN word ON word.id = event.type GROUP BY event.type ORDER BY events DESC, word.text`;

export const BY_SESSION = `SELECT session.text AS session, host.text AS host, count(*) AS events
	FROM event INDEXED BY event_entry JOIN word AS session ON session.id = event.session JOIN word AS host ON host.id = event.host
	GROUP BY event.session, event.host`;

export const BY_TABLE = "SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name";

export const OWNER_OF_INDEX = "SELECT name, tbl_name AS owner FROM sqlite_schema WHERE type IN ('table', 'index')";
