import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { findWalDamage } from "./wal-damage.ts";

const HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4_096;

test("a commit that a killed process did not finish is no damage, and one that it finished is", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "weft-wal-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const live = join(folder, "live.db");
	const db = new DatabaseSync(live);
	db.exec("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x)");
	for (let n = 0; n < 8; n++) db.prepare("INSERT INTO t VALUES (?)").run(n);
	/** What a kill leaves behind. */
	const killed = (name: string): string => {
		for (const end of ["", "-wal", "-shm"]) cpSync(`${live}${end}`, join(folder, `${name}${end}`));
		return join(folder, name);
	};
	const wal = readFileSync(`${live}-wal`);
	const head = Buffer.from(wal.subarray(wal.length - FRAME_BYTES, wal.length - FRAME_BYTES + 24));
	// The head of the next commit, with its flag, before a page that was there before.
	const torn = Buffer.concat([head, Buffer.alloc(FRAME_BYTES - 24, 7)]);

	const unfinished = killed("unfinished");
	appendFileSync(`${unfinished}-wal`, torn);
	assert.equal(findWalDamage(unfinished), undefined);

	const damaged = killed("damaged");
	const bytes = Buffer.concat([wal, torn]);
	const lastFrame = wal.length - FRAME_BYTES;
	bytes[lastFrame + 100]! ^= 1;
	writeFileSync(`${damaged}-wal`, bytes);
	assert.deepEqual(findWalDamage(damaged), { byte: lastFrame, commits: 1 });

	// Copied without its index: nothing says that the last commit was not finished.
	rmSync(`${unfinished}-shm`);
	assert.deepEqual(findWalDamage(unfinished), { byte: wal.length, commits: 1 });
	assert.equal((wal.length - HEADER_BYTES) % FRAME_BYTES, 0);
	db.close();
});
