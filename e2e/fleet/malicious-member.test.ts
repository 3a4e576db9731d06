/** What a member, a former member and an owner of another team can do to a fleet with a client of their own. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { random as seeded } from "../../bench/corpus.ts";
import { EngineError } from "../../src/base/error/engine-error.ts";
import type { FleetConnection } from "../../src/fleet/connection.ts";
import { readFailures } from "../../src/fleet/failures.ts";
import { fetchSession } from "../../src/fleet/fetch-session.ts";
import { findFleetSession, findFleetSessions } from "../../src/fleet/find-session.ts";
import { grepFleet } from "../../src/fleet/grep.ts";
import { addMember, migrateFleet, removeMember } from "../../src/fleet/migrate.ts";
import { readMachines } from "../../src/fleet/overview.ts";
import { readNewest } from "../../src/fleet/read-events.ts";
import { forgetInFleet, pruneFleet } from "../../src/fleet/removal.ts";
import { SHIPPED_NAMES } from "../../src/fleet/shipped-columns.ts";
import { renderShipper } from "../../src/fleet/shipper.ts";
import { streamName } from "../../src/fleet/stream.ts";
import { searchable } from "../../src/state/session/searchable.ts";
import { checkChains } from "./chains.ts";
import { nextEvent, takeByHand } from "./hand-made.ts";
import { Machine } from "./machine.ts";
import { TestServer } from "./server.ts";

const PROJECT = "github.com/acme/app";
const REFUSED = /does not allow|permission denied|must be (?:an? )?(?:owner|superuser|member)/;
const FIND = "SELECT * FROM weft.find('word', NULL, true, '{\"file\":\"a/\"}', true, 1, 0)";
let server: TestServer;

before(async () => {
	server = await TestServer.start();
	await server.fleet("shared", { ann: "red", mal: "red", lead: "!red", boss: "!blue" });
});
after(() => server.stop());

const connect = (role: string) => server.connect(role, "shared");

/** A domain in the place of a type, with a check that runs with the rights of the function that names the type. */
function trojan(type: string, work: string): string {
	return `CREATE FUNCTION pg_temp.run(pg_catalog.${type}) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN ${work}; RETURN true; END $$;
		CREATE DOMAIN pg_temp.${type} AS pg_catalog.${type} CHECK (pg_temp.run(VALUE))`;
}

test("a member becomes neither superuser nor owner of another team, by a type in pg_temp", async () => {
	await server.fleet("domains", { mal: "red" });
	await using admin = await server.connect("postgres", "domains");
	const programs = ["ALTER ROLE mal SUPERUSER", "UPDATE weft.member SET team = 'blue', is_owner = true"];
	const attack = async () => {
		for (const program of programs) {
			await using mal = await server.connect("mal", "domains");
			await mal.query(trojan("text", program));
			await mal.query(FIND);
		}
	};
	await assert.rejects(attack(), REFUSED, "a member creates no temporary objects");
	await admin.query("GRANT TEMPORARY ON DATABASE domains TO PUBLIC");
	await attack();
	const rank = () =>
		admin.query(
			"SELECT rolsuper, team, is_owner FROM pg_roles JOIN weft.member ON role = rolname WHERE rolname = 'mal'",
		);
	assert.deepEqual((await rank()).rows, [{ rolsuper: false, team: "red", is_owner: false }]);
});

test("no function takes a type from its caller, even without the search path that it has", async () => {
	await server.fleet("paths", { mal: "red", lead: "!red" });
	await using admin = await server.connect("postgres", "paths");
	await admin.query("GRANT TEMPORARY ON DATABASE paths TO PUBLIC");
	const { rows } = await admin.query<{ name: string }>(
		"SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'weft'::regnamespace",
	);
	assert.equal(rows.length, 11);
	for (const { name } of rows) await admin.query(`ALTER FUNCTION ${name} SET search_path = ''`);
	const trap = async (connection: FleetConnection) => {
		await connection.query("SET search_path = pg_catalog");
		for (const type of ["text", "uuid", "bytea", "json", "jsonb", "name", "tsquery", "tsvector", "timestamptz"]) {
			await connection.query(trojan(type, "RAISE EXCEPTION 'taken from the caller'"));
		}
		await connection.query("SET search_path = pg_catalog, pg_temp");
	};
	await using mal = await server.connect("mal", "paths");
	await using lead = await server.connect("lead", "paths");
	await trap(mal);
	await trap(lead);
	using machine = new Machine("trapped");
	const blob = machine.log.putBlob(Buffer.from("bytes"));
	machine.say("s-trapped", "a", "a word");
	machine.log.append([{ type: "Custom", session: "s-last", host: "pi", ts: 1, payload: { name: "n", blob } }]);
	assert.equal((await machine.ship(mal, PROJECT)).events, 3);
	await mal.query(FIND);
	assert.equal(await pruneFleet(lead, 1), 0);
	assert.equal(await forgetInFleet(lead, "s-trapped", [streamName(machine.log)]), 2);
	assert.equal(await pruneFleet(lead, Date.now() + 1), 0, "the newest event stays");
});

test("no function runs with a superuser's rights, and each has its search path", async () => {
	await using admin = await connect("postgres");
	const { rows } = await admin.query(
		`SELECT DISTINCT r.rolname, r.rolsuper, r.rolcanlogin, r.rolcreaterole, r.rolbypassrls, p.prosecdef,
			p.proconfig[1] AS path FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
		WHERE pronamespace = 'weft'::regnamespace`,
	);
	const owner = { rolname: "weft_schema", rolsuper: false, rolcanlogin: false, rolcreaterole: false };
	assert.deepEqual(rows, [{ ...owner, rolbypassrls: false, prosecdef: true, path: "search_path=pg_catalog, pg_temp" }]);
});

test("a member creates, changes, grants and becomes nothing", async () => {
	await using mal = await connect("mal");
	await using _other = await connect("ann");
	for (const sql of [
		"CREATE TEMPORARY TABLE t (a int)",
		"CREATE TEMPORARY VIEW v AS SELECT 1",
		"SELECT lo_from_bytea(0, 'x')",
		"SELECT lo_create(0)",
		"SELECT lo_creat(-1)",
		"CREATE DOMAIN pg_temp.text AS pg_catalog.text",
		"CREATE TYPE pg_temp.uuid AS (a int)",
		"CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
		"CREATE TABLE public.event (a int)",
		"CREATE FUNCTION public.sha256(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT $1'",
		"CREATE OPERATOR public.= (LEFTARG = name, RIGHTARG = name, FUNCTION = pg_catalog.namene)",
		"CREATE CAST (text AS uuid) WITH INOUT AS IMPLICIT",
		"CREATE AGGREGATE public.max (bigint) (SFUNC = int8larger, STYPE = bigint)",
		'CREATE COLLATION public.c FROM "C"',
		"CREATE SCHEMA mine",
		"CREATE EXTENSION pg_trgm",
		"CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION weft.begin_log()",
		"CREATE OR REPLACE FUNCTION weft.my_team() RETURNS text LANGUAGE sql AS $$ SELECT 'blue' $$",
		"CREATE FUNCTION weft.my_team(int) RETURNS text LANGUAGE sql AS $$ SELECT 'blue' $$",
		"CREATE TRIGGER t BEFORE INSERT ON weft.stream FOR EACH ROW EXECUTE FUNCTION weft.begin_log()",
		"CREATE RULE r AS ON INSERT TO weft.blob DO INSTEAD NOTHING",
		"CREATE POLICY p ON weft.event USING (true)",
		"ALTER TABLE weft.event DISABLE ROW LEVEL SECURITY",
		"ALTER FUNCTION weft.my_team() RESET ALL",
		"ALTER ROLE mal SUPERUSER",
		"ALTER ROLE ann PASSWORD 'x'",
		"ALTER DATABASE shared SET lock_timeout = 1",
		"GRANT weft_owner TO mal",
		"GRANT SELECT ON weft.member TO mal WITH GRANT OPTION",
		"SELECT * FROM weft.member",
		"SELECT * FROM pg_catalog.pg_authid",
		"SET SESSION AUTHORIZATION ann",
		"SET session_replication_role = replica",
		...["postgres", "weft_schema", "weft_owner", "ann", "boss", "pg_read_all_data"].map((role) => `SET ROLE ${role}`),
		"SELECT pg_read_file('PG_VERSION')",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ann'",
	]) {
		await assert.rejects(mal.query(sql), REFUSED, sql);
	}
});

test("no statement of a member fills the table of locks that all sessions share", async () => {
	await using ann = await connect("ann");
	await using mal = await connect("mal");
	await using admin = await connect("postgres");
	const { rows } = await admin.query<{ name: string; type: string }>(
		`SELECT proname AS name, CASE pronargs WHEN 1 THEN 'g' ELSE 'g, g' END AS type FROM pg_proc
		WHERE proname ~ 'advisory' AND proname !~ 'unlock'`,
	);
	assert.ok(rows.length >= 16);
	for (const { name, type } of rows) {
		const flood = `SELECT count(pg_catalog.${name}(${type})::text) FROM generate_series(1, 200000) g`;
		await assert.rejects(mal.query(flood), REFUSED, flood);
	}
	using machine = new Machine("beside-a-flood");
	machine.say("s-beside", "a", "one");
	assert.equal((await machine.ship(ann, PROJECT)).events, 2);
	await using _another = await connect("ann");
});

async function count(connection: FleetConnection, table: string): Promise<number> {
	return (await connection.query(`SELECT 1 FROM weft.${table}`)).rowCount ?? 0;
}

/** Begins a transaction and takes everything in it that a member can take. */
async function holdAll(mal: FleetConnection, machine: Machine, blob: Buffer): Promise<void> {
	await machine.ship(mal, PROJECT);
	const log = streamName(machine.log);
	await mal.query("LISTEN weft");
	await assert.rejects(mal.query(`SELECT pg_advisory_lock(${0x77656675})`), REFUSED);
	await mal.query("BEGIN");
	for (const table of [
		"stream",
		"event",
		"blob",
		"session",
		"gap",
		"forgotten",
		"removed",
		"failure",
		"continued",
		"schema",
	]) {
		await mal.query(`SELECT * FROM weft.${table}`);
		for (const mode of ["SHARE", "ROW SHARE", "SHARE UPDATE EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"]) {
			await mal.query("SAVEPOINT tried");
			await assert.rejects(mal.query(`LOCK TABLE weft.${table} IN ${mode} MODE`), REFUSED, `${table} ${mode}`);
			await mal.query("ROLLBACK TO tried");
		}
	}
	for (const sql of ["SELECT 1 FROM weft.stream FOR UPDATE", "SELECT 1 FROM weft.event FOR KEY SHARE"]) {
		await mal.query("SAVEPOINT tried");
		await assert.rejects(mal.query(sql), REFUSED, sql);
		await mal.query("ROLLBACK TO tried");
	}
	await mal.query("SELECT weft.hold($1, $2)", [PROJECT, log]);
	await mal.query("INSERT INTO weft.blob (log, hash, data) VALUES ($1, sha256($2), $2)", [log, blob]);
	await mal.query("INSERT INTO weft.stream (project, log, origin, machine, person) VALUES ('p', $1, 'o', 'm', 'p')", [
		randomUUID(),
	]);
}

test("nobody waits for what a member holds; an owner waits for that member's own log alone, and is told", async () => {
	await using ann = await connect("ann");
	await using mal = await connect("mal");
	await using lead = await connect("lead");
	await using admin = await connect("postgres");
	using mine = new Machine("holder");
	using machine = new Machine("free");
	const bytes = Buffer.from("bytes that both have");
	mine.say("s-held", "a", "mine");
	machine.say("s-free", "a", "before");
	await machine.ship(ann, PROJECT);
	await holdAll(mal, mine, bytes);
	const blob = machine.log.putBlob(bytes);
	machine.log.append([{ type: "Custom", session: "s-free", host: "pi", ts: 1, payload: { name: "n", blob } }]);
	assert.equal((await machine.ship(ann, PROJECT, machine.exact())).events, 1);
	using fresh = new Machine("fresh");
	fresh.say("s-fresh", "a", "a log that begins now");
	assert.equal((await fresh.ship(ann, PROJECT)).events, 2);
	assert.equal(await forgetInFleet(lead, "s-free", [streamName(machine.log)]), 3);
	assert.deepEqual(await migrateFleet(admin), { from: 2, to: 2 });
	await assert.rejects(forgetInFleet(lead, "s-held", [streamName(mine.log), streamName(fresh.log)]), {
		code: "locked",
		message: /holds 1 log of mal and does not finish/,
	});
	await mal.query("ROLLBACK");
	assert.equal(await forgetInFleet(lead, "s-held", [streamName(mine.log)]), 2);
});

test("a member gets at no row of another's log: not by its keys, not by its name, not by its origin", async () => {
	await using ann = await connect("ann");
	await using mal = await connect("mal");
	using machine = new Machine("anns");
	machine.say("s-anns", "a", "one");
	const { head } = await machine.ship(ann, PROJECT);
	const log = streamName(machine.log);
	const forged = nextEvent(head.hash, {
		project: PROJECT,
		log,
		n: head.n + 1,
		seq: head.seq + 1,
		id: randomUUID(),
		session: "s-anns",
		host: "pi",
		ts: 1,
		type: "Custom",
		v: 1,
		cause: null,
		entry: null,
		payload: "{}",
	});
	const bytes = Buffer.from("x");
	const into = (table: string, columns: string, values: string) =>
		`INSERT INTO weft.${table} (${columns}) VALUES (${values})`;
	for (const attempt of [
		() => takeByHand(mal, forged),
		() => takeByHand(mal, { ...forged, project: "github.com/acme/renamed" }),
		() => mal.query("SELECT weft.hold($1, $2)", [PROJECT, log]),
		() => mal.query(into("event", "project, log, n", "$1, $2, 3"), [PROJECT, log]),
		() => mal.query(into("stream", "project, log, origin, machine, person", "'p', $1, 'o', 'm', 'p'"), [log]),
		() =>
			mal.query(into("stream", "project, log, origin, machine, person, role", "'p', $1, 'o', 'm', 'p', 'ann'"), [
				randomUUID(),
			]),
		() => mal.query(into("blob", "log, hash, data", "$1, sha256($2), $2"), [log, bytes]),
		() => mal.query(into("continued", "project, log, session, origin", "$1, $2, 's', 'o'"), [PROJECT, log]),
		() =>
			mal.query(
				into(
					"failure",
					"project, log, hash, state, seq, name, message, session, attempts, first_ts, last_ts, red",
					"$1, $2, 'h', 'open', 1, 'n', 'm', 's', 1, 1, 1, 'e'",
				),
				[PROJECT, log],
			),
	]) {
		await assert.rejects(attempt(), /was not begun by mal|does not allow|row-level security/, String(attempt));
	}
	machine.say("s-anns", "b", "two");
	assert.equal((await machine.ship(ann, PROJECT)).events, 2);
	assert.deepEqual(await checkChains(ann), []);
});

test("a transaction that sees an older moment begins no other's log, takes no origin, and writes into no team that it left", async () => {
	await server.fleet("moments", { ann: "red", mal: "red" });
	await using admin = await server.connect("postgres", "moments");
	for (const level of ["REPEATABLE READ", "SERIALIZABLE"]) {
		await using ann = await server.connect("ann", "moments");
		await using mal = await server.connect("mal", "moments");
		using machine = new Machine(`later ${level}`);
		using own = new Machine(`own ${level}`);
		own.say("s-own", "a", "one");
		await own.ship(mal, PROJECT);
		await mal.query(`BEGIN ISOLATION LEVEL ${level}`);
		await mal.query("SELECT 1 FROM weft.stream");
		machine.say("s-later", "a", "one");
		await machine.ship(ann, PROJECT);
		const log = streamName(machine.log);
		await addMember(admin, { role: "mal", team: "blue", isOwner: false });
		const begin = "INSERT INTO weft.stream (project, log, origin, machine, person) VALUES ($1, $2, $3, 'm', 'p')";
		own.say("s-own", "b", "two");
		for (const attempt of [
			() => mal.query(begin, ["p", log, "o"]),
			() => mal.query(begin, ["p", randomUUID(), machine.log.options.origin]),
			() => mal.query("INSERT INTO weft.blob (log, hash, data) VALUES ($1, sha256('x'), 'x')", [streamName(own.log)]),
			() =>
				mal.query("INSERT INTO weft.continued (project, log, session, origin) VALUES ($1, $2, 's', 'o')", [
					PROJECT,
					streamName(own.log),
				]),
			() => mal.query("SET LOCAL transaction_isolation = 'read committed'"),
		]) {
			await mal.query("SAVEPOINT tried");
			await assert.rejects(attempt(), /must be READ COMMITTED|must be called before any query|subtransaction/);
			await mal.query("ROLLBACK TO tried");
		}
		await assert.rejects(own.ship(mal, PROJECT), EngineError);
		await mal.query("ROLLBACK");
		machine.say("s-later", "b", "two");
		assert.equal((await machine.ship(ann, "another project")).events, 2);
		await addMember(admin, { role: "mal", team: "red", isOwner: false });
		const { rows } = await admin.query("SELECT 1 FROM weft.stream WHERE log = $1 AND role <> 'ann'", [log]);
		assert.deepEqual(rows, []);
	}
});

test("a member gives up, takes over or blocks no rights of the members' role, which it can become", async () => {
	await using mal = await connect("mal");
	await using lead = await connect("lead");
	await using ann = await connect("ann");
	for (const sql of [
		"DROP OWNED BY weft_agent CASCADE",
		"REASSIGN OWNED BY weft_agent TO mal",
		"ALTER DEFAULT PRIVILEGES FOR ROLE weft_agent REVOKE ALL ON TABLES FROM weft_agent",
		"SET ROLE weft_agent",
		"ALTER ROLE weft_agent SET statement_timeout = 1",
		"DROP OWNED BY weft_agent CASCADE",
		"RESET ROLE",
	]) {
		await mal.query(sql);
	}
	await lead.query("DROP OWNED BY weft_owner, weft_agent CASCADE");
	using machine = new Machine("still-there");
	machine.say("s-still", "a", "one");
	assert.equal((await machine.ship(ann, PROJECT)).events, 2);
	assert.equal(await forgetInFleet(lead, "s-still", [streamName(machine.log)]), 2);
});

test("no view of the server shows a member another's rows, statements or names of teams", async () => {
	await using ann = await connect("ann");
	await using boss = await connect("boss");
	using machine = new Machine("unseen");
	machine.say("s-unseen", "a", "concealed-secret");
	await machine.ship(ann, PROJECT);
	await ann.query("SELECT 'concealed-secret'");
	for (const sql of [
		"SELECT * FROM pg_stat_activity",
		"SELECT * FROM pg_stats",
		"SELECT * FROM pg_stats_ext_exprs",
		"SELECT * FROM pg_locks",
		"SELECT * FROM pg_cursors",
		"SELECT * FROM pg_prepared_statements",
		"SELECT * FROM pg_stat_user_tables",
		"SELECT * FROM pg_stat_user_functions",
		"SELECT * FROM pg_db_role_setting",
		"SELECT schema_to_xml('weft', true, true, '')",
		"SELECT database_to_xml(true, true, '')",
		"EXPLAIN (ANALYZE, VERBOSE, FORMAT json) SELECT * FROM weft.event WHERE payload LIKE '%secret%' OR team = 'red'",
	]) {
		const { rows } = await boss.query(sql);
		assert.doesNotMatch(JSON.stringify(rows).replaceAll("team = 'red'", ""), /concealed|"red"|>red<|s-unseen/, sql);
	}
	for (const sql of [
		"SELECT * FROM ts_stat('SELECT words FROM weft.event_0')",
		"SELECT * FROM ONLY weft.event_0",
		"SELECT query_to_xml('SELECT * FROM weft.member', true, true, '')",
		"SELECT * FROM pg_statistic",
		"SELECT * FROM pg_largeobject",
		"SELECT * FROM pg_hba_file_rules",
		"SELECT gin_clean_pending_list('weft.event_0_words_idx')",
	]) {
		await assert.rejects(boss.query(sql), REFUSED, sql);
	}
});

test("who fills the table of locks by savepoints, which no right forbids, is named as the cause, and all goes on after", async () => {
	await using mal = await connect("mal");
	await using ann = await connect("ann");
	using machine = new Machine("no-room");
	machine.say("s-no-room", "a", "one");
	await mal.query("BEGIN");
	await mal.query(Array.from({ length: 20_000 }, (_, at) => `SAVEPOINT s${at}`).join(";"));
	const writing = mal.query(
		"INSERT INTO weft.stream (project, log, origin, machine, person) VALUES ('p', $1, 'o', 'm', 'p')",
		[randomUUID()],
	);
	await assert.rejects(writing, { code: "locked", message: /no room for another lock/ });
	await mal.query("ROLLBACK TO s19999");
	await assert.rejects(machine.ship(ann, PROJECT), { code: "locked", message: /pg_locks/ });
	await mal.query("ROLLBACK");
	assert.equal((await machine.ship(ann, PROJECT)).events, 2);
});

test("the server's role is shown for what a member ships under another's name, machine and origin", async () => {
	await using ann = await connect("ann");
	await using mal = await connect("mal");
	using honest = new Machine("honest");
	using liar = new Machine("liar");
	using reader = new Machine("reader");
	honest.say("s-lie", "a", "unmistakable truth");
	liar.say("s-lie", "b", "unmistakable lie");
	await honest.ship(ann, PROJECT, { machine: "laptop", person: "ann" });
	const { origin } = honest.log.options;
	const posing = { ...liar.shipment(PROJECT, { machine: "laptop", person: "ann" }) };
	await mal.query(
		"INSERT INTO weft.stream (project, log, origin, machine, person) VALUES ($1, $2, $3, 'laptop', 'ann')",
		[PROJECT, streamName(liar.log), origin],
	);
	await liar.ship(mal, PROJECT, posing);
	const { hits } = await grepFleet(ann, { project: PROJECT, text: "unmistakable" }, searchable);
	assert.deepEqual(hits.map(renderShipper).toSorted(), ["ann on laptop", "mal (says ann) on laptop"]);
	const byAnn = await grepFleet(ann, { project: PROJECT, text: "unmistakable", person: "ann" }, searchable);
	assert.deepEqual(
		byAnn.hits.map(({ person }) => person),
		["ann"],
	);
	const newest = await readNewest(ann, { project: PROJECT, session: "s-lie", person: "mal" });
	assert.deepEqual([...new Set(newest.map(renderShipper))], ["mal (says ann) on laptop"]);
	assert.ok((await readMachines(ann)).some((each) => each.person === "mal" && each.says === "ann"));
	const [forged] = await findFleetSessions(ann, "s-lie", { project: PROJECT, person: "mal" });
	assert.notEqual(forged.origin, origin, "the first role that shipped an origin has it alone");
	await mal.query("INSERT INTO weft.continued (project, log, session, origin) VALUES ($1, $2, 's-lie', $3)", [
		PROJECT,
		streamName(liar.log),
		origin,
	]);
	const logs = await findFleetSession(ann, "s-lie", { project: PROJECT });
	assert.deepEqual(logs.map(renderShipper), ["ann on laptop", "mal (says ann) on laptop"]);
	await fetchSession(ann, reader.log, logs);
	const origins = new Map([...reader.log.read({ types: ["Message"] })].map((each) => [each.entry, each.origin]));
	assert.equal(origins.get("a"), origin);
	assert.notEqual(origins.get("b"), origin);
});

test("forged times and counts: no session is the newest for ever, none outlives a prune, none counts for more than it has", async () => {
	await server.fleet("times", { ann: "red", mal: "red", lead: "!red" });
	await using ann = await server.connect("ann", "times");
	await using mal = await server.connect("mal", "times");
	await using lead = await server.connect("lead", "times");
	using honest = new Machine("clock");
	using liar = new Machine("future");
	honest.say("s-now", "a", "tick");
	await honest.ship(ann, PROJECT);
	const event = { host: "pi", type: "UserIntent" } as const;
	liar.log.append([
		{ ...event, session: "s-future", ts: 8_640_000_000_000_000, payload: { text: "tick" } },
		{ ...event, session: "s-past", ts: -8_640_000_000_000_000, payload: { text: "tick" } },
		{ ...event, session: "s-last", ts: 1, payload: { text: "tock" } },
	]);
	await liar.ship(mal, PROJECT);
	const newest = await readNewest(ann, { project: PROJECT, limit: 1 });
	assert.deepEqual(
		newest.map(({ session }) => session),
		["s-now"],
	);
	const { hits } = await grepFleet(ann, { project: PROJECT, text: "tick", order: "recent", limit: 1 }, searchable);
	assert.deepEqual(
		hits.map(({ session }) => session),
		["s-now"],
	);
	const { rows } = await ann.query<{ session: string; events: string; last: string }>(
		"SELECT session, events, last_ts AS last FROM weft.session WHERE session IN ('s-future', 's-past') ORDER BY session",
	);
	assert.ok(Number(rows[0]?.last) < Date.now() + 2 * 86_400_000);
	assert.deepEqual(
		rows.map(({ events }) => Number(events)),
		[1, 1],
	);
	assert.equal(await pruneFleet(lead, Date.now() + 2 * 86_400_000), 3 - 1, "all but the newest event of each log");
	assert.deepEqual(await checkChains(ann), []);
});

test("settings and isolation levels of the caller's own change nothing", async () => {
	await using mal = await connect("mal");
	await using lead = await connect("lead");
	using machine = new Machine("settings");
	machine.say("s-smuggled", "a", "one");
	await machine.ship(mal, PROJECT);
	for (const sql of [
		"SET standard_conforming_strings = off",
		"SET bytea_output = 'escape'",
		"SET backslash_quote = on",
		"SET DateStyle = 'German'",
		"SET IntervalStyle = 'iso_8601'",
		"SET TimeZone = 'Pacific/Kiritimati'",
		"SET transform_null_equals = on",
		"SET array_nulls = off",
		"SET extra_float_digits = -15",
		"SET search_path = public, pg_temp, weft",
		"SET role = weft_agent",
		"SET lock_timeout = 0",
		"SET jit_above_cost = 0",
		"SET xmloption = document",
		"SET default_text_search_config = 'pg_catalog.german'",
	]) {
		await mal.query(sql);
	}
	machine.say("s-smuggled", "b", "two \\u0041 \\");
	assert.equal((await machine.ship(mal, PROJECT)).events, 2);
	await mal.query("SET row_security = off");
	await assert.rejects(mal.query("SELECT * FROM weft.event"), /row-level security/);
	await mal.query("RESET ALL");
	await mal.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
	await mal.query("SELECT 1 FROM weft.forgotten");
	assert.equal(await forgetInFleet(lead, "s-smuggled", [streamName(machine.log)]), 4);
	machine.say("s-smuggled", "c", "three");
	await assert.rejects(machine.ship(mal, PROJECT), EngineError);
	await mal.query("ROLLBACK");
	assert.equal((await lead.query("SELECT 1 FROM weft.event WHERE session = 's-smuggled'")).rowCount, 0);
	assert.deepEqual(await checkChains(lead), []);
});

test("COPY in any form reads the own team and writes nothing; broken binary arrays cost their sender", async () => {
	await using mal = await connect("mal");
	await using ann = await connect("ann");
	using machine = new Machine("fuzzed");
	for (const sql of [
		"COPY weft.event FROM STDIN",
		"COPY weft.event FROM STDIN (FORMAT binary)",
		"COPY weft.stream (project, log, origin, machine, person) FROM STDIN (FORMAT csv)",
		"COPY weft.member FROM STDIN",
		"COPY weft.event FROM '/etc/passwd'",
		"COPY weft.event FROM PROGRAM 'id'",
		"COPY weft.member TO STDOUT",
		"COPY weft.event_0 TO STDOUT",
		"COPY (SELECT * FROM weft.event) TO '/tmp/weft-copied'",
		"COPY (SELECT * FROM weft.event) TO PROGRAM 'cat'",
	]) {
		await assert.rejects(mal.query(sql), /does not allow|row-level security|permission denied/, sql);
	}
	const random = seeded(31);
	let refused = 0;
	for (let at = 0; at < 300; at++) {
		machine.say("s-fuzzed", `e${at}`, "word ".repeat(20));
		const damaged: FleetConnection = {
			...mal,
			query: (sql, values) => {
				const columns = values?.map((value) => {
					if (!(value instanceof Buffer) || !sql.includes("weft.take") || random() > 0.1) return value;
					const copy = Buffer.from(value);
					for (let flips = 0; flips < 3; flips++) copy[Math.floor(random() * copy.length)] = Math.floor(random() * 256);
					return random() < 0.2 ? copy.subarray(0, Math.floor(random() * copy.length)) : copy;
				});
				return mal.query(sql, columns);
			},
		};
		await machine.ship(damaged, PROJECT).catch((error: unknown) => {
			assert.ok(error instanceof EngineError, String(error));
			refused++;
		});
		await mal.query("ROLLBACK").catch(() => {});
	}
	assert.ok(refused > 100, String(refused));
	assert.equal(SHIPPED_NAMES.length, 20);
	assert.deepEqual(await checkChains(ann), []);
});

test("a flood costs its sender: names, payloads, failures and notifications have bounds, and others go on", async () => {
	await using mal = await connect("mal");
	await using deaf = await connect("mal");
	await using ann = await connect("ann");
	using machine = new Machine("flooded");
	using flood = new Machine("flood");
	const stream = (name: string) =>
		mal.query("INSERT INTO weft.stream (project, log, origin, machine, person) VALUES ($1, $2, 'o', $1, 'p')", [
			name,
			randomUUID(),
		]);
	await assert.rejects(stream("x".repeat(5_000)), /too long/);
	for (let n = 0; n < 200; n++) await stream(`flood ${n}`);
	flood.say("s-flood", "a", "one");
	const { head } = await flood.ship(mal, PROJECT);
	const log = streamName(flood.log);
	const large = nextEvent(head.hash, {
		project: PROJECT,
		log,
		n: head.n + 1,
		seq: head.seq + 1,
		id: randomUUID(),
		session: "s-flood",
		host: "pi",
		ts: 1,
		type: "Custom",
		v: 1,
		cause: null,
		entry: null,
		payload: JSON.stringify("x".repeat(65_000_000)),
	});
	await assert.rejects(takeByHand(mal, large), /too large/);
	const failure = (message: string) =>
		mal.query(
			`INSERT INTO weft.failure (project, log, hash, state, seq, name, message, session, attempts, first_ts, last_ts, red)
			VALUES ($1, $2, 'h', 'open', 1, 'n', $3, 's', 2147483647, 1, 1, 'e')`,
			[PROJECT, log, message],
		);
	await assert.rejects(failure("x".repeat(2_000_000)), /failure_size/);
	await deaf.query("LISTEN other");
	await deaf.query("BEGIN");
	for (let n = 0; n < 500; n++) await mal.query("SELECT pg_notify('other', repeat('x', 7000) || $1)", [n]);
	machine.say("s-flooded", "a", "goes on");
	assert.equal((await machine.ship(ann, PROJECT)).events, 2);
	assert.ok((await readMachines(ann)).length >= 200);
	assert.deepEqual(await readFailures(ann, { project: PROJECT }), []);
});

test("a former member reads, writes and holds nothing, in a transaction that was open either; nor does a role of that name", async () => {
	await using admin = await connect("postgres");
	await admin.query("CREATE ROLE gone LOGIN");
	await addMember(admin, { role: "gone", team: "red", isOwner: true });
	await using gone = await connect("gone");
	using machine = new Machine("gone");
	machine.say("s-gone", "a", "one");
	await machine.ship(gone, PROJECT);
	await gone.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
	assert.ok((await count(gone, "event")) > 0);
	await removeMember(admin, "gone");
	await assert.rejects(removeMember(admin, "gone"), { code: "not-found" });
	const attempts = async () => {
		for (const sql of [
			"SELECT * FROM weft.event",
			"SELECT * FROM weft.blob",
			FIND,
			"SELECT weft.own_team()",
			"SELECT weft.forget('s-gone', gen_random_uuid())",
		]) {
			await gone.query("SAVEPOINT tried").catch(() => {});
			await assert.rejects(gone.query(sql), REFUSED, sql);
			await gone.query("ROLLBACK TO tried").catch(() => {});
		}
	};
	await attempts();
	await gone.query("ROLLBACK");
	await attempts();
	machine.say("s-gone", "b", "two");
	await assert.rejects(machine.ship(gone, PROJECT), REFUSED);
	await admin.query("DROP ROLE gone");
	await admin.query("CREATE ROLE gone LOGIN");
	await using again = await connect("gone");
	await assert.rejects(again.query("SELECT 1 FROM weft.event"), REFUSED);
});

test("an owner of another team removes, sees and blocks nothing of this one", async () => {
	await using ann = await connect("ann");
	await using boss = await connect("boss");
	using machine = new Machine("target");
	machine.say("s-target", "a", "one");
	await machine.ship(ann, PROJECT);
	const log = streamName(machine.log);
	assert.equal(await forgetInFleet(boss, "s-target", [log]), 0);
	assert.equal(await pruneFleet(boss, Date.now() + 1), 0);
	assert.equal(
		Number(
			(await boss.query<{ gone: string }>("SELECT weft.prune($1, $2) AS gone", [Date.now() + 1, log])).rows[0]?.gone,
		),
		0,
	);
	for (const table of ["stream", "event", "blob", "session", "forgotten", "removed"]) {
		assert.equal(await count(boss, table), 0, table);
	}
	await boss.query("BEGIN");
	await boss.query("SELECT weft.forget('s-target', $1), weft.prune(1, $1)", [log]);
	machine.say("s-target", "b", "two");
	assert.equal((await machine.ship(ann, PROJECT)).events, 2);
	await boss.query("ROLLBACK");
});
