import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { openDatabase, vacuumWhole } from "./open.ts";

const APPLICATION_ID = 0x77656674;
const ROUNDS = 150;

/** Makes the tables of each file while the test opens it, a little later each time. */
const MAKER = `
const { workerData } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
const turn = new Int32Array(workerData.turn);
for (let round = 0; round < ${ROUNDS}; round++) {
	const db = new DatabaseSync(workerData.folder + "/" + round + ".db", { timeout: 1000 });
	db.exec("PRAGMA journal_mode = WAL");
	Atomics.store(turn, 0, 2 * round + 1);
	Atomics.notify(turn, 0);
	Atomics.wait(turn, 0, 2 * round + 1);
	for (let step = 0; step < (round % 40) * 40; step++) Math.sqrt(step);
	db.exec("BEGIN IMMEDIATE; CREATE TABLE one (a); PRAGMA application_id = ${APPLICATION_ID}; COMMIT");
	db.close();
}`;

test("a file whose tables another process is making at this moment is not taken for another program's", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "weft-open-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const turn = new Int32Array(new SharedArrayBuffer(4));
	const maker = new Worker(MAKER, { eval: true, workerData: { folder, turn: turn.buffer } });
	const ended = new Promise((done) => maker.once("exit", done));
	const refused: unknown[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		Atomics.wait(turn, 0, 2 * round);
		Atomics.store(turn, 0, 2 * round + 2);
		Atomics.notify(turn, 0);
		try {
			openDatabase(join(folder, `${round}.db`), { applicationId: APPLICATION_ID }).close();
		} catch (error) {
			refused.push(error);
		}
	}
	assert.equal(await ended, 0);
	assert.deepEqual(refused, []);
});

test("a file opens for writing while another connection holds the write lock", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "weft-open-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const path = join(folder, "log.db");
	using holder = openDatabase(path, { applicationId: APPLICATION_ID });
	assert.deepEqual({ ...holder.prepare("PRAGMA auto_vacuum").get() }, { auto_vacuum: 2 });
	holder.exec(`CREATE TABLE one (a); PRAGMA application_id = ${APPLICATION_ID}; BEGIN IMMEDIATE`);
	let waited = false;
	const onWait = () => {
		waited = true;
		holder.exec("ROLLBACK");
	};
	openDatabase(path, { applicationId: APPLICATION_ID, onWait }).close();
	assert.equal(waited, false);
});

test("a file of an older weft can give pages back once it was written anew", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "weft-open-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const path = join(folder, "log.db");
	const old = new DatabaseSync(path);
	old.exec(`PRAGMA journal_mode = WAL; CREATE TABLE one (a); PRAGMA application_id = ${APPLICATION_ID}`);
	old.close();
	using db = openDatabase(path, { applicationId: APPLICATION_ID });
	vacuumWhole(db);
	assert.deepEqual({ ...db.prepare("PRAGMA auto_vacuum").get() }, { auto_vacuum: 2 });
});
