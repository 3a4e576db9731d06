/** What a reader of a log may rely on, whichever store it reads: SQLite here, PostgreSQL on the fleet's server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FleetConnection } from "../../src/fleet/connection.ts";
import { readFleet } from "../../src/fleet/read-events.ts";
import type { EventRecord, NewEvent } from "../../src/log/event/types.ts";
import type { ReadQuery } from "../../src/log/types.ts";
import { Machine } from "./machine.ts";
import { TestServer } from "./server.ts";

const PROJECT = "github.com/acme/store";

interface Store {
	read(query?: ReadQuery): Promise<EventRecord[]>;
}

let server: TestServer;
let connection: FleetConnection;
let machine: Machine;
const stores: Record<string, Store> = {};

function* given(): Generator<NewEvent> {
	for (let n = 0; n < 700; n++) {
		const base = { session: `s${n % 3}`, host: n % 2 === 0 ? "pi" : "cli", ts: 1_000 + (n % 50) };
		if (n % 7 === 0) {
			const raw = `{"type":"message","id":"m${n}","n":1.0,"message":{"role":"user","content":"word ${n} \\ud83c\\udf89 \\u0000"}}`;
			yield { ...base, type: "Message", entry: `m${n}`, raw, payload: { role: "user", form: "pi" } };
		} else if (n % 5 === 0) {
			const path = n % 10 === 0 ? "src/a.ts" : `src/deep/${n}.ts`;
			yield {
				...base,
				type: "FileRead",
				payload: { path, from: 1, to: null, sliceHash: "x", tool: "read", callId: `c${n}` },
			};
		} else if (n % 11 === 0) yield { ...base, type: "FromTheFuture", v: 9, payload: { any: [n] } };
		else
			yield {
				...base,
				type: "Custom",
				cause: Math.max(1, n - 3),
				payload: { name: "n", data: { n, text: "\t\\N\n" }, tool: "t" },
			};
	}
}

before(async () => {
	server = await TestServer.start();
	await server.fleet("store", { ann: "red" });
	connection = await server.connect("ann", "store");
	machine = new Machine("store");
	machine.log.append([...given()]);
	await machine.ship(connection, PROJECT, machine.exact());
	stores["SQLite"] = { read: async (query) => [...machine.log.read(query)] };
	stores["PostgreSQL"] = {
		read: async (query) => {
			const records: EventRecord[] = [];
			for await (const record of readFleet(connection, { ...query, project: PROJECT })) {
				const { seq, id, origin, session, host, ts, type, v, cause, entry, payload } = record;
				records.push({ seq, id, origin, session, host, ts, type, v, cause, entry, payload });
			}
			return records;
		},
	};
});
after(async () => {
	await connection.close();
	machine[Symbol.dispose]();
	server.stop();
});

const QUERIES: Readonly<Record<string, ReadQuery>> = {
	"everything, in order": {},
	"also what nobody can take at its word": { everything: true },
	"after an event and up to another": { after: 100, upTo: 400 },
	"one session": { session: "s1" },
	"some types": { types: ["Message", "FileRead"] },
	"a time, its end not included": { since: 1_010, until: 1_020 },
	"a file": { file: "src/a.ts" },
	"a folder": { file: "src/deep/" },
	"a tool": { tool: "read" },
	"a host, newest first, at most so many": { host: "cli", order: "newest", limit: 17 },
	"all conditions at once": {
		session: "s0",
		types: ["Custom"],
		after: 10,
		since: 1_001,
		tool: "t",
		host: "pi",
		limit: 5,
	},
	nothing: { session: "nobody" },
};

for (const name of ["SQLite", "PostgreSQL"]) {
	test(`${name}: events come in the order of their log, each once, none changed`, async () => {
		const records = await stores[name]!.read();
		const seqs = records.map(({ seq }) => seq);
		assert.deepEqual(
			seqs,
			[...new Set(seqs)].toSorted((a, b) => a - b),
		);
		assert.equal(records.length, 700);
		const message = records.find(({ type }) => type === "Message")!;
		assert.equal((message.payload["raw"] as { message: { content: string } }).message.content, "word 0 🎉 \u0000");
	});

	test(`${name}: a query gives what the conditions say, and all of it`, async () => {
		const store = stores[name]!;
		const all = await store.read();
		const only = async (query: ReadQuery, keep: (record: EventRecord) => boolean) =>
			assert.deepEqual(await store.read(query), all.filter(keep), JSON.stringify(query));
		await only({ session: "s2" }, ({ session }) => session === "s2");
		await only({ since: 1_005, until: 1_006 }, ({ ts }) => ts === 1_005);
		await only({ file: "src/" }, ({ payload }) => String(payload["path"]).startsWith("src/"));
		await only({ types: ["Custom"], after: 650 }, ({ type, seq }) => type === "Custom" && seq > 650);
	});
}

test("both stores answer every query alike", async () => {
	for (const [name, query] of Object.entries(QUERIES)) {
		const [here, there] = [await stores["SQLite"]!.read(query), await stores["PostgreSQL"]!.read(query)];
		assert.deepEqual(
			there,
			here.map(({ seq, id, origin, session, host, ts, type, v, cause, entry, payload }) => ({
				seq,
				id,
				origin,
				session,
				host,
				ts,
				type,
				v,
				cause,
				entry,
				payload,
			})),
			name,
		);
	}
});
