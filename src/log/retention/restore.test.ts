import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { takeLease } from "../../base/sqlite/lease.ts";
import type { NewEvent } from "../event/types.ts";
import { Log } from "../log.ts";
import type { StoredRecord } from "../read.ts";
import { verify } from "../repair/verify.ts";
import { chainHash } from "../store/chain.ts";
import { archiveLines, leasePath, writeArchive } from "./archive.ts";
import { removeOrphans } from "./orphan-archives.ts";
import { prune } from "./prune.ts";
import { restoreArchive } from "./restore.ts";

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;
const root = temporaryFolder();

const VERDICT = { verdict: "warn", rule: "edit", mode: "report", reason: "", tool: "edit", callId: "c" } as const;
const WHOLE = { lost: 0, malformed: [], malformedCount: 0, problems: [] };
let files = 0;
let clock = NOW;
const fresh = (name: string): string => join(root, `${++files}-${name}`);
const openLog = (folder = fresh("log")): Log => new Log({ folder, origin: "here", now: () => clock });

/** Ten turns of a month ago: a message, a command and a verdict each; the third command has a blob. */
function fill(log: Log): void {
	clock = NOW - 30 * DAY_MS;
	for (let n = 1; n <= 10; n++) {
		const base = { session: "s", host: "pi", ts: clock++ };
		const blob = n === 3 ? { blob: log.putBlob(Buffer.from("the whole output\n".repeat(90))) } : {};
		const run = { command: `make ${n}`, exit: 0, chars: 1, lines: 1, by: "agent", tool: "bash", callId: `c${n}` };
		log.append([
			{ ...base, type: "Message", entry: `m${n}`, payload: { role: "user", form: "pi" }, raw: `{"n":${n}}` },
			{ ...base, type: "CommandRun", entry: `m${n}/c`, payload: { ...run, ...blob } },
			{ ...base, type: "Verdict", entry: `v${n}`, payload: { ...VERDICT, reason: `turn ${n}` } },
		] as NewEvent[]);
	}
	clock = NOW;
}

async function pruned(options: { readonly gzip?: boolean } = {}): Promise<{ log: Log; archive: string }> {
	const log = openLog();
	fill(log);
	const { archive } = await prune(log, { now: NOW, minEvents: 0, apply: true, ...options });
	return { log, archive: archive! };
}

/** A copy of an archive in which one thing is not as it was. */
function changed(archive: string, change: (lines: string[]) => void): string {
	const lines = readFileSync(archive, "utf8").split("\n");
	change(lines);
	const path = fresh("changed.jsonl");
	writeFileSync(path, lines.join("\n"));
	return path;
}

test("one changed digit: that stretch is refused by name, the others come back, and the true archive heals it", async () => {
	for (const [what, from, to] of [
		["payload", "make 5", "make 6"],
		["time", /("entry":"m5\/c")/, '$1,"x":1'],
		["exit", /(make 5.*"exit":)0/, "$11"],
		["id", /("seq":14,"id":"..)./, "$1f"],
	] as const) {
		const { log, archive } = await pruned();
		const before = log.count();
		const path = changed(archive, (lines) => {
			const at = lines.findIndex((line) => line.includes('"m5/c"'));
			lines[at] =
				what === "time"
					? lines[at]!.replace(/"ts":(\d+)/, (_, ts) => `"ts":${Number(ts) + 1}`)
					: lines[at]!.replace(from, to);
		});
		const report = await restoreArchive(log, path);
		assert.deepEqual(
			[report.restored, report.appended, report.refused, report.refusals.length],
			[18, 0, 2, 1],
			`${what}: ${JSON.stringify(report)}`,
		);
		assert.equal(report.refusals[0]!.what, "event 14 (CommandRun)");
		assert.match(report.refusals[0]!.reason, /not what was pruned/);
		assert.deepEqual(verify(log), { events: before + 18, blobs: 1, pruned: 2, ...WHOLE });
		assert.deepEqual(await restoreArchive(log, archive), {
			restored: 2,
			appended: 0,
			known: 18,
			refused: 0,
			refusals: [],
		});
		assert.deepEqual(verify(log), { events: 31, blobs: 1, pruned: 0, ...WHOLE });
		log.close();
	}
});

test("a forgery that is consistent in itself is refused, whatever its head says, and leaves no trace", async () => {
	const { log, archive } = await pruned();
	const forged = (head: string | undefined) =>
		changed(archive, (lines) => {
			if (head !== undefined) lines[0] = head;
			const first = lines.findIndex((line) => line.includes('"m5/c"'));
			let before = log.hashAt(13)!;
			for (const at of [first, first + 1]) {
				const { payload, hash: _, ...fields } = JSON.parse(lines[at]!) as StoredRecord & { payload: { rule?: string } };
				const text = JSON.stringify({ ...payload, rule: "forged" });
				before = chainHash(before, fields, text);
				lines[at] = `${JSON.stringify({ ...fields, hash: before }).slice(0, -1)},"payload":${text}}`;
			}
		});
	for (const head of [
		undefined,
		'{"type":"weft-archive","version":1}',
		'{"type":"weft-archive","version":1,"log":"x"}',
	]) {
		const before = log.count();
		const report = await restoreArchive(log, forged(head));
		assert.deepEqual([report.appended, report.refused], [0, 2]);
		assert.match(report.refusals[0]!.reason, /a forgery/);
		assert.equal(log.count() - before, report.restored);
	}
	assert.equal((await restoreArchive(log, archive)).restored, 2);
	assert.deepEqual(verify(log).problems, []);
	log.close();
});

test("a line that is missing, a blob that was changed and a hash that was changed are refused by name", async () => {
	const { log, archive } = await pruned();
	const gone = changed(archive, (lines) =>
		lines.splice(
			lines.findIndex((line) => line.includes('"v9"')),
			1,
		),
	);
	assert.deepEqual((await restoreArchive(log, gone)).refusals, [
		{ line: 19, what: "event 26 (CommandRun)", events: 1, reason: "event 27, which proves it, is missing in the file" },
	]);
	const other = await pruned();
	const blob = changed(other.archive, (lines) => {
		const at = lines.findIndex((line) => line.startsWith('{"blob"'));
		lines[at] = lines[at]!.replace(/"base64":"./, '"base64":"B');
	});
	const report = await restoreArchive(other.log, blob);
	assert.deepEqual(
		report.refusals.map(({ what, reason }) => [what.split(" ")[0], reason]),
		[
			["blob", "its bytes were changed"],
			["event", "its blob is not in the file as it was"],
		],
	);
	assert.equal(report.refusals[1]?.what, "event 8 (CommandRun)");
	assert.deepEqual(verify(other.log).problems, []);
	log.close();
	other.log.close();
});

test("a pruned log, exported and read into another, verifies there; so does what it pruned, with the archive's events", async () => {
	const { log, archive } = await pruned();
	const path = fresh("export.jsonl");
	await writeArchive(path, archiveLines(log, log.readStored()), { gzip: false });
	using other = openLog();
	assert.deepEqual(await restoreArchive(other, path), {
		restored: 0,
		appended: 11,
		known: 0,
		refused: 0,
		refusals: [],
	});
	assert.deepEqual(verify(other), { events: 11, blobs: 0, pruned: 0, ...WHOLE });
	assert.equal((await restoreArchive(other, archive)).appended, 20);
	assert.deepEqual(verify(other), { events: 31, blobs: 1, pruned: 0, ...WHOLE });
	log.close();
});

test("a cut off archive says so in a sentence, and what came before the cut is back", async () => {
	const { log, archive } = await pruned({ gzip: true });
	truncateSync(archive, readFileSync(archive).length - 40);
	await assert.rejects(restoreArchive(log, archive), {
		code: "damaged",
		message: /is cut off after line \d+: the end is missing/,
	});
	assert.deepEqual(verify(log).problems, []);
	writeFileSync(archive, Buffer.concat([readFileSync(archive).subarray(0, 60), Buffer.alloc(60, 7)]));
	await assert.rejects(restoreArchive(log, archive), { code: "damaged" });
	await assert.rejects(restoreArchive(log, join(root, "nowhere.jsonl")), { code: "not-found" });
	log.close();
});

test("a line with a wrong field, or an event that no log takes, is named, and nothing throws but a sentence", async () => {
	using log = openLog();
	const line = {
		seq: 1,
		id: "01890000-0000-7000-8000-000000000001",
		origin: "o",
		session: "s",
		host: "h",
		ts: 1,
		type: "Custom",
		v: 1,
		cause: null,
		entry: null,
		hash: "0".repeat(64),
		payload: { name: "x" },
	};
	for (const wrong of [{ origin: 5 }, { ts: "1" }, { seq: 0 }, { v: 1.5 }, { entry: {} }, { type: "" }]) {
		const path = fresh("wrong.jsonl");
		writeFileSync(
			path,
			`{"type":"weft-archive","version":1}\n${JSON.stringify({ ...line, ...wrong, payload: line.payload })}\n`,
		);
		await assert.rejects(restoreArchive(log, path), { code: "damaged" });
	}
	const path = fresh("bad.jsonl");
	const lines = [line, { ...line, id: line.id.replace(/1$/, "2"), ts: 8.64e15 + 1 }];
	writeFileSync(
		path,
		['{"type":"weft-archive","version":1}', ...lines.map((one) => JSON.stringify(one)), ""].join("\n"),
	);
	const report = await restoreArchive(log, path);
	assert.deepEqual([report.appended, report.refused, report.refusals[0]?.line], [1, 1, 3]);
	assert.deepEqual(verify(log).problems, []);
});

test("an event is old by when it entered this log: imported, restored and fetched ones are young", async () => {
	using log = openLog();
	const old = { session: "s", host: "pi", ts: NOW - 300 * DAY_MS, type: "Verdict" } as const;
	const payload = { ...VERDICT, reason: "r" } as const;
	log.append([{ ...old, entry: "imported", payload }] as NewEvent[]);
	log.append([{ ...old, entry: "fetched", payload, id: "00000000-0001-7000-8000-000000000001" } as NewEvent]);
	const leaving = async (days: number) => (await prune(log, { now: clock, days, minEvents: 0, apply: false })).events;
	assert.equal(await leaving(7), 0);
	clock = NOW + 8 * DAY_MS;
	assert.equal(await leaving(7), 2);
	assert.equal(await leaving(9), 0);
	clock = NOW;
});

test("several that prune at once: one does it, the others do nothing and leave nothing", async () => {
	const folder = fresh("together");
	const logs = [openLog(folder), openLog(folder), openLog(folder)];
	fill(logs[0]!);
	const reports = await Promise.all(logs.map((log) => prune(log, { now: NOW, minEvents: 0, apply: true })));
	assert.deepEqual(
		reports.map(({ events, busy }) => [events, busy ?? false]).sort(),
		[
			[0, true],
			[0, true],
			[20, false],
		].sort(),
	);
	assert.equal(readdirSync(join(folder, "archive")).length, 1);
	assert.deepEqual(verify(logs[1]!).problems, []);
	for (const log of logs) log.close();
});

test("many events leave in parts; each part verifies, and one archive brings all of them back", async () => {
	using log = openLog();
	clock = NOW - 30 * DAY_MS;
	const verdicts = Array.from({ length: 601 }, (_, n) => ({
		type: "Verdict",
		session: "s",
		host: "h",
		ts: 1,
		entry: `${n}`,
		payload: VERDICT,
	}));
	log.append(verdicts as NewEvent[], { packed: true });
	clock = NOW;
	const { archive } = await prune(log, { now: NOW, minEvents: 0, apply: true });
	assert.equal(log.count(), 2);
	assert.deepEqual(verify(log), { events: 2, blobs: 0, pruned: 601, ...WHOLE });
	assert.equal((await restoreArchive(log, archive!)).restored, 601);
	assert.deepEqual(verify(log).problems, []);
});

test("an archive that nothing names goes at the next start, but only when the log has all of its events", async () => {
	using log = openLog();
	fill(log);
	const folder = join(log.folder, "archive");
	const copy = fresh("copy.jsonl");
	await writeArchive(copy, archiveLines(log, [...log.readStored({ types: ["Verdict"] })]), { gzip: false });
	const { archive } = await prune(log, { now: NOW, minEvents: 28, apply: true });
	assert.deepEqual(readdirSync(folder), ["events-2-3.jsonl"]);
	assert.deepEqual(removeOrphans(log), []);

	const orphan = join(folder, "events-6-30.jsonl");
	const lines = readFileSync(copy, "utf8").split("\n");
	writeFileSync(orphan, [lines[0], ...lines.slice(2)].join("\n").slice(0, -5));
	writeFileSync(join(folder, "events-9-30.jsonl"), readFileSync(copy));
	writeFileSync(join(folder, "notes.txt"), "mine");
	{
		using _ = takeLease(leasePath(log));
		assert.deepEqual(removeOrphans(log), []);
	}
	assert.deepEqual(removeOrphans(log), ["events-6-30.jsonl"]);
	assert.deepEqual(readdirSync(folder).sort(), ["events-2-3.jsonl", "events-9-30.jsonl", "notes.txt"]);
	// Named by its Pruned event, it stays even when everything is back.
	await restoreArchive(log, archive!);
	assert.deepEqual(removeOrphans(log), ["events-9-30.jsonl"]);
	assert.ok(existsSync(archive!));
});

test("a prune first removes what a killed one left: later nothing would tell that it is a copy", async () => {
	using log = openLog();
	fill(log);
	const folder = join(log.folder, "archive");
	mkdirSync(folder);
	const first = [...log.readStored({ types: ["Verdict"] })].slice(0, 1);
	await writeArchive(join(folder, "events-2-2.jsonl"), archiveLines(log, first), { gzip: false });
	await prune(log, { now: NOW, minEvents: 28, apply: true });
	assert.deepEqual(readdirSync(folder), ["events-2-3.jsonl"]);
});
