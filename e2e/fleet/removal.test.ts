/** What an owner removes: of which project and log, what is told of it afterwards, and how much is still there. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FleetConnection } from "../../src/fleet/connection.ts";
import { fetchSession } from "../../src/fleet/fetch-session.ts";
import { findFleetSession, findFleetSessions, shipContinuations } from "../../src/fleet/find-session.ts";
import { readMachines } from "../../src/fleet/overview.ts";
import { forgetInFleet, pruneFleet } from "../../src/fleet/removal.ts";
import { streamName } from "../../src/fleet/stream.ts";
import { checkChains } from "./chains.ts";
import { Machine } from "./machine.ts";
import { TestServer } from "./server.ts";

const PROJECT = "github.com/acme/app";
const OTHER = "github.com/acme/other";
let server: TestServer;

before(async () => {
	server = await TestServer.start();
	await server.fleet("shared", { ann: "red", bob: "red", lead: "!red", eve: "blue" });
});
after(() => server.stop());

const connect = (role: string) => server.connect(role, "shared");

/** Two homes of one person on one machine: only the role and the log tell them apart. */
const twin = { machine: "vm", person: "root" } as const;

/** By log: how many events the overview says, how many there are, and the same of bytes. */
async function counted(connection: FleetConnection, log: string): Promise<readonly number[]> {
	const { rows } = await connection.query<{ events: number; bytes: number }>(
		"SELECT count(*)::int AS events, coalesce(sum(octet_length(payload)), 0)::int AS bytes FROM weft.event WHERE log = $1",
		[log],
	);
	const machine = (await readMachines(connection)).find((each) => each.log === log)!;
	return [machine.events, rows[0]!.events, machine.bytes, rows[0]!.bytes, machine.sessions];
}

test("forgetting is of one log: others with a session of that name keep theirs and go on shipping it", async () => {
	await using ann = await connect("ann");
	await using bob = await connect("bob");
	await using lead = await connect("lead");
	using here = new Machine("here");
	using twinOfHere = new Machine("twin");
	using elsewhere = new Machine("elsewhere");
	const ships = [
		[here, ann, PROJECT],
		[twinOfHere, bob, PROJECT],
		[elsewhere, ann, OTHER],
	] as const;
	for (const [machine, by, project] of ships) {
		machine.say("shared", "a", "the same name");
		await machine.ship(by, project, twin);
	}
	const logs = async (query: object) =>
		(await findFleetSessions(lead, "sha", { project: PROJECT, ...query })).map(({ log }) => log);
	const [own, twins, third] = ships.map(([machine]) => streamName(machine.log)) as [string, string, string];
	assert.deepEqual(new Set(await logs({})), new Set([own, twins]));
	assert.equal((await logs({ project: null })).length, 3);
	assert.deepEqual(await logs({ role: "bob" }), [twins]);
	assert.deepEqual(await logs({ log: own.slice(0, 8) }), [own]);
	await assert.rejects(logs({ person: "nobody" }), {
		code: "usage",
		message: /ann \(says root\) on vm \(log .*github\.com\/acme\/app/,
	});

	await bob.query(
		`INSERT INTO weft.failure (project, log, hash, state, seq, name, message, session, attempts, first_ts, last_ts, red)
		VALUES ($1, $2, 'h', 'open', 1, 'n', 'm', 'shared', 1, 1, 1, 'e-1')`,
		[PROJECT, twins],
	);
	assert.equal(await forgetInFleet(lead, "shared", [own]), 2);
	assert.equal((await bob.query("SELECT 1 FROM weft.failure WHERE session = 'shared'")).rowCount, 1);
	assert.deepEqual(new Set(await logs({ project: null })), new Set([twins, third]));
	for (const [machine, by, project] of ships) {
		machine.say("shared", "b", "it goes on");
		const shipping = machine.ship(by, project, twin);
		if (machine === here) await assert.rejects(shipping, { code: "deleted" });
		else assert.equal((await shipping).events, 2);
	}
	await assert.rejects(here.ship(ann, OTHER, twin), { code: "deleted" }, "not under another project's name either");
	assert.deepEqual(await checkChains(ann), []);
});

test("two sessions of one name from one person's machine are told apart by role or log, and each can be fetched", async () => {
	await using ann = await connect("ann");
	await using bob = await connect("bob");
	using one = new Machine("one");
	using two = new Machine("two");
	using reader = new Machine("reader");
	one.say("s-twins", "a", "I am of ann");
	two.say("s-twins", "b", "I am of bob");
	await one.ship(ann, PROJECT, twin);
	await two.ship(bob, PROJECT, twin);
	const log = streamName(two.log).slice(0, 8);
	await assert.rejects(findFleetSession(ann, "s-twins"), {
		code: "usage",
		message: new RegExp(`bob \\(says root\\) on vm \\(log ${log}, ${PROJECT}\\).*--role or --log`),
	});
	const byRole = await findFleetSession(ann, "s-twins", { project: PROJECT, role: "bob" });
	assert.deepEqual(await findFleetSession(ann, "s-twins", { project: PROJECT, log }), byRole);
	assert.equal((await fetchSession(ann, reader.log, byRole)).added, 2);
	assert.deepEqual(
		[...reader.log.read({ types: ["Message"] })].map(({ entry }) => entry),
		["b"],
	);
});

test("whoever fetches a session that goes on after a prune is told how much of it was removed", async () => {
	await server.fleet("aged", { ann: "red", bob: "red", lead: "!red" });
	const open = (role: string) => server.connect(role, "aged");
	await using ann = await open("ann");
	await using bob = await open("bob");
	await using lead = await open("lead");
	using maker = new Machine("maker");
	using second = new Machine("second");
	const said = (entry: string, session = "s-old", ts = 1_000) =>
		maker.log.append([{ session, host: "pi", ts, type: "Custom", entry, payload: { name: "n" } }]);
	for (let n = 0; n < 5; n++) said(`e${n}`);
	said("f", "s-last");
	await maker.ship(ann, PROJECT);
	await fetchSession(bob, second.log, await findFleetSession(bob, "s-old"));
	second.say("s-old", "g", "it goes on elsewhere");
	await second.ship(bob, PROJECT);
	await shipContinuations(bob, second.log, PROJECT);
	assert.equal(await pruneFleet(lead, 2_000), 5);
	const fetched = async () => {
		using reader = new Machine("reader");
		const { events, removed } = await fetchSession(bob, reader.log, await findFleetSession(bob, "s-old"));
		return [events, removed];
	};
	assert.deepEqual(await fetched(), [2, 5], "only the part that goes on elsewhere is there");
	said("h", "s-old", Date.now());
	await maker.ship(ann, PROJECT);
	assert.deepEqual(await fetched(), [3, 5]);
	using reader = new Machine("reads-last");
	assert.equal((await fetchSession(bob, reader.log, await findFleetSession(bob, "s-last"))).removed, 0);
	assert.deepEqual(await counted(ann, streamName(maker.log)), [2, 2, 24, 24, 2]);
});

test("what is counted is what is there, after a forget too", async () => {
	await server.fleet("before", { ann: "red", lead: "!red" });
	await using ann = await server.connect("ann", "before");
	await using lead = await server.connect("lead", "before");
	using machine = new Machine("counted");
	for (const session of ["s-first", "s-second"]) machine.say(session, session, `hello ${session}`);
	await machine.ship(ann, PROJECT);
	const log = streamName(machine.log);
	assert.equal(await forgetInFleet(lead, "s-first", [log]), 2);
	const [events, there, bytes, payloads, sessions] = await counted(ann, log);
	assert.deepEqual([events, bytes, sessions], [there, payloads, 1]);
	machine.say("s-first", "late", "was forgotten before");
	await assert.rejects(machine.ship(ann, PROJECT), { code: "deleted" });
	assert.equal(await forgetInFleet(lead, "s-second", [log]), 2);
	assert.deepEqual(await counted(ann, log), [0, 0, 0, 0, 0]);
});
