import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { sessionFold } from "../../state/session/session-fold.ts";
import { treeFold } from "../../state/session/tree-fold.ts";
import { databaseOf } from "../database.ts";
import type { NewEvent } from "../event/types.ts";
import { TableFolds } from "../fold/table-folds.ts";
import { Log } from "../log.ts";
import { prune } from "../retention/prune.ts";
import { verify } from "./verify.ts";

const root = temporaryFolder();

const FAULT = { where: "x", code: "x", message: "x" };

function turn(n: number): NewEvent[] {
	const base = { session: `s${n % 3}`, host: "pi", ts: n };
	const raw = JSON.stringify({ type: "message", id: `m${n}`, message: { role: "user", content: `word ${n}` } });
	return [
		{ ...base, type: "Message", entry: `m${n}`, payload: { role: "user", form: "pi" }, raw },
		{ ...base, type: "Fault", payload: FAULT },
	];
}

test("while others append, pack and fold, a healthy log is whole", () => {
	const folder = join(root, "busy");
	const folds = () => new TableFolds([sessionFold, treeFold]);
	let turns = 0;
	using other = new Log({ folder, origin: "other", projection: folds, now: () => 1_000 });
	const meanwhile = () => {
		other.append([...turn(turns++), ...turn(turns++)]);
		other.settle({ all: true });
		other.catchUp();
	};
	for (let n = 0; n < 40; n++) meanwhile();
	let writes = 0;
	/** Just when it has folded all that there was, somebody else writes. */
	class Interrupted extends TableFolds {
		override catchUp(): void {
			super.catchUp();
			meanwhile();
			writes++;
		}
	}
	const projection = () => new Interrupted([sessionFold, treeFold]);
	using log = new Log({ folder, origin: "here", projection, now: () => 1_000 });
	for (let n = 0; n < 5; n++) assert.deepEqual(verify(log).problems, []);
	assert.ok(writes > 5);
});

test("a blob that an event names and that is not there is told", () => {
	using log = new Log({ folder: join(root, "blob"), origin: "here" });
	const blob = log.putBlob(Buffer.from("bytes"));
	const event = { type: "Custom", session: "s", host: "h", ts: 1, payload: { name: "x", blob } } as const;
	log.append([event]);
	databaseOf(log).exec("DELETE FROM blob_use; DELETE FROM blob");
	assert.match(verify(log).problems.join(), new RegExp(`event 1 names the blob ${blob}, which is not there`));
});

test("a blob that another process pruned after it was put is there again when an event names it", async () => {
	const folder = join(root, "vanish");
	using log = new Log({ folder, origin: "here", now: () => 1_000 });
	using other = new Log({ folder, origin: "other", now: () => 1_000 });
	const bytes = Buffer.from("what a tool said ".repeat(100));
	const named = (blob: string): NewEvent => {
		const call = { tool: "bash", callId: "c" };
		const payload = { ...call, status: "ok" as const, chars: 1, lines: 1, blob };
		return { type: "ToolResult", session: "s", host: "h", ts: 1, payload };
	};
	other.append([named(other.putBlob(bytes))]);
	const blob = log.putBlob(bytes);
	await prune(other, { now: 9e12, minEvents: 0, apply: true });
	assert.equal(other.getBlob(blob), undefined);
	log.append([named(blob)]);
	assert.deepEqual(other.getBlob(blob), bytes);
	assert.deepEqual(verify(log).problems, []);
	const missing = "0".repeat(64);
	const newest = log.newestSeq();
	assert.throws(() => log.append([named(missing)]), /names the blob 0{64}, which is not in the log\. Put its bytes/);
	assert.equal(log.newestSeq(), newest);
});

test("a damaged WAL is found when the log is opened, with the number of commits that are gone", () => {
	const folder = join(root, "wal");
	const killed = join(root, "wal-killed");
	{
		using log = new Log({ folder, origin: "here" });
		for (let n = 0; n < 20; n++) log.append(turn(n));
		// As a killed process leaves it.
		cpSync(folder, killed, { recursive: true });
	}
	const wal = join(killed, "log.db-wal");
	const bytes = readFileSync(wal);
	const middle = Math.floor(bytes.length / 2);
	bytes[middle] = (bytes[middle] ?? 0) ^ 1;
	writeFileSync(wal, bytes);
	{
		using log = new Log({ folder: killed, origin: "here" });
		const { problems, events } = verify(log);
		assert.match(
			problems[0] ?? "",
			/^log\.db-wal is damaged from byte [\d,]+ on: up to \d+ commits, the newest ones, are missing/,
		);
		assert.ok(events < 40 && (log.walDamage?.commits ?? 0) >= (40 - events) / 2, `${events} events`);
	}
	using log = new Log({ folder: killed, origin: "here" });
	assert.deepEqual([log.walDamage, verify(log).problems], [undefined, []]);
});
