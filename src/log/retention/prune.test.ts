import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { sessionFold } from "../../state/session/session-fold.ts";
import { databaseOf } from "../database.ts";
import type { EventRecord, NewEvent } from "../event/types.ts";
import { TableFolds } from "../fold/table-folds.ts";
import { Log } from "../log.ts";
import { verify } from "../repair/verify.ts";
import { inflate } from "../store/compress.ts";
import { archiveLines, writeArchive } from "./archive.ts";
import { prune } from "./prune.ts";
import { restoreArchive } from "./restore.ts";

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;
const root = temporaryFolder();
const WHOLE = { lost: 0, malformed: [], malformedCount: 0, problems: [] };

let folders = 0;
let clock = NOW;
function openLog(folder = join(root, `log-${++folders}`)): Log {
	return new Log({ folder, origin: "here", now: () => clock, projection: () => new TableFolds([sessionFold]) });
}

/** Forty old turns and ten of today: a message, a call and its result each; every fifth result has a blob. */
function fill(log: Log): void {
	for (let n = 0; n < 50; n++) {
		const ts = n < 40 ? NOW - 30 * DAY_MS + n : NOW - 50 + n;
		clock = ts;
		const base = { session: "s", host: "pi", ts };
		const call = { tool: "bash", callId: `c${n}` };
		const blob = n % 5 === 0 ? { blob: log.putBlob(Buffer.from(`whole output ${n}\n`.repeat(50))) } : {};
		log.append([
			{ ...base, type: "Message", entry: `m${n}`, payload: { role: "user", form: "pi" }, raw: `{"n":${n}}` },
			{
				...base,
				type: "ToolCalled",
				entry: `m${n}/c`,
				cause: { message: `m${n}` },
				payload: { ...call, input: { n } },
			},
			{
				...base,
				type: "ToolResult",
				entry: `m${n}/c`,
				payload: { ...call, status: "ok", chars: 9, lines: 1, ...blob },
			},
		] as NewEvent[]);
	}
	clock = NOW;
	log.settle({ all: true });
}

const NOTHING = { restored: 0, appended: 0, known: 0, refused: 0, refusals: [] };

function types(log: Log): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { type } of log.read()) counts[type] = (counts[type] ?? 0) + 1;
	return counts;
}

test("case 77: a prune is a dry run until it is told otherwise", async () => {
	using log = openLog();
	fill(log);
	const report = await prune(log, { now: NOW, minEvents: 0, apply: false });
	assert.deepEqual(report, {
		events: 80,
		byType: { ToolCalled: 40, ToolResult: 40 },
		bytes: report.bytes,
		kept: 70,
		applied: false,
	});
	assert.equal(log.count(), 150);
});

test("old tool events leave for an archive; messages stay; the chain goes on and verifies", async () => {
	using log = openLog();
	fill(log);
	const before = [...log.read()];
	const report = await prune(log, { now: NOW, minEvents: 0, apply: true });
	assert.deepEqual(types(log), { Message: 50, ToolCalled: 10, ToolResult: 10, Pruned: 1 });
	assert.deepEqual(
		[...log.read({ types: ["Message"] })],
		before.filter((record) => record.type === "Message"),
	);
	log.append([{ type: "Custom", session: "s", host: "pi", ts: NOW, payload: { name: "after" } }]);
	assert.deepEqual(verify(log), { ...WHOLE, events: 72, blobs: 2, pruned: 80 });
	const lines = readFileSync(report.archive!, "utf8").trimEnd().split("\n");
	assert.equal(lines.length, 1 + 80 + 8);
	assert.equal(statSync(report.archive!).mode & 0o777, 0o600);
});

test("the floor holds: the log never gets smaller than the least number of events", async () => {
	using log = openLog();
	fill(log);
	const report = await prune(log, { now: NOW, minEvents: 140, apply: true });
	assert.deepEqual([report.events, report.kept], [10, 140]);
	const again = await prune(log, { now: NOW, apply: true });
	assert.equal(again.events, 0);
	assert.deepEqual(verify(log).problems, []);
});

test("an archive read back in puts every event where it was, byte for byte", async () => {
	using log = openLog();
	fill(log);
	const before = [...log.readStored()];
	const { archive } = await prune(log, { now: NOW, minEvents: 0, gzip: true, vacuum: true, apply: true });
	assert.ok(gunzipSync(readFileSync(archive!)).length > 0);
	assert.deepEqual(await restoreArchive(log, archive!), { ...NOTHING, restored: 80 });
	assert.deepEqual([...log.readStored({ upTo: 150 })], before);
	assert.equal(log.getBlob(log.get(3)!.payload["blob"] as string)?.toString(), "whole output 0\n".repeat(50));
	assert.deepEqual(verify(log), { ...WHOLE, events: 151, blobs: 10, pruned: 0 });
	assert.deepEqual(await restoreArchive(log, archive!), { ...NOTHING, known: 80 });

	assert.equal((await prune(log, { now: NOW + DAY_MS, minEvents: 0, apply: true })).events, 0);
	const second = await prune(log, { now: NOW + 8 * DAY_MS, minEvents: 0, apply: true });
	assert.equal(second.events, 100);
	assert.notEqual(second.archive, archive);
	assert.deepEqual(verify(log).problems, []);
});

test("pruning step by step keeps the chain whole at every step", async () => {
	using log = openLog();
	fill(log);
	for (const minEvents of [140, 130, 100, 0]) {
		await prune(log, { now: NOW, minEvents, apply: true });
		assert.deepEqual(verify(log).problems, []);
	}
});

test("an export of one log can be read into another: same ids, own places", async () => {
	using log = openLog();
	fill(log);
	const path = join(root, "export.jsonl");
	await writeArchive(path, archiveLines(log, log.readStored()), { gzip: false });
	using other = openLog();
	other.append([{ type: "Custom", session: "own", host: "x", ts: 1, payload: { name: "mine" } }]);
	assert.deepEqual(await restoreArchive(other, path), { ...NOTHING, appended: 150 });
	assert.deepEqual(await restoreArchive(other, path), { ...NOTHING, known: 150 });
	const strip = ({ seq: _, cause: __, ...rest }: EventRecord) => rest;
	assert.deepEqual([...other.read({ after: 1 })].map(strip), [...log.read()].map(strip));
	assert.equal(other.rawText(2), '{"n":0}');
	assert.deepEqual(verify(other).problems, []);
});

test("a record that its host wrote over several lines is one line of an archive, and comes back as it was", async () => {
	using log = openLog();
	const raw = '{\n  "version": 1,\r\n  "text": ",\\"payload\\":"\n}';
	log.append([
		{ type: "Entry", session: "s", host: "cline", ts: 1, entry: "e", payload: { kind: "file" }, raw },
		{ type: "Custom", session: "s", host: "cline", ts: 2, payload: { name: "after" } },
	]);
	const path = join(root, "several-lines.jsonl");
	await writeArchive(path, archiveLines(log, log.readStored()), { gzip: false });
	assert.equal(readFileSync(path, "utf8").trim().split(/\r?\n/).length, 3);
	using other = openLog();
	assert.equal((await restoreArchive(other, path)).appended, 2);
	assert.equal(other.rawText(1), raw);
	assert.deepEqual(verify(other).problems, []);
});

test("a file that is no archive, and a damaged line, are said so", async () => {
	using log = openLog();
	const path = join(root, "not-an-archive.jsonl");
	writeFileSync(path, '{"type":"session"}\n');
	await assert.rejects(
		restoreArchive(log, path),
		(error) => error instanceof EngineError && error.code === "unknown-format",
	);
	writeFileSync(path, '{"type":"weft-archive","version":1}\n{"seq":1\n');
	await assert.rejects(restoreArchive(log, path), /:2 is not a line of an archive/);
	assert.equal(log.count(), 0);
});

test("an archive is never written over a file that is there", async () => {
	using log = openLog();
	fill(log);
	const archive = join(root, "mine.txt");
	writeFileSync(archive, "precious");
	await assert.rejects(prune(log, { now: NOW, minEvents: 0, archive, apply: true }), /already exists/);
	assert.equal(readFileSync(archive, "utf8"), "precious");
	assert.equal(log.count(), 150);
});

test("verify finds a changed payload, a changed field, a missing event, a bent gap, a broken blob and a foreign state", async () => {
	const broken: [string, string, RegExp][] = [
		["payload", `UPDATE event SET payload = '{"name":"forged"}' WHERE seq = 152`, /event 152 is not what was written/],
		["time", "UPDATE event SET ts = ts + 1 WHERE seq = 10", /event 10 is not what was written/],
		["event", "DELETE FROM event WHERE seq = 145", /events 145 to 145 are missing/],
		["gap", "UPDATE gap SET hash = zeroblob(32) WHERE seq = 3", /event 4 is not what|the gaps that event 151/],
		["blob", "UPDATE blob SET data = zeroblob(5)", /blob [0-9a-f]{64} is damaged/],
		["pack", "UPDATE pack SET data = zeroblob(5)", /cannot be read/],
		["state", "UPDATE session_state SET messages = 7", /the state differs from the log/],
	];
	for (const [what, sql, expected] of broken) {
		using log = openLog();
		fill(log);
		await prune(log, { now: NOW, minEvents: 0, apply: true });
		log.append([{ type: "Custom", session: "s", host: "pi", ts: NOW, payload: { name: "real" } }]);
		assert.deepEqual(verify(log).problems, [], what);
		databaseOf(log).exec(sql);
		assert.match(verify(log).problems.join("\n"), expected, what);
	}
});

test("what was pruned is gone from the packs, too", async () => {
	using log = openLog();
	fill(log);
	const isPacked = (text: string) => {
		const rows = databaseOf(log).prepare("SELECT data, size FROM pack").all() as { data: Uint8Array; size: number }[];
		return rows.some(({ data, size }) => inflate(data, size).bytes.includes(text));
	};
	assert.equal(isPacked('"callId":"c7"'), true);
	await prune(log, { now: NOW, minEvents: 0, apply: true });
	assert.deepEqual([isPacked('"callId":"c7"'), isPacked('"callId":"c45"')], [false, true]);
	assert.deepEqual(verify(log).problems, []);
});
