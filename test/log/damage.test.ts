import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { translateSqliteError } from "../../src/base/sqlite/sqlite-error.ts";
import { databaseOf } from "../../src/log/database.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import { TableFolds } from "../../src/log/fold/table-folds.ts";
import { projectKey } from "../../src/log/home.ts";
import { Log } from "../../src/log/log.ts";
import { openProjectLog } from "../../src/log/project.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { sessionFold } from "../../src/state/session/session-fold.ts";
import { treeFold } from "../../src/state/session/tree-fold.ts";

const root = mkdtempSync(join(tmpdir(), "weft-damage-"));
after(() => rmSync(root, { recursive: true, force: true }));

function open(folder: string): Log {
	return new Log({ folder, origin: "here" });
}

function custom(data: string) {
	return { type: "Custom" as const, session: "s", host: "test", ts: 1, payload: { name: "x", data } };
}

function refusal(work: () => unknown): EngineError {
	try {
		work();
	} catch (error) {
		assert.ok(error instanceof EngineError, String(error));
		return error;
	}
	assert.fail("it was not refused");
}

function folderWith(name: string, content: Uint8Array | string): string {
	const folder = join(root, name);
	mkdirSync(folder);
	writeFileSync(join(folder, "log.db"), content);
	return folder;
}

test("a full disk: a clear error, nothing half written, and it goes on when there is room", () => {
	using log = open(join(root, "full"));
	log.append([custom("before")]);
	const { page_count } = databaseOf(log).prepare("PRAGMA page_count").get() as { page_count: number };
	databaseOf(log).exec(`PRAGMA max_page_count = ${page_count + 2}`);
	const error = refusal(() =>
		log.append([custom("first of the batch"), custom(randomBytes(300_000).toString("base64"))]),
	);
	assert.equal(error.code, "disk-full");
	assert.match(error.message, /No space left .* Free some space/);
	assert.equal(log.count(), 1);
	databaseOf(log).exec("PRAGMA max_page_count = 1000000");
	log.append([custom("after")]);
	assert.equal(log.count(), 2);
	assert.deepEqual(verify(log).problems, []);
});

test("a file that is no database is left as it is", () => {
	const folder = folderWith("text", "these are my notes, ".repeat(300));
	const error = refusal(() => open(folder));
	assert.equal(error.code, "damaged");
	assert.match(error.message, /left as it is/);
	assert.equal(readFileSync(join(folder, "log.db"), "utf8"), "these are my notes, ".repeat(300));
});

test("another program's database is left as it is", () => {
	const folder = join(root, "foreign");
	mkdirSync(folder);
	const db = new DatabaseSync(join(folder, "log.db"));
	db.exec("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('https://example.org')");
	db.close();
	const before = readFileSync(join(folder, "log.db"));
	assert.equal(refusal(() => open(folder)).code, "foreign-file");
	assert.deepEqual(readFileSync(join(folder, "log.db")), before);
});

test("a log of a newer version is refused with the way to update, and not changed", () => {
	const folder = join(root, "newer");
	open(folder).close();
	const db = new DatabaseSync(join(folder, "log.db"));
	db.exec("PRAGMA user_version = 999");
	db.close();
	const error = refusal(() => open(folder));
	assert.equal(error.code, "newer-schema");
	assert.match(error.message, /schema 999.*npm install/);
});

test("a damaged page is reported, never papered over", () => {
	const folder = join(root, "damaged");
	const log = open(folder);
	log.append(Array.from({ length: 500 }, (_, n) => custom(`${n} `.repeat(50))));
	log.close();
	const path = join(folder, "log.db");
	const bytes = readFileSync(path);
	bytes.fill(0xa5, 8_192, bytes.length - 4_096);
	writeFileSync(path, bytes);
	const error = refusal(() => {
		using damaged = open(folder);
		for (const _ of damaged.read());
		damaged.append([custom("on top")]);
	});
	assert.equal(error.code, "damaged");
});

test("a folder that cannot be written: the error names it and says what to do", () => {
	const folder = join(root, "locked-away");
	mkdirSync(folder);
	chmodSync(folder, 0o555);
	// Root may write anywhere, so the attempt is made by a process that is not root.
	const script = `
		if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
		const { Log } = await import(${JSON.stringify(join(import.meta.dirname, "../../src/log/log.ts"))});
		try { new Log({ folder: ${JSON.stringify(join(folder, "sub"))}, origin: "x" }); console.log("opened"); }
		catch (error) { console.log(error.code + " " + error.message); }`;
	chmodSync(root, 0o755);
	const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
	assert.match(said, /^read-only .*locked-away.*permissions/);
});

test("a lock that is never released ends in a clear error after the deadline, and nothing is written", () => {
	const folder = join(root, "held");
	using log = new Log({ folder, origin: "here", busyDeadlineMs: 100 });
	log.append([custom("a")]);
	const holder = new DatabaseSync(log.path);
	holder.exec("BEGIN IMMEDIATE");
	databaseOf(log).exec("PRAGMA busy_timeout = 10");
	const error = refusal(() => log.append([custom("b")]));
	assert.equal(error.code, "locked");
	assert.match(error.message, /another process.*Nothing was written/);
	holder.exec("ROLLBACK");
	holder.close();
	log.append([custom("c")]);
	assert.equal(log.count(), 2);
});

test("a folder that holds another project's log is kept, and a fresh one is used, with a warning", () => {
	const home = join(root, "home");
	const options = { home, root: "/projects/one" };
	openProjectLog(options).close();
	const db = new DatabaseSync(join(home, "projects", projectKey("/projects/one"), "log.db"));
	db.exec("UPDATE meta SET value = '/projects/other' WHERE key = 'project'");
	db.close();
	const warnings: string[] = [];
	const log = openProjectLog({ ...options, warn: (message) => warnings.push(message) });
	assert.equal(log.folder, join(home, "projects", `${projectKey("/projects/one")}-2`));
	assert.match(warnings.join(), /holds the log of \/projects\/other/);
	log.append([custom("mine")]);
	log.close();
	using again = openProjectLog(options);
	assert.equal(again.count(), 1);
});

test("a folder, a circle of links, /proc, a missing table and a negative version end in a sentence", () => {
	const directory = join(root, "directory");
	mkdirSync(join(directory, "log.db"), { recursive: true });
	assert.match(refusal(() => open(directory)).message, /log\.db is a folder.*Move it away/);
	symlinkSync(join(root, "loop-b"), join(root, "loop-a"));
	symlinkSync(join(root, "loop-a"), join(root, "loop-b"));
	assert.match(refusal(() => open(join(root, "loop-a"))).message, /lead in a circle/);
	assert.match(refusal(() => open("/proc/weft-home")).message, /\/proc\/weft-home/);
	for (const table of ["pack", "word", "event", "blob", "gap"]) {
		const folder = join(root, `without-${table}`);
		open(folder).close();
		change(folder, `DROP TABLE ${table}`);
		const error = refusal(() => open(folder));
		assert.equal(error.code, "damaged");
		assert.match(error.message, new RegExp(`has no table '(main\\.)?${table}'`));
	}
	const negative = join(root, "negative");
	open(negative).close();
	change(negative, "PRAGMA user_version = -3");
	assert.match(refusal(() => open(negative)).message, /version -3, which no weft writes/);
});

test("tables that are made from the log are made again when they are missing", () => {
	const folder = join(root, "derived");
	const options = {
		folder,
		origin: "here",
		projection: () => new TableFolds([sessionFold, treeFold]),
		searchable: ({ payload }: EventRecord) => ({ role: "user", text: String(payload["data"]) }),
	};
	const first = new Log(options);
	first.append([custom("needle")]);
	first.search.catchUp();
	first.catchUp();
	const dump = [...first.projection!.dump()];
	const handle = first.handleAt(1)!;
	first.close();
	for (const table of ["session_state", "search_doc", "search_words", "handle", "fold"]) {
		change(folder, `DROP TABLE ${table}`);
		using log = new Log(options);
		assert.equal(log.search.find({ text: "needle" }).hits.length, 1, table);
		assert.equal(log.findHandle(handle), 1, table);
		log.catchUp();
		assert.deepEqual([...log.projection!.dump()], dump, table);
		assert.deepEqual(verify(log).problems, [], table);
	}
});

test("too many open files and a limit on their size are not called permissions", () => {
	const sqlite = (errcode: number) => Object.assign(new Error("disk I/O error"), { errcode });
	const said = (error: unknown) => translateSqliteError(error, join(root, "log.db")) as EngineError;
	assert.match(said(Object.assign(new Error("x"), { code: "EMFILE" })).message, /too many files are open.*ulimit -n/);
	assert.match(said(Object.assign(new Error("x"), { code: "EFBIG" })).message, /ulimit -f/);
	assert.equal(said(sqlite(778)).code, "io-error");
	assert.match(said(sqlite(778)).message, /disk may be failing.*ulimit -f/);
});

test("a full disk is called that, also when SQLite finds it out while it opens the log", () => {
	const noShare = Object.assign(new Error("disk I/O error"), { errcode: 4_874 });
	const { code, message } = translateSqliteError(noShare, join(root, "log.db")) as EngineError;
	assert.equal(code, "disk-full");
	assert.match(message, /^No space left for .*log\.db\. Nothing was written/);
});

test("whoever waits for a lock is told after the first try, once", () => {
	const folder = join(root, "waiting");
	const said: string[] = [];
	using log = new Log({ folder, origin: "here", busyDeadlineMs: 20, onWait: (message) => said.push(message) });
	log.append([custom("a")]);
	assert.deepEqual(said, []);
	const holder = new DatabaseSync(log.path);
	holder.exec("BEGIN IMMEDIATE");
	databaseOf(log).exec("PRAGMA busy_timeout = 10");
	for (const _ of [1, 2]) assert.equal(refusal(() => log.append([custom("b")])).code, "locked");
	assert.equal(said.length, 1);
	assert.match(said[0]!, /is held by another process\. Waiting/);
	holder.close();
});

function change(folder: string, sql: string): void {
	const db = new DatabaseSync(join(folder, "log.db"));
	db.exec("PRAGMA foreign_keys = OFF; DROP VIEW IF EXISTS events");
	db.exec(sql);
	db.close();
}
