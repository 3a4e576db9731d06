import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Place } from "./place.ts";
import { SESSION, session, TOKEN } from "./session.ts";

let place: Place;
let entries: object[];
beforeEach(async () => {
	place = new Place();
	entries = session(place.project);
	await place.weft("import", place.file("session.jsonl", entries));
});
afterEach(() => place.remove());

interface Status {
	readonly log: {
		readonly folder: string;
		readonly events: number;
		readonly pruned: number;
		readonly lastWrite: { readonly seq: number; readonly type: string };
	};
}

test("export --format pi gives the session's entries back, byte for byte", async () => {
	const { code, out, err } = await place.weft("export", "--format", "pi", "--session", SESSION);
	assert.deepEqual([code, err], [0, ""]);
	assert.equal(out, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
});

test("export as JSONL can be imported into another home, and comes out the same", async () => {
	const file = join(place.folder, "backup.jsonl");
	const written = await place.weft("export", "--out", file);
	assert.deepEqual(written, { code: 0, out: "", err: `Written to ${file}\n` });
	assert.match(readFileSync(file, "utf8"), /^\{"type":"weft-archive",/);
	assert.equal(statSync(file).mode & 0o777, 0o600);
	const other = new Place();
	try {
		const { code, out } = await other.weft("import", file);
		assert.equal(code, 0);
		assert.match(out, /\(archive\) +19 +0/);
		const copy = await other.weft("export", "--format", "pi");
		assert.equal(copy.out, (await place.weft("export", "--format", "pi")).out);
	} finally {
		other.remove();
	}
});

test("export never overwrites a file; a name ending in .gz is compressed and imports again", async () => {
	const file = join(place.folder, "backup.jsonl.gz");
	assert.equal((await place.weft("export", "--out", file)).code, 0);
	assert.deepEqual([...readFileSync(file).subarray(0, 2)], [0x1f, 0x8b]);
	const again = await place.weft("export", "--out", file);
	assert.equal(again.code, 4);
	assert.match(again.err, /already exists\. Choose another file/);
	const { files } = await place.json<{ files: { archive: object }[] }>("import", file);
	assert.deepEqual(files[0]?.archive, { restored: 0, appended: 0, known: 19, refused: 0, refusals: [] });
});

test("export --format md is for reading, and masks credentials", async () => {
	const { out } = await place.weft("export", "--format", "md");
	assert.match(out, new RegExp(`^# Session ${SESSION}\n`));
	assert.match(out, /The token is \[secret\]\./);
	assert.equal(out.includes(TOKEN), false);
	assert.match(out, /## assistant · 2026-01-05 10:00:08 · #19\n\nヘッダーの解析を直しました。/);
	assert.match(out, /Failed:\n\n```\n1 failing\n\nCommand exited with code 1\n```/);
});

test("verify says that the log is whole, and where it is not", async () => {
	assert.deepEqual(await place.weft("verify"), {
		code: 0,
		out: "✓ The log is whole: 19 events, 0 blobs, 0 pruned.\n",
		err: "",
	});
	const { DatabaseSync } = await import("node:sqlite");
	const db = new DatabaseSync(join((await place.json<Status>()).log.folder, "log.db"));
	db.exec("UPDATE event SET ts = ts + 1 WHERE seq = 7");
	db.close();
	const { code, out } = await place.weft("verify");
	assert.equal(code, 1);
	assert.match(out, /✗ event 7 is not what was written/);
	const json = await place.weft("verify", "--json");
	assert.deepEqual([json.code, (JSON.parse(json.out) as { ok: boolean }).ok], [1, false]);
});

test("prune is a dry run until --yes; then it archives first, and import brings the events back", async () => {
	const young = await place.weft("prune", "--days", "1", "--min-events", "0");
	assert.equal(young.out, "Nothing to prune: 19 events stay.\n", "imported just now, however long ago it happened");
	const dry = await place.weft("prune", "--days", "0", "--min-events", "0");
	assert.equal(dry.code, 0);
	assert.equal(dry.err, "Nothing was changed. Run it again with --yes to do it.\n");
	assert.match(dry.out, /^9 events \(\d+ B of JSON\) would leave for an archive:\n {2}CommandRun {3}1\n/);
	assert.equal((await place.json<Status>()).log.events, 19);
	const done = await place.json<{ applied: boolean; archive: string; events: number }>(
		"prune",
		"--days",
		"0",
		"--min-events",
		"0",
		"--yes",
	);
	assert.deepEqual([done.applied, done.events, existsSync(done.archive)], [true, 9, true]);
	const pruned = (await place.json<Status>()).log;
	assert.deepEqual([pruned.events, pruned.pruned, pruned.lastWrite.type], [11, 9, "Pruned"]);
	assert.match((await place.weft("status")).out, /^events +11 in 1 session; 9 older ones in archives$/m);
	assert.equal((await place.weft("import", done.archive)).code, 0);
	const restored = (await place.json<Status>()).log;
	assert.deepEqual([restored.events, restored.pruned, restored.lastWrite.seq], [20, 0, 18]);
	assert.match((await place.weft("verify")).out, /The log is whole: 20 events, 0 blobs, 0 pruned\./);
});

test("prune keeps the floor of the settings", async () => {
	const { code, out } = await place.weft("prune", "--yes");
	assert.deepEqual([code, out], [0, "Nothing to prune: 19 events stay.\n"]);
});

test("rebuild makes the derived tables again, and verify finds them equal", async () => {
	const { DatabaseSync } = await import("node:sqlite");
	const db = new DatabaseSync(join((await place.json<Status>()).log.folder, "log.db"));
	db.exec("UPDATE session_state SET messages = 99");
	db.close();
	assert.equal((await place.weft("verify")).code, 1);
	const { code, out } = await place.weft("rebuild");
	assert.equal(code, 0);
	assert.match(out, /^Rebuilt from 19 events/);
	assert.equal((await place.weft("verify")).code, 0);
});

test("doctor finds everything in order, and says what to do where it is not", async () => {
	const well = await place.weft("doctor");
	assert.equal(well.code, 0);
	assert.match(well.out, /^✓ {2}weft +\d/);
	assert.doesNotMatch(well.out, /^[!✗]/m);
	const { folder } = (await place.json<Status>()).log;
	chmodSync(folder, 0o755);
	const open = await place.weft("doctor");
	assert.equal(open.code, 0);
	assert.match(open.out, /^! {2}log folder +.+ is open to others \(755\)\n {3}→ chmod 700 .+$/m);
	// Root may write everywhere.
	if (process.getuid?.() !== 0) {
		chmodSync(folder, 0o500);
		assert.match((await place.weft("doctor")).out, /^✗ {2}log folder +.+ is read-only: nothing is recorded/m);
		chmodSync(folder, 0o755);
	}
	truncateSync(join(folder, "log.db"), 5000);
	const broken = await place.weft("doctor");
	assert.equal(broken.code, 1);
	assert.match(broken.out, /^✗ {2}(integrity|log) /m);
	writeFileSync(join(folder, "log.db"), "this is no database, but it is long enough to look at");
	const foreign = await place.weft("doctor", "--json");
	assert.deepEqual([foreign.code, (JSON.parse(foreign.out) as { ok: boolean }).ok], [1, false]);
	assert.equal((await place.weft("log")).code, 1);
});

test("doctor says who holds the lock", async () => {
	const { DatabaseSync } = await import("node:sqlite");
	const db = new DatabaseSync(join((await place.json<Status>()).log.folder, "log.db"));
	try {
		db.exec("BEGIN IMMEDIATE");
		const { code, out } = await place.weft("doctor");
		assert.equal(code, 0);
		const holder = process.platform === "linux" ? `.+ \\(${process.pid}\\)` : ".+";
		assert.match(out, new RegExp(`^! {2}lock +held now; open in ${holder}\n {3}→ normal for a moment`, "m"));
	} finally {
		db.close();
	}
});

test("config shows each setting, its origin and what is wrong", async () => {
	place.file("project/.weft/config.json", '{"pruneDays":30,"policyMode":"report"}');
	const { code, out } = await place.weft("config", "--origin", "--home", "/data", "--trust");
	assert.equal(code, 0);
	const rows = out
		.replaceAll(place.folder, "")
		.split("\n")
		.map((line) => line.split(/\s{2,}/));
	assert.deepEqual(rows[0], ["setting", "value", "origin"]);
	for (const row of [
		["enabled", "true", "default"],
		["dbDir", "/data", "--home"],
		["pruneDays", "30", "/project/.weft/config.json"],
		["policyMode", "report", "/project/.weft/config.json"],
		["mode", "woven", "default"],
	]) {
		assert.ok(
			rows.some((each) => each.join() === row.join()),
			row.join(" "),
		);
	}
	const { settings } = await place.json<{
		settings: Record<string, { value: unknown; origin: string; default: unknown }>;
	}>("config", "--trust");
	assert.deepEqual(settings["pruneDays"], { value: 30, origin: join(place.project, ".weft/config.json"), default: 7 });
	place.file("project/.weft/config.json", '{"prunedays":30}');
	const wrong = await place.weft("config", "--trust");
	assert.equal(wrong.code, 2);
	assert.match(wrong.err, /config\.json: unknown key 'prunedays'\. Did you mean 'pruneDays'\?/);
});
