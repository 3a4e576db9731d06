/** Rows that no log of weft's would ship, from a member with a client of its own. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { fetchSession } from "../../src/fleet/fetch-session.ts";
import { findFleetSession } from "../../src/fleet/find-session.ts";
import { followFleet } from "../../src/fleet/follow.ts";
import { grepFleet } from "../../src/fleet/grep.ts";
import { readNewest } from "../../src/fleet/read-events.ts";
import { streamName } from "../../src/fleet/stream.ts";
import { searchable } from "../../src/state/session/searchable.ts";
import { nextEvent, takeByHand } from "./hand-made.ts";
import { Machine } from "./machine.ts";
import { TestServer } from "./server.ts";

const PROJECT = "github.com/acme/app";
let server: TestServer;

before(async () => {
	server = await TestServer.start();
});
after(() => server.stop());

test("a row with an impossible time, number or name is refused; one that is there already stops nobody", async () => {
	await server.fleet("impossible", { ann: "red", mal: "red" });
	await using ann = await server.connect("ann", "impossible");
	await using mal = await server.connect("mal", "impossible");
	using honest = new Machine("honest");
	using odd = new Machine("odd");
	using reader = new Machine("reader");
	honest.say("s-both", "a", "word one");
	await honest.ship(ann, PROJECT);
	odd.say("s-both", "b", "word two");
	const { head } = await odd.ship(mal, PROJECT);
	const log = streamName(odd.log);
	const plain = { project: PROJECT, log, n: head.n + 1, seq: head.seq + 1, id: randomUUID(), session: "s-both" };
	const event = { ...plain, host: "pi", ts: 1, type: "UserIntent", v: 1, cause: null, entry: null };
	const payload = '{"text":"word three"}';
	const impossible = [
		{ ts: 8.64e15 + 1 },
		{ ts: -9.1e18 },
		{ seq: 9.1e18 },
		{ cause: 9.1e18 },
		{ cause: -1 },
		{ session: "" },
		{ host: "" },
		{ type: "" },
	];
	// As a member would, whose client computes with whole numbers.
	for (const each of impossible) {
		const link = { ...event, ...each, payload };
		await assert.rejects(
			takeByHand(mal, nextEvent(head.hash, link)),
			/that is none|not what was shipped/,
			inspect(each),
		);
	}
	// An earlier version of the server took them.
	await using root = await server.connect("postgres", "impossible");
	await root.query("ALTER TABLE weft.event DISABLE TRIGGER USER");
	let hash: Uint8Array = head.hash;
	const taken = [
		{ ts: 8.64e15 + 2 },
		{ type: "" },
		{ payload: "[1]" },
		{ payload: '"word"' },
		{ payload: '{"text":7}' },
	];
	for (const [at, each] of taken.entries()) {
		const link = { ...event, id: randomUUID(), payload, ...each, n: head.n + 1 + at, seq: head.seq + 1 + at };
		const forged = nextEvent(hash, link);
		hash = forged.hash;
		await takeByHand(mal, forged);
	}
	await root.query("ALTER TABLE weft.event ENABLE TRIGGER USER");
	await root.query("UPDATE weft.stream SET n = $2, seq = $3, hash = $4 WHERE log = $1", [
		log,
		head.n + taken.length,
		"9223372036854775807",
		hash,
	]);
	await mal.query("INSERT INTO weft.continued (project, log, session, origin) VALUES ($1, $2, 's-both', $3)", [
		PROJECT,
		log,
		honest.log.options.origin,
	]);
	assert.equal((await readNewest(ann, { project: PROJECT, limit: 50 })).at(-1)?.entry, "b");
	const { hits } = await grepFleet(ann, { project: PROJECT, text: "word", limit: 50 }, searchable);
	assert.ok(hits.some(({ snippet }) => snippet.includes("one")));
	const logs = await findFleetSession(ann, "s-both", { project: PROJECT });
	const fetched = await fetchSession(ann, reader.log, logs);
	assert.deepEqual([fetched.added, fetched.malformed], [fetched.events - taken.length, taken.length]);
	const ended = new AbortController();
	const seen: string[] = [];
	for await (const news of followFleet(
		ann,
		{ project: PROJECT, limit: 1 },
		{ signal: ended.signal, notify: () => {} },
	)) {
		seen.push(...news.map(({ entry }) => entry ?? ""));
		if (seen.includes("c")) ended.abort();
		else {
			honest.say("s-both", "c", "word four");
			await using shipping = await server.connect("ann", "impossible");
			await honest.ship(shipping, PROJECT);
		}
	}
	assert.ok(seen.includes("c"));
});
