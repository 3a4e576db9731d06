import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { readAddress } from "../../src/settings/fleet-address.ts";
import { ended, Place } from "./place.ts";
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
		assert.match(out, /^19 archived events +0 /m);
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
	writeFileSync(join(place.folder, "in-the-way"), "");
	const unmade = await place.weft("--home", join(place.folder, "in-the-way", "data"), "doctor");
	assert.match(unmade.out, /^✗ {2}data home +/m);
	assert.doesNotMatch(unmade.out, /^✗ {2}disk|0 B free/m);
	const broken = await place.weft("doctor");
	assert.equal(broken.code, 1);
	assert.match(broken.out, /^✗ {2}(integrity|log) /m);
	assert.match(broken.out, /'weft repair'/);
	assert.doesNotMatch(broken.out, /run 'weft doctor'/);
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
	// Perhaps it is a key of a newer weft.
	assert.equal(wrong.code, 0);
	assert.match(wrong.err, /config\.json: unknown key 'prunedays'\. Did you mean 'pruneDays'\?/);
	place.file("project/.weft/config.json", '{"pruneDays":"soon"}');
	assert.equal((await place.weft("config", "--trust")).code, 2);
});

test("a bad setting is a warning for commands that read, and stops those that write by the settings", async () => {
	const file = place.file("project/.weft/config.json", '{"mode":"wvoen","newer":1}');
	const sessions = await place.weft("sessions", "--json", "--trust");
	assert.equal(sessions.code, 0);
	assert.ok((JSON.parse(sessions.out) as { sessions: unknown[] }).sessions.length > 0);
	const warned = sessions.err.split("\n").filter((line) => line.includes(file));
	assert.equal(warned.length, 2, sessions.err);
	assert.match(warned[0]!, /'mode' must be one of .+, not "wvoen"\. It is ignored\.$/);
	assert.match(warned[1]!, /unknown key 'newer'\./);
	for (const command of [["log", "add", "note"], ["prune"]]) {
		const { code, err } = await place.weft(...command, "--trust");
		assert.deepEqual([code, /unknown key|is ignored/.test(err.replace(/trusted.*/g, ""))], [2, false], err);
	}
	place.file("project/.weft/config.json", '{"newer":1}');
	assert.equal((await place.weft("log", "add", "note", "--trust")).code, 0);
});

test("the status line says that the settings or the log cannot be read", async () => {
	place.file("project/.weft/config.json", "{ mode:");
	const lineOf = (...args: string[]) => {
		const child = place.start([...args, "status", "--line"]);
		child.stdin?.end();
		return ended(child);
	};
	const line = await lineOf("--trust");
	assert.deepEqual([line.code, line.out], [0, "weft: settings unreadable, see 'weft config'\n"]);
	rmSync(join(place.project, ".weft"), { recursive: true });
	const nowhere = await lineOf("--home", join(place.folder, "empty"));
	assert.equal(nowhere.out, "weft: nothing recorded yet\n");
	const { log } = await place.json<Status>();
	writeFileSync(join(log.folder, "log.db"), "this is no database, but it is long enough to look at");
	assert.equal((await lineOf()).out, "weft: log unreadable, see 'weft doctor'\n");
});

test("a home that is a file is refused", async () => {
	const file = place.file("no-folder", "text");
	const { code, err } = await place.weft("--home", file, "status");
	assert.deepEqual(
		[code, err],
		[2, `weft: --home: ${file} is not a folder. Name the folder that holds weft's data.\n`],
	);
});

test("config set names the file that it cannot read or write, and the setting that was meant", async () => {
	const config = join(place.folder, "config");
	writeFileSync(config, "a file in the way of the folder");
	const set = (...words: string[]) => place.weftIn({ XDG_CONFIG_HOME: config }, "config", "set", ...words);
	const blocked = await set("mode", "off");
	const target = join(config, "weft", "config.json");
	assert.deepEqual(
		[blocked.code, blocked.err],
		[2, `weft: ${target}: there is no folder ${join(config, "weft")}. Create it, or choose another.\n`],
	);
	assert.match(
		(await set("mod", "off")).err,
		/^weft: Unknown setting 'mod'\. Did you mean 'mode'\? 'weft config' lists/,
	);
	assert.match((await set("foo", "bar")).err, /^weft: Unknown setting 'foo'\. 'weft config' lists all settings\.\n$/);
});

test("config set puts a password into a file of its own, shows it nowhere, and takes it away with the address", async () => {
	const config = join(place.folder, "secret-config");
	const set = (...words: string[]) => place.weftIn({ XDG_CONFIG_HOME: config }, "config", ...words);
	const [settings, passwords] = ["config.json", "fleet.pgpass"].map((name) => join(config, "weft", name)) as [
		string,
		string,
	];
	const url = "postgres://ann:hun%3Ater2@db.example/weft";
	for (const words of [["set", "fleet.url", url], ["set", "fleet.url", url, "--json"], [], ["--json"], ["--origin"]]) {
		const { code, out, err } = await set(...words);
		assert.deepEqual([code, /hun(?:%3A|:)ter2/.test(out + err)], [0, false], words.join(" "));
	}
	assert.equal(JSON.parse(readFileSync(settings, "utf8"))["fleet.url"], "postgres://ann@db.example/weft");
	assert.equal(readFileSync(passwords, "utf8"), "db.example:5432:weft:ann:hun\\:ter2\n");
	assert.equal(statSync(passwords).mode & 0o777, 0o600);
	const env = { XDG_CONFIG_HOME: config };
	assert.equal(readAddress("postgres://ann@db.example/weft", env).password, "hun:ter2");
	writeFileSync(settings, JSON.stringify({ "fleet.url": url }), { mode: 0o644 });
	assert.match((await set()).out, /postgres:\/\/ann:•••@db\.example\/weft/);
	const doctor = await place.weftIn(env, "doctor");
	assert.match(doctor.out, /holds the password of fleet\.url, and other accounts can read it/);
	await set("set", "fleet.url", "--default");
	assert.equal(existsSync(passwords), false);
});

test("a file in a folder that does not exist is refused before the work, with what to do", async () => {
	const path = join(place.folder, "nope", "x.html");
	const says = `weft: ${path}: there is no folder ${join(place.folder, "nope")}. Create it, or choose another.\n`;
	assert.deepEqual(await place.weft("export", "--out", path), { code: 2, out: "", err: says });
	assert.deepEqual(await place.weft("inspect", "--export", path), { code: 2, out: "", err: says });
	const taken = place.file("taken.html", "mine");
	assert.match(
		(await place.weft("inspect", "--export", taken)).err,
		/taken\.html already exists\. Choose another file/,
	);
});

test("an offset before the beginning is refused", async () => {
	for (const command of ["show", "expand"]) {
		const { code, err } = await place.weft(command, "2", "--offset", "-1");
		assert.deepEqual([code, err], [2, "weft: --offset takes a whole number, at least 0, not '-1'.\n"]);
	}
});

test("replay and recover do not speak of an import", async () => {
	const file = place.file("notes.txt", "nothing known\n");
	for (const command of ["replay", "recover"]) {
		const { err } = await place.weft(command, file);
		assert.match(err, /notes\.txt is not of a known kind\./);
		assert.doesNotMatch(err, /imported/);
	}
});

test("importing a folder takes the exports of opencode in it", async () => {
	place.file("all/session.jsonl", session(place.project));
	place.file("all/other.json", '{"name":"x"}');
	const info = { id: "ses_1", directory: place.project, time: { created: 1 } };
	const said = {
		info: { id: "msg_1", role: "user" },
		parts: [{ id: "prt_1", type: "text", text: "Count the looms." }],
	};
	place.file("all/opencode.json", JSON.stringify({ info, messages: [said] }, null, 2));
	const { code, out, err } = await place.weft("import", join(place.folder, "all"));
	assert.deepEqual([code, err], [0, ""]);
	assert.match(out, / ses_1 +opencode +1 +0 /m);
});
