import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import type { NewEvent } from "../event/types.ts";
import { Log } from "../log.ts";
import { prune } from "../retention/prune.ts";
import { type TableFold, TableFolds } from "./table-folds.ts";

const root = temporaryFolder();

/** Counts the events of a type, and how often it was made. */
function counter(name: string, type: string, made: string[], more: Partial<TableFold> = {}): TableFold {
	return {
		name,
		version: 1,
		inline: false,
		tables: { [name]: "n" },
		create(db) {
			made.push(name);
			db.exec(`CREATE TABLE ${name} (n INTEGER NOT NULL); INSERT INTO ${name} VALUES (0)`);
		},
		prepare(db) {
			const add = db.prepare(`UPDATE ${name} SET n = n + ?`);
			return (records) => add.run(records.filter((record) => record.type === type).length);
		},
		...more,
	};
}

test("a prune makes anew what looks at prunable events, and leaves the rest alone", async () => {
	const made: string[] = [];
	const folds = [
		counter("notes", "Custom", made),
		counter("commands", "CommandRun", made, { readsPrunable: true }),
		counter("faults", "Fault", made, { readsPrunable: true, inline: true }),
	];
	let clock = 0;
	using log = new Log({
		folder: join(root, "log"),
		origin: "here",
		now: () => clock,
		projection: () => new TableFolds(folds),
	});
	const run = { command: "ls", exit: 0, chars: 0, lines: 0, by: "agent", tool: "bash", callId: "c" };
	const fault = { where: "x", code: "x", message: "x" };
	const event = (type: string, ts: number) =>
		({ type, session: "s", host: "h", ts, payload: { name: "x", ...run, ...fault } }) as NewEvent;
	for (clock of [0, 1, 9e12]) {
		log.append([event("Custom", clock), event("CommandRun", clock), event("Fault", clock)]);
	}
	log.projection!.catchUp();
	assert.deepEqual([...log.projection!.dump()], ['notes {"n":3}', 'commands {"n":3}', 'faults {"n":3}']);
	await prune(log, { now: 9e12, minEvents: 0, apply: true });
	assert.deepEqual([...log.projection!.dump()], ['notes {"n":3}', 'commands {"n":1}', 'faults {"n":1}']);
	assert.deepEqual(made, ["notes", "commands", "faults", "commands", "faults"]);
});

test("an event that another process commits within the same tick is folded, whichever process folds first", () => {
	const folder = join(root, "two");
	const custom = (ts: number) => ({ type: "Custom", session: "s", host: "h", ts, payload: { name: "x" } }) as NewEvent;
	const projection = () => new TableFolds([counter("notes", "Custom", [])]);
	using log = new Log({ folder, origin: "here", projection, looksOncePerTick: true });
	log.append([custom(1)]);
	log.foldMissing();
	assert.equal(log.newestSeq(), 1);
	const script = `import { Log } from ${JSON.stringify(new URL("../log.ts", import.meta.url).href)};
		using log = new Log({ folder: ${JSON.stringify(folder)}, origin: "there" });
		log.append([${JSON.stringify(custom(2))}]);`;
	execFileSync(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
	log.transaction(() => log.foldMissing());
	log.append([custom(3)]);
	log.foldMissing();
	assert.deepEqual([...log.projection!.dump()], ['notes {"n":3}']);
});
