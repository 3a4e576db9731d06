import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { fleetHash } from "../../src/fleet/chain.ts";
import type { FleetConnection } from "../../src/fleet/connection.ts";
import { readExcludes } from "../../src/fleet/exclude.ts";
import { readFailures } from "../../src/fleet/failures.ts";
import { fetchSession } from "../../src/fleet/fetch-session.ts";
import { findFleetSession } from "../../src/fleet/find-session.ts";
import { followFleet } from "../../src/fleet/follow.ts";
import { grepFleet } from "../../src/fleet/grep.ts";
import { checkVersion, migrateFleet } from "../../src/fleet/migrate.ts";
import { readMachines } from "../../src/fleet/overview.ts";
import { readFleet } from "../../src/fleet/read-events.ts";
import { forgetInFleet } from "../../src/fleet/removal.ts";
import { separateLog, streamName } from "../../src/fleet/stream.ts";
import { withSummaries } from "../../src/state/history/searchable.ts";
import { searchable } from "../../src/state/session/searchable.ts";
import { checkChains } from "./chains.ts";
import { nextEvent, takeByHand } from "./hand-made.ts";
import { Machine } from "./machine.ts";
import { TestServer } from "./server.ts";

const PROJECT = "github.com/acme/app";
let server: TestServer;

before(async () => {
	server = await TestServer.start();
	await server.fleet("shared", { ann: "red", bob: "red", lead: "!red", eve: "blue" });
});
after(() => server.stop());

const connect = (role: string, database = "shared") => server.connect(role, database);

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
	const list: Item[] = [];
	for await (const item of items) list.push(item);
	return list;
}

async function count(connection: FleetConnection, table: string): Promise<number> {
	const { rows } = await connection.query<{ n: string }>(`SELECT count(*) AS n FROM weft.${table}`);
	return Number(rows[0]!.n);
}

test("what leaves arrives once, in order, byte for byte where nothing is masked, and again adds nothing", async () => {
	await using ann = await connect("ann");
	using machine = new Machine("laptop");
	const odd = `tab\t, "quotes", back\\slash, \\N, '; DROP TABLE weft.event; --, 検索 🎉 ${"x".repeat(3_000)}`;
	for (let n = 0; n < 40; n++) machine.say("s-bytes", `e${n}`, `${odd} ${n}`);
	const blob = machine.log.putBlob(Buffer.from([0, 255, 10, 13, 92, 65]));
	machine.log.append([{ type: "Custom", session: "s-bytes", host: "cli", ts: 5, payload: { name: "file", blob } }]);
	const first = await machine.ship(ann, PROJECT, { ...machine.exact(), bounds: { events: 7 } });
	assert.deepEqual([first.events, first.blobs], [81, 1]);
	const again = await machine.ship(ann, PROJECT, machine.exact());
	assert.deepEqual([again.events, again.blobs, again.head.n], [0, 0, 81]);
	const stored = [...machine.log.readStored()];
	const arrived = await collect(readFleet(ann, { project: PROJECT, session: "s-bytes" }));
	assert.deepEqual(
		arrived.map(({ seq, id, text, cause, entry, origin }) => ({ seq, id, text, cause, entry, origin })),
		stored.map(({ seq, id, text, cause, entry, origin }) => ({ seq, id, text, cause, entry, origin })),
	);
	assert.deepEqual(await checkChains(ann), []);
});

test("a gap, a forged event and another's log are refused, and nothing of the batch stays", async () => {
	await using ann = await connect("ann");
	await using bob = await connect("bob");
	using machine = new Machine("forger");
	machine.say("s-forge", "a", "one");
	machine.say("s-forge", "b", "two");
	await machine.ship(ann, PROJECT);
	const { rows } = await ann.query<Record<string, never>>(
		"SELECT * FROM weft.event WHERE session = 's-forge' ORDER BY n DESC LIMIT 1",
	);
	const last = rows[0] as unknown as Parameters<typeof fleetHash>[1] & { hash: Buffer; n: string; seq: string };
	const made = (more: object) => {
		return nextEvent(last.hash, {
			project: PROJECT,
			log: String(last.log),
			n: Number(last.n) + 1,
			seq: Number(last.seq) + 1,
			id: last.id,
			session: "s-forge",
			host: "pi",
			ts: 1,
			type: "Custom",
			v: 1,
			cause: null,
			entry: null,
			payload: "{}",
			...more,
		});
	};
	const before = await count(ann, "event");
	await assert.rejects(
		takeByHand(ann, made({ n: Number(last.n) + 2 })),
		/there is a gap: event 5 should come next, and 6 came/,
	);
	await assert.rejects(takeByHand(ann, { ...made({}), payload: '{"name":"evil"}' }), /its hash does not fit/);
	await assert.rejects(takeByHand(ann, made({ seq: 1 })), /its hash does not fit/);
	await assert.rejects(takeByHand(bob, made({})), /was not begun by bob/);
	assert.equal(await count(ann, "event"), before);
	await takeByHand(ann, made({}));
	assert.deepEqual(await checkChains(ann), []);
});

test("two shippers of one log, batches that come twice or in another order: each event once", async () => {
	await using one = await connect("ann");
	await using other = await connect("ann");
	using machine = new Machine("twice");
	for (let n = 0; n < 60; n++) machine.say("s-twice", `e${n}`, `word ${n}`);
	await Promise.all([
		machine.ship(one, PROJECT, { bounds: { events: 3 } }),
		machine.ship(other, PROJECT, { bounds: { events: 5 } }),
	]);
	const arrived = await collect(readFleet(one, { project: PROJECT, session: "s-twice" }));
	assert.deepEqual(
		arrived.map(({ seq }) => seq),
		[...machine.log.readStored()].map(({ seq }) => seq),
	);
	assert.deepEqual(await checkChains(one), []);
});

test("a team sees nothing of another; an agent's role changes, removes and empties nothing", async () => {
	await using ann = await connect("ann");
	await using eve = await connect("eve");
	using machine = new Machine("private");
	machine.say("s-private", "a", "the launch is in May");
	await machine.ship(ann, PROJECT);
	for (const table of ["event", "stream", "session", "blob", "failure", "gap", "forgotten", "continued", "removed"]) {
		assert.equal(await count(eve, table), 0, table);
	}
	assert.deepEqual((await grepFleet(eve, { project: null, text: "launch" }, searchable)).hits, []);
	await assert.rejects(eve.query("SELECT * FROM weft.member"), /not allow|permission denied/);
	await assert.rejects(eve.query("SELECT * FROM weft.event_0"), /permission denied/);
	await assert.rejects(
		eve.query(
			"INSERT INTO weft.stream (team, project, log, origin, machine, person) VALUES ('red', 'x', gen_random_uuid(), 'o', 'm', 'p')",
		),
		/permission denied|does not allow/,
	);
	for (const table of [
		"event",
		"stream",
		"blob",
		"session",
		"failure",
		"gap",
		"event_1",
		"member",
		"removed",
		"forgotten",
	]) {
		for (const sql of [
			`UPDATE weft.${table} SET team = 'blue'`,
			`DELETE FROM weft.${table}`,
			`TRUNCATE weft.${table}`,
		]) {
			await assert.rejects(ann.query(sql), /does not allow|permission denied/, sql);
		}
	}
	for (const sql of [
		"SELECT weft.forget('s-private', gen_random_uuid())",
		"SELECT weft.remove_sessions('red', gen_random_uuid(), '{}', '{}', '{}')",
		"ALTER TABLE weft.event DISABLE TRIGGER ALL",
		"DROP SCHEMA weft CASCADE",
		"SET ROLE weft_owner",
	]) {
		await assert.rejects(ann.query(sql), /does not allow|permission denied|must be owner/, sql);
	}
	await assert.rejects(
		ann.query("INSERT INTO weft.blob (log, hash, data) VALUES ($1, $2, $3)", [
			streamName(machine.log),
			Buffer.alloc(32),
			Buffer.from("x"),
		]),
		/violates check constraint/,
	);
});

const PASSWORD = "hG7-kx92-QpZ4-wwT1";
const TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

test("a masked secret is nowhere on the server, nor is a plain hash of it", async () => {
	await server.fleet("masked", { ann: "red" });
	await using ann = await connect("ann", "masked");
	using machine = new Machine("secret");
	machine.say("s-secret", "a", `deploy with DB_PASSWORD=${PASSWORD} and ${TOKEN}`);
	const blob = machine.log.putBlob(Buffer.from(`lines\nexport GITHUB_TOKEN=${TOKEN}\n`));
	const binary = machine.log.putBlob(
		Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(` GITHUB_TOKEN=${TOKEN} `)]),
	);
	const base = { session: "s-secret", host: "pi", ts: 1 } as const;
	const sliceHash = "ab".repeat(32);
	machine.log.append([
		{ ...base, type: "Custom", payload: { name: "out", data: { password: PASSWORD }, blob } },
		{ ...base, type: "Custom", payload: { name: "bin", blob: binary } },
		{ ...base, type: "FileRead", payload: { path: ".env", from: 1, to: 1, sliceHash, tool: "read", callId: "c" } },
		{
			...base,
			type: "CommandRun",
			payload: {
				command: `curl -u ann:${PASSWORD} x`,
				exit: 0,
				chars: 1,
				lines: 1,
				tool: "bash",
				callId: "d",
				by: "agent",
			},
		},
	]);
	const { masked } = await machine.ship(ann, PROJECT);
	assert.ok(masked >= 3, String(masked));
	const dump = server.dump("masked");
	assert.match(dump, /\[secret\]/);
	const hidden = [PASSWORD, TOKEN, sliceHash, blob, binary];
	for (const secret of [...hidden, ...hidden.map((text) => Buffer.from(text).toString("hex"))]) {
		assert.equal(dump.includes(secret), false, secret);
	}
	assert.equal(dump.toLowerCase().includes(PASSWORD.toLowerCase()), false);
	const { rows } = await ann.query<{ proof: Buffer }>("SELECT proof FROM weft.event ORDER BY n");
	const plain = new Set([...machine.log.readStored()].map(({ hash }) => hash));
	assert.equal(
		rows.some(({ proof }) => plain.has(proof.toString("hex"))),
		false,
	);
});

test("what is excluded never leaves: by path, with the message that shows it, by session and by tool", async () => {
	await using ann = await connect("ann");
	using machine = new Machine("picky");
	const base = { session: "s-picky", host: "pi", ts: 1 } as const;
	machine.say("s-picky", "a", "look at the vault", [
		{
			...base,
			type: "FileRead",
			cause: { message: "a" },
			payload: { path: "vault/keys.txt", from: 1, to: 2, sliceHash: "0".repeat(64), tool: "read", callId: "1" },
		},
	]);
	machine.say("s-picky", "b", "an ordinary question");
	machine.say("s-picky", "c", "ask the oracle", [
		{ ...base, type: "ToolCalled", cause: { message: "c" }, payload: { tool: "oracle", callId: "2", input: {} } },
	]);
	machine.say("s-diary", "d", "nobody reads this");
	const excludes = readExcludes(["path:vault/", "session:s-diary", "tool:oracle"], new Set());
	const { events, excluded } = await machine.ship(ann, PROJECT, { excludes });
	assert.deepEqual([events, excluded], [2, 8]);
	const arrived = await collect(readFleet(ann, { project: PROJECT, session: "s-picky" }));
	assert.deepEqual(
		arrived.map(({ entry }) => entry),
		["b", "b"],
	);
	assert.throws(() => readExcludes(["vault/"], new Set()), /Nothing was sent/);
});

test("every field is data: SQL in it changes nothing, and every query takes it as it is", async () => {
	await using ann = await connect("ann");
	using machine = new Machine(`m'; DROP TABLE weft.event; --`);
	const evil = `x'); DELETE FROM weft.event; -- \\ $1 ' " \u0000 %s`;
	const base = { session: evil, host: evil, ts: 3 } as const;
	machine.log.append([
		{ ...base, type: "Custom", entry: evil, payload: { name: evil, data: evil, path: evil, tool: evil } },
		{ ...base, type: evil as "Custom", payload: { name: evil } },
		{ ...base, type: "UserIntent", payload: { text: evil } },
	]);
	const before = await count(ann, "event");
	await machine.ship(ann, `${PROJECT}'; DROP SCHEMA weft; --`);
	assert.equal(await count(ann, "event"), before + 3);
	const odd = evil.replaceAll("\0", "␀");
	const all = { project: `${PROJECT}'; DROP SCHEMA weft; --` };
	assert.equal((await collect(readFleet(ann, { ...all, session: odd, host: odd, tool: odd, file: odd }))).length, 1);
	for (const text of [evil, "' | !x & (", "a:* <-> b", "\\", "'", "&&&"]) {
		await grepFleet(
			ann,
			{ ...all, text, session: evil.replaceAll("\0", ""), tool: odd, role: odd, machine: odd, person: odd },
			searchable,
		);
	}
	await readFailures(ann, { project: odd, hashes: [odd] });
	await assert.rejects(findFleetSession(ann, "no such '"), { code: "not-found" });
	assert.ok((await readMachines(ann)).length > 0);
});

test("search finds words, their forms, parts of identifiers, phrases and CJK, the identifier first", async () => {
	await using ann = await connect("ann");
	using machine = new Machine("talker");
	const project = "github.com/acme/words";
	machine.say("s-words", "a", "we should get the user data later");
	machine.say("s-words", "b", "getUserById throws here");
	machine.say("s-words", "c", "connection refused while running the tests");
	machine.say("s-words", "d", "全文検索の設定");
	machine.say("s-other", "e", "the connection was not refused");
	await machine.ship(ann, project);
	const find = async (text: string, more: object = {}) =>
		(await grepFleet(ann, { project, text, ...more }, withSummaries(searchable))).hits.map(({ snippet }) => snippet);
	assert.deepEqual(await find("getUser"), ["getUserById throws here"]);
	assert.deepEqual((await find("get user"))[0], "getUserById throws here");
	assert.equal((await find("get user")).length, 2);
	assert.deepEqual(await find('"connection refused"'), ["connection refused while running the tests"]);
	assert.deepEqual(await find("run test"), ["connection refused while running the tests"]);
	assert.deepEqual(await find("検索"), ["全文検索の設定"]);
	assert.deepEqual(await find("connection", { session: "s-other" }), ["the connection was not refused"]);
	assert.deepEqual(await find("connection", { machine: "nobody" }), []);
	const page = await grepFleet(ann, { project, text: "connection", limit: 1 }, searchable);
	const next = await grepFleet(ann, { project, text: "connection", limit: 1, offset: page.next! }, searchable);
	assert.equal(new Set([page.hits[0]!.handle, next.hits[0]!.handle]).size, 2);
});

test("an owner forgets a session: it is gone with its blobs, chains stay whole, and it is not shipped again", async () => {
	await using ann = await connect("ann");
	await using lead = await connect("lead");
	using machine = new Machine("regret");
	machine.say("s-keep", "a", "keep this");
	const blob = machine.log.putBlob(Buffer.from("only here"));
	machine.log.append([{ type: "Custom", session: "s-regret", host: "cli", ts: 5, payload: { name: "file", blob } }]);
	machine.say("s-regret", "b", "remove this");
	machine.say("s-keep", "c", "and this");
	await machine.ship(ann, PROJECT);
	assert.equal(await forgetInFleet(lead, "s-regret", [streamName(machine.log)]), 3);
	assert.deepEqual(await checkChains(ann), []);
	assert.equal((await ann.query("SELECT 1 FROM weft.blob WHERE hash = $1", [Buffer.from(blob, "hex")])).rowCount, 0);
	machine.say("s-regret", "d", "more of it");
	machine.say("s-keep", "e", "go on");
	const { rows } = await ann.query<{ session: string }>("SELECT session FROM weft.forgotten");
	const excludes = readExcludes([], new Set(rows.map(({ session }) => session)));
	const { events, excluded } = await machine.ship(ann, PROJECT, { excludes });
	assert.deepEqual([events, excluded], [2, 2]);
	assert.deepEqual(await checkChains(ann), []);
	const kept = await findFleetSession(lead, "s-keep");
	using colleague = new Machine("colleague");
	assert.equal((await fetchSession(lead, colleague.log, kept)).added, 6);
});

test("a fetched session is here with its blobs and its causes, under its own origin; again adds nothing", async () => {
	await using ann = await connect("ann");
	await using bob = await connect("bob");
	using maker = new Machine("maker");
	using reader = new Machine("reader");
	reader.say("mine", "x", "something of my own");
	const blob = maker.log.putBlob(Buffer.from("a long output"));
	for (let n = 0; n < 5; n++) maker.say("s-fetch", `e${n}`, `turn ${n}`);
	maker.log.append([
		{ type: "Custom", session: "s-fetch", host: "pi", ts: 9, payload: { name: "out", blob } },
		{ type: "Entry", session: "s-fetch", host: "pi", ts: 9, entry: "k", raw: "{}", payload: { kind: "label" } },
	]);
	const entry = maker.log.newestSeq();
	maker.log.append([
		{ type: "Custom", session: "s-fetch", host: "pi", ts: 9, cause: entry, payload: { name: "after" } },
	]);
	await maker.ship(ann, PROJECT);
	const session = await findFleetSession(bob, "s-fe");
	const fetched = await fetchSession(bob, reader.log, session);
	assert.deepEqual([fetched.events, fetched.added, fetched.blobs], [13, 13, 1]);
	assert.deepEqual((await fetchSession(bob, reader.log, session)).added, 0);
	const here = [...reader.log.read({ session: "s-fetch" })];
	const there = [...maker.log.read({ session: "s-fetch" })];
	assert.deepEqual(
		here.map(({ id, origin, entry: name, payload }) => ({ id, origin, name, payload })),
		there.map(({ id, origin, entry: name, payload }) => ({ id, origin, name, payload })),
	);
	const shift = here[0]!.seq - there[0]!.seq;
	assert.deepEqual(
		here.map(({ cause }) => cause),
		there.map(({ cause }) => (cause === null ? null : cause + shift)),
	);
	assert.equal(reader.log.getBlob(blob)?.toString(), "a long output");
	assert.deepEqual(
		[here.every(reader.log.fetched()), [...reader.log.read({ session: "mine" })].some(reader.log.fetched())],
		[true, false],
	);
	assert.equal((await reader.ship(bob, PROJECT)).events, 2);
	await assert.rejects(fetchSession(ann, maker.log, session), { code: "usage" });
});

test("a copied data folder is not mixed into the other's log; it goes on as its own from where they part", async () => {
	await using ann = await connect("ann");
	using machine = new Machine("original");
	machine.say("s-copy", "a", "before the copy");
	await machine.ship(ann, PROJECT);
	using copy = machine.copied("copy");
	machine.say("s-copy", "b", "on the original");
	await machine.ship(ann, PROJECT);
	copy.say("s-copy", "c", "on the copy");
	copy.say("s-copy", "d", "on the copy");
	await assert.rejects(copy.ship(ann, PROJECT), /the data folder was copied/);
	assert.equal(await separateLog(ann, copy.shipment(PROJECT)), 2);
	assert.equal((await copy.ship(ann, PROJECT)).events, 4);
	assert.deepEqual(await checkChains(ann), []);
	await using bob = await connect("bob");
	machine.say("s-copy", "e", "by another role");
	await assert.rejects(machine.ship(bob, PROJECT), /only the role that began a log adds to it.*--apart/);
	assert.equal(await separateLog(bob, machine.shipment(PROJECT)), 4);
	assert.equal((await machine.ship(bob, PROJECT)).events, 2);
});

test("migrating twice changes nothing; a server that takes no more from this weft says so", async () => {
	await server.fleet("newer", { ann: "red" });
	await using ann = await connect("ann", "newer");
	await using owner = await connect("postgres", "newer");
	assert.deepEqual(await migrateFleet(owner), { from: 2, to: 2 });
	assert.equal(await checkVersion(ann), 2);
	await owner.query("INSERT INTO weft.schema (version, name, accepts) VALUES (3, 'm003_later', 2)");
	assert.equal(await checkVersion(ann), 3);
	assert.deepEqual(await migrateFleet(owner), { from: 3, to: 3 });
	await owner.query("INSERT INTO weft.schema (version, name, accepts) VALUES (4, 'm004_later', 4)");
	await assert.rejects(checkVersion(ann), { code: "newer-schema" });
});

test("where the server's word does not come through, whoever follows is told so, and sees everything a little later", async () => {
	await using ann = await connect("ann");
	await using bob = await connect("bob");
	using machine = new Machine("noisy");
	const project = "github.com/acme/followed";
	for (const isDeaf of [true, false]) {
		const ending = new AbortController();
		const told: string[] = [];
		const deaf = isDeaf ? { ...bob, on: () => {} } : bob;
		const options = { signal: ending.signal, notify: (line: string) => told.push(line), askEveryMs: 50 };
		const following = followFleet(deaf, { project, types: ["Message"] }, options);
		machine.say("s-follow", `${isDeaf}`, "news");
		await machine.ship(ann, project);
		const { value } = await following.next();
		machine.say("s-follow", `${isDeaf} later`, "more news");
		const next = following.next();
		await machine.ship(ann, project);
		assert.deepEqual(
			(await next).value?.map(({ entry }: { entry: string | null }) => entry),
			[`${isDeaf} later`],
		);
		assert.equal(value?.at(-1)?.entry, `${isDeaf}`);
		assert.deepEqual(
			told.map((line) => /asks it every 0\.05 s/.test(line)),
			isDeaf ? [true] : [],
		);
		ending.abort();
		await following.return(undefined);
	}
});

test("whoever follows goes on after the connection was cut, and sees what came meanwhile, once", async () => {
	await using ann = await connect("ann");
	await using bob = await connect("bob");
	await using admin = await connect("postgres");
	using machine = new Machine("cut-off");
	const project = "github.com/acme/cut";
	const ending = new AbortController();
	const told: string[] = [];
	const following = followFleet(
		bob,
		{ project, types: ["Message"] },
		{
			signal: ending.signal,
			notify: (line) => told.push(line),
			askEveryMs: 50,
			connectAgain: () => connect("bob"),
		},
	);
	const entries = async () => (await following.next()).value?.map(({ entry }: { entry: string | null }) => entry);
	machine.say("s-cut", "before", "news");
	await machine.ship(ann, project);
	assert.deepEqual(await entries(), ["before"]);
	for (const entry of ["one", "two"]) {
		await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'bob'");
		machine.say("s-cut", entry, "news");
		await machine.ship(ann, project);
		assert.deepEqual(await entries(), [entry]);
	}
	assert.equal(told.filter((line) => /is away/.test(line)).length, 2);
	ending.abort();
	await following.return(undefined);
});

test("a role that belongs to no team is told what to do", async () => {
	await using admin = await connect("postgres");
	await admin.query("CREATE ROLE stray LOGIN; GRANT weft_agent TO stray");
	await using stray = await connect("stray");
	using machine = new Machine("stray");
	machine.say("s-stray", "a", "hello");
	await assert.rejects(
		machine.ship(stray, PROJECT),
		/does not allow this to the role.*gives the rights with .weft fleet member ROLE --team TEAM/,
	);
});
