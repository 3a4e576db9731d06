import assert from "node:assert/strict";
import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { findWalDamage } from "./wal-damage.ts";

const root = temporaryFolder();
const FRAME_BYTES = 24 + 4096;

/** A database with this many commits in its WAL, as a killed process leaves it: the files are copied while it is open. */
function killed(name: string, commits: number): string {
	const path = join(root, `${name}-open.db`);
	using db = new DatabaseSync(path);
	db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (n INTEGER, text TEXT)");
	db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
	const insert = db.prepare("INSERT INTO t VALUES (?, ?)");
	for (let n = 0; n < commits; n++) insert.run(n, "x".repeat(n * 37));
	const copy = join(root, `${name}.db`);
	for (const end of ["", "-wal"]) copyFileSync(path + end, copy + end);
	return copy;
}

function rowsIn(path: string): number {
	using db = new DatabaseSync(path);
	return (db.prepare("SELECT count(*) AS n FROM t").get() as { n: number }).n;
}

function damageAt(path: string, byte: number): void {
	const wal = readFileSync(`${path}-wal`);
	wal[byte] = (wal[byte] ?? 0) ^ 0x41;
	writeFileSync(`${path}-wal`, wal);
}

test("a whole WAL, an empty one and a missing one have no damage", () => {
	const path = killed("whole", 30);
	assert.equal(findWalDamage(path), undefined);
	writeFileSync(`${path}-wal`, "");
	assert.equal(findWalDamage(path), undefined);
	assert.equal(findWalDamage(join(root, "none.db")), undefined);
});

test("wherever a byte of the WAL changes, the count is that of the commits that SQLite no longer reads", () => {
	const commits = 12;
	const healthy = killed("source", commits);
	const { size } = statSync(`${healthy}-wal`);
	const path = join(root, "damaged.db");
	fc.assert(
		fc.property(fc.integer({ min: 0, max: size - 1 }), (byte) => {
			for (const end of ["", "-wal"]) copyFileSync(healthy + end, path + end);
			damageAt(path, byte);
			const found = findWalDamage(path);
			const missing = commits - rowsIn(path);
			// A damaged salt or size of a commit's own frame no longer says that it was a commit.
			const inFrame = (byte - 32) % FRAME_BYTES;
			const isMark = byte >= 32 && inFrame >= 4 && inFrame < 16;
			const isHeader = byte < 32;
			if (isHeader && found === undefined) return;
			assert.ok(missing > 0 || found === undefined, `byte ${byte}`);
			const least = isMark ? missing - 1 : missing;
			const count = found?.commits ?? 0;
			assert.ok(count >= least && count <= missing, `byte ${byte}: ${count} of ${missing}`);
		}),
		{ numRuns: 60 },
	);
});

test("frames of an earlier generation after the newest commit are no damage", () => {
	const path = join(root, "again.db");
	using db = new DatabaseSync(path);
	db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (n INTEGER, text TEXT)");
	const insert = db.prepare("INSERT INTO t VALUES (?, ?)");
	for (let n = 0; n < 40; n++) insert.run(n, "x".repeat(900));
	db.exec("PRAGMA wal_checkpoint(RESTART)");
	insert.run(41, "after");
	assert.ok(statSync(`${path}-wal`).size > 20 * FRAME_BYTES);
	assert.equal(findWalDamage(path), undefined);
	// Frames that a transaction wrote before it was rolled back are no commits.
	db.exec("PRAGMA cache_size = 5; BEGIN");
	for (let n = 0; n < 400; n++) insert.run(n, "y".repeat(3_000));
	db.exec("ROLLBACK");
	insert.run(42, "later");
	assert.equal(findWalDamage(path), undefined);
});
