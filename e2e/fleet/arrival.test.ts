/** What arrives at odd moments: while an owner removes, while a copy ships, and what the server's indexes cannot take. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { FleetConnection } from "../../src/fleet/connection.ts";
import { readExcludes } from "../../src/fleet/exclude.ts";
import { lookUpResolved, readFailures } from "../../src/fleet/failures.ts";
import { fetchSession } from "../../src/fleet/fetch-session.ts";
import { findFleetSession, findFleetSessions, shipContinuations } from "../../src/fleet/find-session.ts";
import { readHandle, recordOf } from "../../src/fleet/read-events.ts";
import { checkOwner, forgetInFleet, pruneFleet } from "../../src/fleet/removal.ts";
import { separateLog, streamName } from "../../src/fleet/stream.ts";
import type { Log } from "../../src/log/log.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { checkChains } from "./chains.ts";
import { Machine } from "./machine.ts";
import { TestServer } from "./server.ts";

const PROJECT = "github.com/acme/app";
let server: TestServer;

before(async () => {
	server = await TestServer.start();
	await server.fleet("shared", { ann: "red", bob: "red", lead: "!red", eve: "blue" });
});
after(() => server.stop());

const connect = (role: string) => server.connect(role, "shared");

/** Does something right before the batch is inserted, as another process might. */
function interrupted(connection: FleetConnection, work: () => Promise<unknown>): FleetConnection {
	let isDone = false;
	return {
		...connection,
		query: async (sql, values) => {
			if (!isDone && sql.includes("weft.take")) {
				isDone = true;
				await work();
			}
			return await connection.query(sql, values);
		},
	};
}

test("what comes of a forgotten session is refused, also where it was forgotten while it was shipped", async () => {
	await using ann = await connect("ann");
	await using lead = await connect("lead");
	using machine = new Machine("late");
	machine.say("s-late", "a", "the first");
	await machine.ship(ann, PROJECT);
	machine.say("s-late", "b", "the second");
	const shipping = machine.ship(
		interrupted(ann, () => forgetInFleet(lead, "s-late", [streamName(machine.log)])),
		PROJECT,
	);
	await assert.rejects(shipping, { code: "deleted", message: /session s-late was forgotten/ });
	assert.equal((await ann.query("SELECT 1 FROM weft.event WHERE session = 's-late'")).rowCount, 0);
	await assert.rejects(
		forgetInFleet(ann, "s-late", [streamName(machine.log)]),
		/permission denied|does not allow|--owner/,
	);
	await assert.rejects(checkOwner(ann), /--owner/);
});

test("two machines with one copied data folder that ship at once are not mixed, and none is told that it shipped", async () => {
	await using one = await connect("ann");
	await using other = await connect("ann");
	using machine = new Machine("first");
	machine.say("s-mixed", "a", "before the copy");
	await machine.ship(one, PROJECT);
	using copy = machine.copied("copy");
	for (let n = 0; n < 5; n++) machine.say("s-mixed", `original ${n}`, "on the original");
	for (let n = 0; n < 9; n++) copy.say("s-mixed", `copy ${n}`, "on the copy");
	const racing = interrupted(other, () => machine.ship(one, PROJECT));
	await assert.rejects(copy.ship(racing, PROJECT, { bounds: { events: 4 } }), /the data folder was copied/);
	assert.equal((await machine.ship(one, PROJECT)).events, 0);
	const { rows } = await one.query<{ entry: string }>("SELECT entry FROM weft.event WHERE session = 's-mixed'");
	assert.deepEqual(
		rows.filter(({ entry }) => entry.startsWith("copy")),
		[],
	);
	assert.deepEqual(await checkChains(one), []);
});

test("a path, a session and a word that are too long for an index do not stop what comes after them", async () => {
	await using ann = await connect("ann");
	using machine = new Machine("long");
	const long = Array.from({ length: 9_000 }, (_, n) => String.fromCharCode(97 + ((n * n * 31) % 26))).join("");
	const base = { session: "s-long", host: "pi", ts: 1 } as const;
	machine.log.append([
		{ ...base, type: "FileRead", payload: { path: long, from: 1, to: 1, sliceHash: "ab", tool: "read", callId: "c" } },
		{ ...base, session: long, type: "Custom", payload: { name: "n" } },
	]);
	machine.say("s-long", "a", `${long} and more`);
	assert.equal((await machine.ship(ann, PROJECT)).events, 4);
	assert.deepEqual(await checkChains(ann), []);
});

test("a blob that another session's event builds on stays when one is forgotten", async () => {
	await using ann = await connect("ann");
	await using lead = await connect("lead");
	using machine = new Machine("bases");
	const [base, blob] = ["one", "two"].map((text) => machine.log.putBlob(Buffer.from(`blob ${text} of bases`)));
	const event = { host: "pi", ts: 1, type: "Custom" } as const;
	machine.log.append([
		{ ...event, session: "s-base-1", payload: { name: "n", blob: base } },
		{ ...event, session: "s-base-2", payload: { name: "n", blob, base } },
	]);
	await machine.ship(ann, PROJECT, machine.exact());
	await forgetInFleet(lead, "s-base-1", [streamName(machine.log)]);
	const { rows } = await ann.query<{ name: string }>("SELECT encode(hash, 'hex') AS name FROM weft.blob");
	assert.deepEqual(rows.map(({ name }) => name).sort(), [base, blob].sort());
});

const PASSWORD = "hG7-kx92-QpZ4-wwT1";

test("the handle of a masked blob tells nothing, and whoever fetches the session expands it", async () => {
	await using ann = await connect("ann");
	using maker = new Machine("bounded");
	using reader = new Machine("expands");
	const whole = `lines\nDB_PASSWORD=${PASSWORD}\nmore lines`;
	const blob = maker.log.putBlob(Buffer.from(whole));
	maker.log.append([{ type: "Custom", session: "s-bounded", host: "pi", ts: 1, payload: { name: "bounded", blob } }]);
	maker.say("s-bounded", "a", `left out; lcm_expand("b-${blob.slice(0, 12)}") returns the whole text`);
	await maker.ship(ann, PROJECT);
	assert.equal(server.dump("shared").includes(blob.slice(0, 12)), false);
	await fetchSession(ann, reader.log, await findFleetSession(ann, "s-bounded"));
	const [message] = reader.log.read({ session: "s-bounded", types: ["Message"] });
	const [, start] = /lcm_expand\(\W+b-([0-9a-f]{12})/.exec(JSON.stringify(message)) ?? [];
	const [name, ...others] = reader.log.blobHashes(start, 2);
	assert.deepEqual(others, []);
	assert.equal(reader.log.getBlob(name!)?.toString(), whole.replace(PASSWORD, "[secret]"));
});

test("what is wrong with another's session costs itself when it is fetched, and is no damage of this log", async () => {
	await using ann = await connect("ann");
	using maker = new Machine("careless");
	using reader = new Machine("careful");
	for (const entry of ["a", "b", "c"]) maker.say("s-careless", entry, `message ${entry}`);
	const lost = { session: "s-careless", host: "pi", ts: 1, type: "Custom" } as const;
	maker.log.append([{ ...lost, payload: { name: "n", blob: "ab".repeat(32) } }], { lostBlobs: "take" });
	const { mask } = maker.exact();
	await maker.ship(ann, PROJECT, {
		mask: async (records) =>
			(await mask(records)).map((each) =>
				each.record.entry === "b" && each.record.type === "Message" ? { ...each, text: "{}", payload: {} } : each,
			),
	});
	const logs = await findFleetSession(ann, "s-careless");
	const { events, added, missing, malformed } = await fetchSession(ann, reader.log, logs);
	assert.deepEqual({ events, added, missing, malformed }, { events: 7, added: 6, missing: 1, malformed: 1 });
	assert.deepEqual(verify(reader.log).problems, []);
	assert.equal(verify(maker.log).problems.length, 1);
});

test("the server makes each handle itself, as the readers do, whatever is in the names", async () => {
	await using ann = await connect("ann");
	using maker = new Machine("honest");
	const odd = 'x "quoted" \\ \t\n\u0001\u007f\u2028 é 𝄞 \ud800 \u0000';
	maker.say("s-honest", "a", "what was done");
	maker.log.append([
		{ session: odd, host: odd, ts: 1, type: "Custom", entry: odd, payload: { name: "n" } },
		{ session: odd, host: "pi", ts: 1, type: "Custom", payload: { name: "n" } },
	]);
	await maker.ship(ann, PROJECT);
	const { rows } = await ann.query<{ handle: string; payload: string }>(
		`SELECT e.*, s.origin, s.machine, s.role AS person, s.person AS says FROM weft.event e JOIN weft.stream s USING (project, log)
		WHERE e.log = $1`,
		[streamName(maker.log)],
	);
	assert.equal(rows.length, 4);
	for (const row of rows) {
		assert.equal(row.handle, recordOf({ ...row }).handle);
		assert.equal((await readHandle(ann, row.handle, null))?.handle, row.handle);
	}
});

test("an owner prunes by age: old sessions go, chains stay whole, and what is kept can be fetched", async () => {
	await server.fleet("aged", { ann: "red", lead: "!red" });
	await using ann = await server.connect("ann", "aged");
	await using lead = await server.connect("lead", "aged");
	using machine = new Machine("aged");
	const said = (session: string, entry: string, ts: number) =>
		machine.log.append([
			{ session, host: "pi", ts, type: "Custom", entry, payload: { name: "n", data: `${entry} of ${session}` } },
		]);
	for (const [at, session] of ["s-old", "s-old", "s-new", "s-old", "s-new", "s-last"].entries()) {
		said(session, `e${at}`, session === "s-new" ? Date.now() : 1_000);
	}
	await machine.ship(ann, PROJECT);
	await assert.rejects(pruneFleet(ann, 2_000), /permission denied|does not allow/);
	// The log's newest event is what it is known by: its session stays.
	assert.equal(await pruneFleet(lead, 2_000), 3);
	assert.deepEqual(await checkChains(ann), []);
	using colleague = new Machine("reads-aged");
	assert.equal((await fetchSession(ann, colleague.log, await findFleetSession(ann, "s-new"))).added, 2);
	said("s-old", "e6", Date.now());
	assert.equal((await machine.ship(ann, PROJECT)).events, 1);
	assert.deepEqual(await checkChains(ann), []);
});

test("a session id that two people have is not taken for one, and is looked for in this project", async () => {
	await using ann = await connect("ann");
	await using bob = await connect("bob");
	using one = new Machine("one");
	using other = new Machine("other");
	one.say("s-same", "a", "I am of one");
	other.say("s-same", "b", "I am of the other");
	await one.ship(ann, PROJECT);
	await other.ship(bob, PROJECT);
	await assert.rejects(findFleetSession(ann, "s-same"), {
		code: "usage",
		message: /exists from .* on (?:one|other) .*, and .*--machine/,
	});
	const found = await findFleetSession(ann, "s-same", { project: PROJECT, machine: "other" });
	await assert.rejects(fetchSession(ann, one.log, found), { code: "refused", message: /does not mix/ });
	assert.equal((await findFleetSessions(ann, "s-same", { project: PROJECT })).length, 2);
	await assert.rejects(findFleetSession(ann, "s-same", { project: "github.com/acme/else" }), { code: "not-found" });
});

test("nobody learns the teams of others", async () => {
	await using ann = await connect("ann");
	assert.deepEqual((await ann.query("SELECT weft.my_team() AS own")).rows, [{ own: "red" }]);
	await assert.rejects(ann.query("SELECT * FROM weft.member"), /does not allow/);
});

test("a session that was fetched and went on elsewhere is fetched whole, by whom it was made too", async () => {
	await using ann = await connect("ann");
	await using bob = await connect("bob");
	using maker = new Machine("maker");
	using second = new Machine("second");
	using third = new Machine("third");
	maker.say("s-goes-on", "a", "it begins");
	await maker.ship(ann, PROJECT);
	await fetchSession(bob, second.log, await findFleetSession(bob, "s-goes-on"));
	second.say("s-goes-on", "b", "it goes on");
	await second.ship(bob, PROJECT);
	await shipContinuations(bob, second.log, PROJECT);
	const logs = await findFleetSession(ann, "s-goes-on");
	assert.deepEqual(
		logs.map(({ machine }) => machine),
		["maker", "second"],
	);
	const entries = (log: Log) => [...log.read({ session: "s-goes-on", types: ["Message"] })].map(({ entry }) => entry);
	assert.equal((await fetchSession(ann, third.log, logs)).added, 4);
	assert.equal((await fetchSession(ann, maker.log, logs)).added, 2);
	assert.deepEqual(
		[entries(third.log), entries(maker.log)],
		[
			["a", "b"],
			["a", "b"],
		],
	);
});

test("what a fetched event names by its seq is named by the seq that it has here", async () => {
	await using ann = await connect("ann");
	using maker = new Machine("counts");
	using reader = new Machine("counts-else");
	for (let n = 0; n < 7; n++) reader.say("mine", `x${n}`, "something of my own");
	maker.say("s-seqs", "a", "one");
	maker.say("s-seqs", "b", "two");
	const base = { session: "s-seqs", host: "pi", ts: 1 } as const;
	const messages = { first: 1, last: 3, count: 2, tokens: 2, from: "a", to: "b" };
	const summary = { depth: 0, text: "t", topic: "t", sources: [], messages, tokens: 1, sourceTokens: 2, durationMs: 1 };
	maker.log.append([{ ...base, type: "Decision", payload: { text: "tabs" } }]);
	maker.log.append([
		{ ...base, type: "Decision", payload: { text: "spaces", supersedes: maker.log.newestSeq() } },
		{ ...base, type: "Summary", entry: "s-1", payload: { node: "s-1", model: "deterministic", ...summary } },
	]);
	await maker.ship(ann, PROJECT);
	await fetchSession(ann, reader.log, await findFleetSession(ann, "s-seqs"));
	const here = [...reader.log.read({ session: "s-seqs" })];
	const [first, second] = here.filter(({ type }) => type === "Decision");
	assert.equal(second!.payload["supersedes"], first!.seq);
	const covered = here.find(({ type }) => type === "Summary")!.payload["messages"] as typeof messages;
	assert.deepEqual(
		[covered.first, covered.last].map((seq) => reader.log.get(seq)?.entry),
		["a", "b"],
	);
});

test("a copy is found out as well where the newest event was forgotten meanwhile", async () => {
	await using ann = await connect("ann");
	await using lead = await connect("lead");
	using machine = new Machine("before");
	machine.say("s-kept", "a", "before the copy");
	await machine.ship(ann, PROJECT);
	using copy = machine.copied("after");
	machine.say("s-gone", "b", "on the original");
	await machine.ship(ann, PROJECT);
	await forgetInFleet(lead, "s-gone", [streamName(machine.log)]);
	for (let n = 0; n < 4; n++) copy.say("s-copied", `c${n}`, "on the copy");
	await assert.rejects(copy.ship(ann, PROJECT), /the data folder was copied/);
	await assert.rejects(separateLog(ann, machine.shipment(PROJECT)), /nothing to separate/);
	assert.equal(await separateLog(ann, copy.shipment(PROJECT)), 2);
	assert.equal((await copy.ship(ann, PROJECT)).events, 8);
	assert.deepEqual(await checkChains(ann), []);
});

test("what a rule kept back stays here when the rule is gone, under another name and on another server too", async () => {
	await server.fleet("second", { ann: "red" });
	await using ann = await connect("ann");
	await using second = await server.connect("ann", "second");
	using machine = new Machine("discreet");
	machine.say("s-open", "a", "for everybody");
	machine.say("s-secret", "b", "not for you");
	machine.say("s-open", "c", "for everybody");
	const excludes = readExcludes(["session:s-secret"], new Set());
	assert.deepEqual((await machine.ship(ann, PROJECT, { excludes })).events, 4);
	machine.say("s-secret", "d", "after the rule");
	assert.equal((await machine.ship(second, PROJECT)).events, 6);
	const { rows } = await second.query<{ entry: string }>(
		"SELECT entry FROM weft.event WHERE type = 'Message' ORDER BY n",
	);
	assert.deepEqual(
		rows.map(({ entry }) => entry),
		["a", "c", "d"],
	);
});

test("a project that was renamed goes on under its new name, and nothing is there twice", async () => {
	await using ann = await connect("ann");
	using machine = new Machine("renamed");
	machine.say("s-renamed", "a", "before");
	await machine.ship(ann, "github.com/acme/old-name");
	machine.say("s-renamed", "b", "after");
	assert.equal((await machine.ship(ann, "github.com/acme/new-name")).events, 2);
	const { rowCount } = await ann.query("SELECT 1 FROM weft.event WHERE session = 's-renamed'");
	assert.equal(rowCount, 4);
	assert.deepEqual(await checkChains(ann), []);
});

test("failures that somebody wrote by hand cost themselves, and none is the newest for ever", async () => {
	await using ann = await connect("ann");
	using machine = new Machine("liar");
	machine.say("s-liar", "a", "hello");
	const { log } = machine;
	await machine.ship(ann, PROJECT);
	const insert = (hash: string, changes: string, ts: number) =>
		ann.query(
			`INSERT INTO weft.failure (project, log, hash, state, seq, name, message, session, attempts, first_ts, last_ts, red, changes)
			VALUES ($1, $2, $3, 'resolved', $5, 'n', 'm', 's', 1, 1, $5, 'e-1', $4)`,
			[PROJECT, streamName(log), hash, changes, ts],
		);
	await assert.rejects(insert("h1", '"no list"', 5), /does not take it: .*constraint/);
	await insert("h1", '[{"path":5,"handle":{"a":1}},null,7,{"path":"a.js","handle":"e-2","added":"x"}]', 5);
	await insert("h1", "[]", 9_999_999_999_999);
	const found = await readFailures(ann, { project: PROJECT, hashes: ["h1"] });
	assert.deepEqual(
		found.map(({ lastTs, changes }) => [lastTs, changes]),
		[[5, [{ path: "a.js", handle: "e-2", added: 0, removed: null }]]],
	);
	assert.deepEqual(
		(await lookUpResolved(ann, { project: PROJECT, hashes: ["h1"], besides: randomUUID() })).map(
			({ handle }) => handle,
		),
		["e-2"],
	);
});
