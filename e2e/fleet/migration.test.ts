/** Servers that were set up before, by other owners, or in part. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { FleetConnection } from "../../src/fleet/connection.ts";
import { fetchSession } from "../../src/fleet/fetch-session.ts";
import { findFleetSession } from "../../src/fleet/find-session.ts";
import { addMember, checkVersion, migrateFleet } from "../../src/fleet/migrate.ts";
import { FLEET_MIGRATIONS } from "../../src/fleet/schema.ts";
import { checkChains } from "./chains.ts";
import { nextEvent, takeByHand } from "./hand-made.ts";
import { Machine } from "./machine.ts";
import { TestServer } from "./server.ts";

const PROJECT = "github.com/acme/app";
let server: TestServer;

before(async () => {
	server = await TestServer.start();
});
after(() => server.stop());

/** As weft 0.1.0 left a server, with two events and a blob of ann's. */
async function makeOldServer(owner: FleetConnection): Promise<{ readonly log: string; readonly hash: Buffer }> {
	for (const role of ["weft_agent", "weft_owner"]) await owner.query(`CREATE ROLE ${role} NOLOGIN`);
	await owner.query(`CREATE SCHEMA weft; CREATE TABLE weft.schema (
		version integer PRIMARY KEY, name text NOT NULL, accepts integer NOT NULL, at timestamptz NOT NULL DEFAULT now())`);
	await owner.query("SET search_path = public");
	await owner.query(FLEET_MIGRATIONS[0]?.sql ?? "");
	await owner.query("INSERT INTO weft.schema (version, name, accepts) VALUES (1, 'm001_initial', 1)");
	await owner.query("CREATE ROLE ann LOGIN");
	await owner.query("GRANT weft_agent TO ann; INSERT INTO weft.member VALUES ('ann', 'red', false)");
	await using ann = await server.connect("ann", "old");
	const log = randomUUID();
	await ann.query("INSERT INTO weft.stream (project, log, origin, machine, person) VALUES ($1, $2, 'o', 'm', 'ann')", [
		PROJECT,
		log,
	]);
	const blob = Buffer.from("bytes of an old event");
	await ann.query("INSERT INTO weft.blob (hash, data) VALUES (sha256($1), $1)", [blob]);
	let hash: Buffer = Buffer.alloc(32);
	for (const n of [1, 2]) {
		const link = nextEvent(hash, { ...event(n), project: PROJECT, log });
		({ hash } = link);
		const { project, seq, id, session, host, ts, type, v, payload, proof } = link;
		await ann.query(
			`INSERT INTO weft.event (team, project, log, n, seq, id, session, host, ts, type, v, payload, proof, hash, handle, blob)
			VALUES ('red', $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'e-x', sha256($14))`,
			[project, log, n, seq, id, session, host, ts, type, v, payload, proof, hash, blob],
		);
	}
	return { log, hash };
}

const event = (n: number) => ({
	n,
	seq: n,
	id: randomUUID(),
	session: "s-old",
	host: "pi",
	ts: n,
	type: "Custom",
	v: 1,
	cause: null,
	entry: null,
	payload: `{"name":"n","blob":"${"c6".repeat(32)}"}`,
});

test("a server of weft 0.1.0 is migrated: its doors close, its events stay, and shipping continues", async () => {
	await using admin = await server.connect();
	await admin.query("CREATE DATABASE old");
	await using owner = await server.connect("postgres", "old");
	const { log, hash } = await makeOldServer(owner);
	await using ann = await server.connect("ann", "old");
	await assert.rejects(checkVersion(ann), { code: "unknown-format", message: /has schema 1, and this weft needs 2/ });
	assert.deepEqual(await migrateFleet(owner), { from: 1, to: 2 });
	const { rows } = await owner.query(
		`SELECT (SELECT count(*)::int FROM weft.blob WHERE team = 'red' AND log = $1) AS blobs,
			(SELECT count(*)::int FROM weft.event) AS events,
			(SELECT count(*)::int FROM pg_class WHERE relnamespace = 'weft'::regnamespace AND relowner <> 'weft_schema'::regrole) AS others,
			(SELECT count(*)::int FROM pg_proc WHERE pronamespace = 'weft'::regnamespace AND proowner <> 'weft_schema'::regrole) AS functions,
			has_database_privilege('ann', 'old', 'TEMPORARY') AS temp`,
		[log],
	);
	assert.deepEqual(rows, [{ blobs: 1, events: 2, others: 0, functions: 0, temp: false }]);
	await takeByHand(ann, nextEvent(hash, { ...event(3), project: PROJECT, log }));
	assert.deepEqual(await checkChains(ann), []);
	using reader = new Machine("reader");
	assert.equal((await fetchSession(ann, reader.log, await findFleetSession(ann, "s-old"))).events, 3);
});

test("a database owner who is no superuser sets up a fleet; its functions are not that owner's either", async () => {
	await using admin = await server.connect();
	await admin.query("CREATE ROLE dba LOGIN CREATEROLE");
	await admin.query("CREATE DATABASE hosted OWNER dba");
	await using dba = await server.connect("dba", "hosted");
	assert.deepEqual(await migrateFleet(dba), { from: 0, to: 2 });
	assert.deepEqual(await migrateFleet(dba), { from: 2, to: 2 });
	await dba.query("CREATE ROLE eve LOGIN");
	await addMember(dba, { role: "eve", team: "red", isOwner: false });
	await assert.rejects(addMember(dba, { role: "weft_schema", team: "red", isOwner: false }), { code: "usage" });
	await using eve = await server.connect("eve", "hosted");
	using machine = new Machine("hosted");
	machine.say("s-hosted", "a", "hello");
	assert.equal((await machine.ship(eve, PROJECT)).events, 2);
	assert.equal((await dba.query("SELECT 1 FROM weft.event")).rowCount, 2);
	const { rows } = await dba.query(
		"SELECT DISTINCT proowner::regrole::text AS owner FROM pg_proc WHERE pronamespace = 'weft'::regnamespace",
	);
	assert.deepEqual(rows, [{ owner: "weft_schema" }]);
});

test("a migration that would leave a door open changes nothing and names the door", async () => {
	await using admin = await server.connect();
	await admin.query("CREATE DATABASE open");
	await using owner = await server.connect("postgres", "open");
	await admin.query("ALTER ROLE weft_schema LOGIN");
	await assert.rejects(migrateFleet(owner), { code: "refused", message: /the role weft_schema can log in/ });
	await admin.query("ALTER ROLE weft_schema NOLOGIN; GRANT pg_write_server_files TO weft_schema");
	await assert.rejects(migrateFleet(owner), { code: "refused", message: /has rights on the server/ });
	assert.equal((await owner.query("SELECT 1 FROM pg_namespace WHERE nspname = 'weft'")).rowCount, 0);
	await admin.query("REVOKE pg_write_server_files FROM weft_schema");
	const both = await Promise.all([
		migrateFleet(owner),
		server.connect("postgres", "open").then(async (other) => {
			await using second = other;
			return await migrateFleet(second);
		}),
	]);
	assert.deepEqual(
		both.map(({ to }) => to),
		[2, 2],
		"two at once",
	);
});

test("a migration waits ten seconds for who holds a table, says so, and lets the others go on", async () => {
	await using admin = await server.connect();
	await admin.query("CREATE DATABASE busy TEMPLATE old");
	await using owner = await server.connect("postgres", "busy");
	await using ann = await server.connect("ann", "busy");
	await owner.query("ALTER TABLE weft.event OWNER TO postgres");
	await ann.query("BEGIN");
	await ann.query("SELECT 1 FROM weft.event");
	await assert.rejects(migrateFleet(owner), { code: "locked", message: /holds what this waits for/ });
	await ann.query("ROLLBACK");
	assert.deepEqual(await migrateFleet(owner), { from: 2, to: 2 });
});
