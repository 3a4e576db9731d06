import assert from "node:assert/strict";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { EngineError } from "../base/error/engine-error.ts";
import { databaseOf } from "./database.ts";
import type { EventRecord, NewEvent } from "./event/types.ts";
import { Log } from "./log.ts";
import { verify } from "./repair/verify.ts";
import type { LogOptions } from "./types.ts";

const root = temporaryFolder();

let folders = 0;
function openLog(options: Partial<LogOptions> = {}): Log {
	return new Log({ folder: join(root, `log-${++folders}`), origin: "here", ...options });
}

function custom(name: string, more: Partial<NewEvent> = {}): NewEvent {
	return { type: "Custom", session: "s", host: "test", ts: 1_000, payload: { name }, ...more } as NewEvent;
}

function message(entry: string, raw: string): NewEvent {
	return { type: "Message", session: "s", host: "pi", ts: 1, entry, payload: { role: "user", form: "pi" }, raw };
}

function codeOf(work: () => unknown): string {
	try {
		work();
	} catch (error) {
		assert.ok(error instanceof EngineError, String(error));
		return error.code;
	}
	assert.fail("nothing was thrown");
}

test("gives events back as they came, in order, with seq, id, origin and time", () => {
	using log = openLog();
	const result = log.append([custom("a"), custom("b", { v: 3, cause: 1, entry: "x" })]);
	assert.deepEqual(result, { seqs: [1, 2], added: 2 });
	const [a, b] = [...log.read({ everything: true })] as [EventRecord, EventRecord];
	assert.deepEqual([...log.read()], [a], "nobody reads a newer version of a known type by mistake");
	const { id, ...rest } = b;
	assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
	assert.ok(a.id < b.id);
	assert.deepEqual(rest, {
		seq: 2,
		origin: "here",
		session: "s",
		host: "test",
		ts: 1_000,
		type: "Custom",
		v: 3,
		cause: 1,
		entry: "x",
		payload: { name: "b" },
	});
	assert.deepEqual(log.get(b.id), b);
	assert.deepEqual(log.get(b.id.slice(0, 20)) === undefined, false);
	assert.equal(log.get("no such id"), undefined);
});

test("any JSON payload comes out equal, plain, packed or as a blob", () => {
	using log = openLog();
	const payload = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" }));
	fc.assert(
		fc.property(fc.array(payload, { minLength: 1, maxLength: 40 }), fc.boolean(), (payloads, settle) => {
			const events = payloads.map((data, n) => custom(`${n}`, { payload: { name: "p", data } }));
			const { seqs } = log.append(events);
			if (settle) log.settle({ all: true });
			const back = seqs.map((seq) => log.get(seq)?.payload);
			assert.deepEqual(back, JSON.parse(JSON.stringify(events.map((event) => event.payload))));
		}),
		{ numRuns: 60 },
	);
	assert.deepEqual(verify(log).problems, []);
});

test("a host's entry comes back byte for byte: key order, number spelling, escapes, unknown fields", () => {
	using log = openLog();
	const raws = [
		'{"z":1,"10":"ten","2":"two","n":1.0,"e":1e3,"big":12345678901234567890}',
		'{"text":"\\ud800 lone, \\u0000 nul, \\/ slash, é \\u00e9","__proto__":{"a":1},"constructor":null}',
		`{"image":"${"A".repeat(1_500_000)}"}`,
		'{"raw":{"raw":",\\"raw\\":"}}',
	];
	const { seqs } = log.append(raws.map((raw, n) => message(`m${n}`, raw)));
	assert.deepEqual(
		seqs.map((seq) => log.rawText(seq)),
		raws,
	);
	log.settle({ all: true });
	assert.deepEqual(
		seqs.map((seq) => log.rawText(seq)),
		raws,
	);
	assert.deepEqual(Object.keys((log.get(seqs[1]!)!.payload as { raw: object }).raw), [
		"text",
		"__proto__",
		"constructor",
	]);
});

test("a payload over a megabyte lies in a blob, stored once; the row stays small", () => {
	using log = openLog();
	const raw = JSON.stringify({ text: "long ".repeat(300_000) });
	log.append([message("a", raw), message("b", raw)]);
	const rows = databaseOf(log).prepare("SELECT length(payload) AS n, typeof(payload) AS kind FROM event").all();
	assert.deepEqual(
		rows.map((row) => ({ ...row })),
		[
			{ n: 32, kind: "blob" },
			{ n: 32, kind: "blob" },
		],
	);
	assert.equal((databaseOf(log).prepare("SELECT count(*) AS n FROM blob").get() as { n: number }).n, 1);
	assert.equal(log.rawText(2), raw);
});

test("bytes put as a blob come back the same, and are stored once", () => {
	using log = openLog();
	const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, n) => n % 251));
	const key = log.putBlob(bytes);
	assert.equal(log.putBlob(bytes), key);
	assert.deepEqual(log.getBlob(key), bytes);
	assert.equal(log.getBlob("00".repeat(32)), undefined);
	assert.equal(log.getBlob("nonsense"), undefined);
});

test("case 31: the same host entry twice is one event, also within one batch", () => {
	using log = openLog();
	assert.deepEqual(log.append([custom("a", { entry: "e" }), custom("a", { entry: "e" })]), { seqs: [1, 1], added: 1 });
	assert.deepEqual(log.append([custom("again", { entry: "e" })]), { seqs: [1], added: 0 });
	assert.equal(log.count(), 1);
});

test("cases 32, 33, 36: results that look alike but have ids of their own never collapse into one", () => {
	using log = openLog();
	const text = "x".repeat(300);
	const { added } = log.append([
		message("m1/call-1", JSON.stringify({ text: `${text}a` })),
		message("m1/call-2", JSON.stringify({ text: `${text}b` })),
		message("m2/call-1", JSON.stringify({ text: `${text}a` })),
		custom("same"),
		custom("same"),
		{ ...message("m1/call-1", "{}"), session: "fork" },
	]);
	assert.equal(added, 6);
});

test("a cause given as a message's entry becomes that message's seq, in the batch or from before", () => {
	using log = openLog();
	log.append([custom("first"), message("m", "{}")]);
	log.append([
		custom("old", { host: "pi", cause: { message: "m" } }),
		message("n", "{}"),
		custom("new", { host: "pi", cause: { message: "n" } }),
		custom("none", { host: "pi", cause: { message: "nobody" } }),
	]);
	assert.deepEqual(
		[...log.read()].map((record) => record.cause),
		[null, null, 2, null, 4, null],
	);
});

test("an unknown event type and a newer version are kept as they are", () => {
	using log = openLog();
	log.append([{ type: "FromTheFuture", session: "s", host: "x", ts: 5, v: 9, payload: { a: [1] } }]);
	const [record] = [...log.read({ types: ["FromTheFuture"] })];
	assert.deepEqual([record?.v, record?.payload], [9, { a: [1] }]);
});

test("a bad event is refused with its reason, and nothing of its batch is written", () => {
	using log = openLog();
	for (const bad of [
		{ type: "" },
		{ session: "" },
		{ ts: Number.NaN },
		{ v: 1.5 },
		{ payload: null },
		{ payload: [] },
		{ payload: { a: 1n } },
	]) {
		assert.equal(
			codeOf(() => log.append([custom("fine"), { ...custom("bad"), ...bad } as unknown as NewEvent])),
			"bad-event",
		);
	}
	assert.equal(log.count(), 0);
});

test("reads by seq, session, type, time, file, folder, tool, host, newest first and limited", () => {
	using log = openLog();
	const read = (path: string, more: Partial<NewEvent> = {}): NewEvent =>
		({
			...custom("x"),
			type: "FileRead",
			payload: { path, tool: "read", callId: "c", from: 1, to: 2, sliceHash: "0" },
			...more,
		}) as unknown as NewEvent;
	log.append([
		read("src/a.ts", { ts: 10 }),
		read("src/b.ts", { ts: 20, session: "t" }),
		read("lib/c.ts", { ts: 30 }),
		custom("d", { ts: 40, host: "pi" }),
		read("src0/e.ts", { ts: 50 }),
	]);
	const seqs = (query: Parameters<Log["read"]>[0]) => [...log.read(query)].map((record) => record.seq);
	assert.deepEqual(seqs({}), [1, 2, 3, 4, 5]);
	assert.deepEqual(seqs({ after: 2, upTo: 4 }), [3, 4]);
	assert.deepEqual(seqs({ session: "t" }), [2]);
	assert.deepEqual(seqs({ types: ["Custom", "Nothing"] }), [4]);
	assert.deepEqual(seqs({ since: 20, until: 40 }), [2, 3]);
	assert.deepEqual(seqs({ file: "src/b.ts" }), [2]);
	assert.deepEqual(seqs({ file: "src/" }), [1, 2]);
	assert.deepEqual(seqs({ tool: "read" }), [1, 2, 3, 5]);
	assert.deepEqual(seqs({ host: "pi" }), [4]);
	assert.deepEqual(seqs({ order: "newest", limit: 2 }), [5, 4]);
	assert.deepEqual(seqs({ session: "nobody" }), []);
	assert.deepEqual(seqs({ file: "nowhere/x" }), []);
});

test("at(seq) is the log as it was then", () => {
	using log = openLog();
	log.append([custom("a"), custom("b"), custom("c")]);
	const then = log.at(2);
	assert.deepEqual(
		[...then.read()].map((record) => record.seq),
		[1, 2],
	);
	assert.equal(then.get(3), undefined);
	assert.equal(then.get(2)?.seq, 2);
});

test("reading many events in steps loses none and repeats none", () => {
	using log = openLog();
	log.append(Array.from({ length: 1_001 }, (_, n) => custom(`${n}`)));
	assert.equal([...log.read()].length, 1_001);
	assert.equal(new Set([...log.read({ order: "newest" })].map((record) => record.seq)).size, 1_001);
});

test("rolls back the events when a fold fails", () => {
	let fail = false;
	using log = openLog({
		projection: () => ({
			attach() {},
			rebuild() {},
			pruned() {},
			catchUp() {},
			*dump() {},
			*parts() {},
			apply() {
				if (fail) throw new Error("the fold broke");
			},
		}),
	});
	log.append([custom("a")]);
	fail = true;
	assert.throws(() => log.append([custom("b", { session: "brand new" })]), /the fold broke/);
	fail = false;
	assert.equal(log.count(), 1);
	log.append([custom("c", { session: "brand new" })]);
	assert.deepEqual(
		[...log.read()].map((record) => [record.seq, record.session]),
		[
			[1, "s"],
			[2, "brand new"],
		],
	);
	assert.deepEqual(verify(log).problems, []);
});

test("an inner transaction that fails takes back its own work only", () => {
	using log = openLog();
	log.transaction(() => {
		log.append([custom("kept")]);
		assert.throws(
			() =>
				log.transaction(() => {
					log.append([custom("lost")]);
					throw new Error("inner");
				}),
			/inner/,
		);
		log.append([custom("kept too")]);
	});
	assert.deepEqual(
		[...log.read()].map((record) => record.payload["name"]),
		["kept", "kept too"],
	);
	assert.deepEqual(verify(log).problems, []);
});

test("an async function in a transaction is refused, and nothing of it stays", async () => {
	using log = openLog();
	const work = async () => {
		log.append([custom("too early")]);
	};
	assert.equal(
		codeOf(() => log.transaction(work)),
		"async-transaction",
	);
	assert.equal(log.count(), 0);
});

test("case 41: a transaction that throws leaves no lock behind, ten times over", () => {
	const folder = join(root, "shared");
	const logs = Array.from({ length: 10 }, () => openLog({ folder }));
	for (const [n, log] of logs.entries()) {
		assert.throws(() =>
			log.transaction(() => {
				log.append([custom("lost")]);
				throw new Error("out");
			}),
		);
		log.append([custom(`${n}`)]);
	}
	assert.equal(logs[0]!.count(), 10);
	assert.deepEqual(verify(logs[9]!).problems, []);
	for (const log of logs) log.close();
});

test("case 40: a closed log says so, and closing again does nothing", () => {
	const log = openLog();
	log.close();
	log.close();
	for (const use of [
		() => log.append([custom("x")]),
		() => log.read(),
		() => log.get(1),
		() => log.putBlob(Buffer.of(1)),
	]) {
		assert.equal(codeOf(use), "closed");
	}
});

test("folder and files are for their owner alone, and the WAL is empty after close", () => {
	const log = openLog();
	log.append([custom("x")]);
	const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
	assert.equal(mode(log.folder), "700");
	assert.deepEqual([mode(log.path), mode(`${log.path}-wal`)], ["600", "600"]);
	log.close();
	assert.equal(statSync(`${log.path}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0);
});

test("case 84: the busy timeout holds before the first statement, foreign keys are on, the journal is a WAL", () => {
	using log = openLog();
	const pragma = (name: string) => Object.values(databaseOf(log).prepare(`PRAGMA ${name}`).get() as object)[0];
	assert.deepEqual(
		[pragma("busy_timeout"), pragma("foreign_keys"), pragma("journal_mode"), pragma("synchronous")],
		[1_000, 1, "wal", 1],
	);
});

test("tail gives what is there, then what other connections append, and ends on abort", async () => {
	using log = openLog();
	using other = openLog({ folder: log.folder });
	log.append([custom("a")]);
	const stop = new AbortController();
	const seen: unknown[] = [];
	const reading = (async () => {
		for await (const record of log.tail({ after: 0, signal: stop.signal })) {
			seen.push(record.payload["name"]);
			if (seen.length === 3) stop.abort();
		}
	})();
	await new Promise((resolve) => setTimeout(resolve, 50));
	other.append([custom("b")]);
	await new Promise((resolve) => setTimeout(resolve, 50));
	other.append([custom("c")]);
	await reading;
	assert.deepEqual(seen, ["a", "b", "c"]);
});

test("ids rise when the clock is put back by days, and do not follow one from elsewhere that is far ahead", () => {
	const DAY_MS = 86_400_000;
	let now = 100 * DAY_MS;
	using log = openLog({ now: () => now });
	for (const at of [100, 98, 60, 101]) {
		now = at * DAY_MS;
		log.append([custom("a"), custom("b")]);
	}
	const ids = [...log.read()].map(({ id }) => id);
	assert.deepEqual(ids, ids.toSorted());
	assert.equal(log.get(ids[3]!)?.seq, 4);
	log.append([{ ...custom("far"), id: "0f0f0f0f-0f0f-7f0f-8f0f-0f0f0f0f0f0f" }]);
	log.append([custom("ours")]);
	const [ours] = [...log.read({ order: "newest", limit: 1 })];
	assert.ok(ours!.id > ids.at(-1)! && ours!.id < "0f0f", ours!.id);
	now = 90 * DAY_MS;
	log.append([custom("back")]);
	assert.ok(log.get(log.newestSeq())!.id > ours!.id);
});

test("a data folder that is deleted or replaced under an open log is noticed at the next append, and closing does no harm", () => {
	const log = openLog();
	log.append([custom("a")]);
	rmSync(log.folder, { recursive: true });
	// Appends within five milliseconds look once.
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
	assert.equal(
		codeOf(() => log.append([custom("b")])),
		"deleted",
	);
	using fresh = openLog({ folder: log.folder });
	assert.equal(
		codeOf(() => log.append([custom("b")])),
		"deleted",
		"the new file is not the one that is open",
	);
	fresh.append([custom("c")]);
	log.close();
	assert.deepEqual(
		[...fresh.read()].map(({ payload }) => payload["name"]),
		["c"],
	);
});

test("payloads are packed although each process that writes them is short-lived", () => {
	const folder = join(root, "short-lived");
	for (let nth = 0; nth < 40; nth++) {
		using log = new Log({ folder, origin: "here" });
		log.append([message(`m${nth}`, JSON.stringify({ role: "user", content: `${nth} `.repeat(5_000) }))]);
	}
	using log = new Log({ folder, origin: "here" });
	const [{ packed }] = databaseOf(log)
		.prepare("SELECT count(*) AS packed FROM event WHERE typeof(payload) <> 'text'")
		.all() as [{ packed: number }];
	assert.ok(packed > 20, `${packed} of 40`);
	assert.equal([...log.read()].length, 40);
	assert.deepEqual(verify(log).problems, []);
});
