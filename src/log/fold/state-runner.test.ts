import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import type { EventRecord, NewEvent } from "../event/types.ts";
import { Log } from "../log.ts";
import { prune } from "../retention/prune.ts";
import type { StateFold } from "./state-fold.ts";
import { StateRunner } from "./state-runner.ts";

const root = temporaryFolder();

let folders = 0;
function openLog(folder = join(root, `log-${++folders}`), readOnly = false): Log {
	return new Log({ folder, origin: "here", readOnly });
}

function custom(name: string, more: Partial<NewEvent> = {}): NewEvent {
	return { type: "Custom", session: "s", host: "test", ts: 1_000, payload: { name }, ...more } as NewEvent;
}

function many(count: number, from = 1): NewEvent[] {
	return Array.from({ length: count }, (_, n) => custom(`n${from + n}`));
}

interface Names {
	count: number;
	last: string;
}

let steps = 0;
function namesFold(version = 1): StateFold<Names> {
	return {
		name: "names",
		version,
		initial: () => ({ count: 0, last: "" }),
		step(state, record) {
			steps++;
			state.count++;
			state.last = String(record.payload["name"]);
		},
	};
}

function stepsOf(work: () => unknown): number {
	const before = steps;
	work();
	return steps - before;
}

function runner(log: Log, { version = 1, every = 10 } = {}): StateRunner<{ names: Names }> {
	return new StateRunner<{ names: Names }>(log, { names: namesFold(version) }, { every });
}

function snapshotFiles(log: Log): string[] {
	try {
		return readdirSync(join(log.folder, "snapshots")).sort();
	} catch {
		return [];
	}
}

test("folds everything once and then only what is new", () => {
	using log = openLog();
	log.append(many(5));
	const states = runner(log);
	assert.equal(
		stepsOf(() => states.current()),
		5,
	);
	log.append([custom("six")]);
	assert.equal(
		stepsOf(() => assert.deepEqual(states.current().state, { names: { count: 6, last: "six" } })),
		1,
	);
	assert.equal(
		stepsOf(() => states.current()),
		0,
	);
});

test("the state at any past event equals what it was then", () => {
	using log = openLog();
	const states = runner(log, { every: 7 });
	const then: unknown[] = [];
	for (let n = 1; n <= 40; n++) {
		log.append([custom(`n${n}`)]);
		then.push(structuredClone(states.current().state));
	}
	for (let seq = 1; seq <= 40; seq++) {
		assert.deepEqual(states.at(seq).state, then[seq - 1], `at ${seq}`);
		assert.deepEqual(runner(log, { every: 7 }).at(seq).state, then[seq - 1], `a fresh runner at ${seq}`);
	}
	assert.deepEqual(states.current().state, then[39], "looking back did not disturb what is true now");
	assert.throws(() => states.at(41), EngineError);
	assert.throws(() => states.at(-1), EngineError);
});

test("an event of an unknown type or a newer version is passed over and counted", () => {
	using log = openLog();
	log.append([custom("a"), { ...custom("b"), type: "Hologram" } as NewEvent, custom("c", { v: 9 }), custom("d")]);
	const { state, unknown, seq } = runner(log).current();
	assert.deepEqual({ state, unknown, seq }, { state: { names: { count: 2, last: "d" } }, unknown: 2, seq: 4 });
});

test("a start from a snapshot folds only the events since", () => {
	using log = openLog();
	log.append(many(95));
	const whole = runner(log).current();
	assert.ok(snapshotFiles(log).length > 0, "snapshots were written");
	const fresh = runner(log);
	const folded = stepsOf(() => assert.deepEqual(fresh.current().state, whole.state));
	assert.ok(folded < 10, `folded ${folded}`);
});

test("snapshots are never further apart than the step, while events come one by one or all at once", () => {
	using log = openLog();
	const states = runner(log);
	for (let n = 1; n <= 45; n++) {
		log.append([custom(`n${n}`)]);
		states.current();
	}
	log.append(many(38, 46));
	states.current();
	const seqs = states.snapshots.list().map(({ seq }) => seq);
	assert.deepEqual(seqs, [80, 70, 60, 50, 40, 30, 20, 10]);
});

test("snapshots are private files, and large ones are compressed", () => {
	using log = openLog();
	log.append([custom("x".repeat(200)), custom("y".repeat(40_000))]);
	const states = runner(log);
	const written = states.writeSnapshot()!;
	assert.ok(written.path.endsWith(".json.zst"));
	assert.ok(written.bytes < 5_000);
	assert.equal(statSync(written.path).mode & 0o777, 0o600);
	assert.equal(statSync(join(log.folder, "snapshots")).mode & 0o777, 0o700);
	assert.equal(
		stepsOf(() => assert.equal(runner(log).current().state.names.count, 2)),
		0,
	);
});

test("a damaged snapshot is ignored, and the one before it is used", () => {
	using log = openLog();
	log.append(many(30));
	runner(log).current();
	const [newest] = snapshotFiles(log).slice(-1);
	const path = join(log.folder, "snapshots", newest!);
	const text = readFileSync(path, "utf8");
	for (const broken of [text.replace('"count":30', '"count":31'), text.slice(0, -9), "", "{}\n{}\n", "\u0000\u0001"]) {
		writeFileSync(path, broken);
		const fresh = runner(log);
		const folded = stepsOf(() => assert.deepEqual(fresh.current().state.names, { count: 30, last: "n30" }));
		assert.equal(folded, 10, "from the snapshot at 20");
	}
});

test("a snapshot of another fold version is ignored", () => {
	using log = openLog();
	log.append(many(30));
	runner(log).current();
	assert.equal(
		stepsOf(() => runner(log, { version: 2 }).current()),
		30,
	);
	assert.equal(
		stepsOf(() => runner(log, { version: 1 }).current()),
		0,
		"the older build still finds its own",
	);
});

test("a snapshot of another log is ignored", () => {
	using log = openLog();
	using other = openLog();
	log.append(many(30));
	other.append(many(30, 100));
	runner(log).current();
	runner(other).current();
	for (const name of snapshotFiles(log)) {
		const foreign = readFileSync(join(log.folder, "snapshots", name));
		writeFileSync(join(other.folder, "snapshots", name), foreign);
	}
	assert.deepEqual(runner(other).current().state.names, { count: 30, last: "n129" });
});

test("a log that is read only is folded without writing", () => {
	const folder = join(root, `log-${++folders}`);
	openLog(folder).append(many(50));
	using log = openLog(folder, true);
	assert.equal(runner(log).current().state.names.count, 50);
	assert.deepEqual(snapshotFiles(log), []);
});

test("where snapshots cannot be written the state is told all the same", () => {
	using log = openLog();
	log.append(many(30));
	writeFileSync(join(log.folder, "snapshots"), "a file in the way");
	assert.equal(runner(log).current().state.names.count, 30);
	assert.throws(() => runner(log).writeSnapshot());
});

test("pruning keeps the newest and the base", () => {
	using log = openLog();
	log.append(many(20));
	const states = runner(log);
	states.writeSnapshot({ base: true });
	log.append(many(40, 21));
	states.current();
	const { snapshots } = states;
	assert.equal(snapshots.list().length, 7);
	assert.equal(snapshots.prune(2), 4);
	assert.deepEqual(
		snapshots.list().map(({ seq, base }) => [seq, base]),
		[
			[60, false],
			[50, false],
			[20, true],
		],
	);
	states.writeSnapshot({ base: true });
	assert.deepEqual(
		snapshots
			.list()
			.filter(({ base }) => base)
			.map(({ seq }) => seq),
		[60],
		"a newer base takes the place of the older",
	);
});

test("state survives the pruning of the events that made it, from the base, and says when it cannot be complete", async () => {
	using log = openLog();
	const old = (n: number): NewEvent => ({
		type: "Fault",
		session: "s",
		host: "test",
		ts: 1,
		payload: { where: "x", code: "y", message: `m${n}`, name: `n${n}` } as never,
	});
	log.append(Array.from({ length: 25 }, (_, n) => old(n + 1)));
	const before = structuredClone(runner(log, { every: 1_000 }).current().state);
	runner(log, { every: 1_000 }).writeSnapshot({ base: true });
	await prune(log, { now: 9e12, days: 7, minEvents: 0, apply: true });
	assert.equal(log.count(), 1, "only the Pruned event is left");

	const after = runner(log, { every: 1_000 }).current();
	assert.equal(after.complete, true);
	assert.equal(after.state.names.count, before.names.count + 1);

	const without = new StateRunner<{ names: Names }>(log, { names: namesFold() }, { snapshots: false }).current();
	assert.deepEqual({ complete: without.complete, count: without.state.names.count }, { complete: false, count: 1 });
	assert.equal(runner(log, { every: 1_000 }).at(10).complete, false);
});

test("a log that became shorter is folded anew", () => {
	using log = openLog();
	log.append(many(3));
	const states = runner(log);
	states.current();
	try {
		log.transaction(() => {
			log.append(many(2, 4));
			assert.equal(states.current().seq, 5);
			throw new Error("rolled back");
		});
	} catch {
		// As intended.
	}
	assert.deepEqual(states.current().state.names, { count: 3, last: "n3" });
});

test("folds see records, whole and in order", () => {
	using log = openLog();
	log.append([custom("a", { cause: 1, entry: "e1" }), custom("b")]);
	const seen: EventRecord[] = [];
	const fold: StateFold<object> = {
		name: "seen",
		version: 1,
		initial: () => ({}),
		step: (_, record) => void seen.push(record),
	};
	new StateRunner(log, { seen: fold }).current();
	assert.deepEqual(seen, [...log.read()]);
});

test("who opens the log next in this process goes on where the last one stopped, each state with one owner", () => {
	const folder = join(root, "parked");
	{
		using log = openLog(folder);
		log.append(many(5));
		const states = runner(log);
		states.current();
		states.park();
	}
	using log = openLog(folder);
	log.append([custom("six")]);
	const next = runner(log);
	assert.equal(
		stepsOf(() => assert.deepEqual(next.current().state, { names: { count: 6, last: "six" } })),
		1,
	);
	assert.equal(
		stepsOf(() => assert.equal(runner(log).current().state.names.count, 6)),
		6,
		"nobody shares it",
	);
});

test("a state that was left behind does not count for another log, nor after events have left", async () => {
	const folder = join(root, "parked-again");
	const leave = (names: readonly string[]) => {
		using log = openLog(folder);
		const payload = { where: "x", code: "y" };
		for (const message of names) log.append([{ ...custom(message), type: "Fault", payload: { ...payload, message } }]);
		const states = runner(log);
		states.current();
		states.park();
	};
	leave(["a", "b"]);
	rmSync(folder, { recursive: true });
	{
		using other = openLog(folder);
		other.append([custom("c"), custom("d")]);
		assert.equal(
			stepsOf(() => runner(other).current()),
			2,
		);
	}
	leave(["e"]);
	using log = openLog(folder);
	await prune(log, { now: 9e12, days: 7, minEvents: 0, apply: true });
	assert.ok([...log.read({ types: ["Pruned"] })].length > 0);
	const after = runner(log);
	assert.ok(stepsOf(() => after.current()) > 0);
	assert.equal(after.current().complete, false, "it was folded from what is left");
});

test("folds at most as many events as asked for, and comes to the same state in steps", () => {
	const log = openLog();
	log.append(many(95));
	const stepwise = runner(log);
	const seqs: number[] = [];
	const step = () => void seqs.push(stepwise.current(40).seq);
	assert.equal(stepsOf(step), 40);
	assert.deepEqual(snapshotFiles(log), []);
	log.append(many(5, 96));
	assert.deepEqual([stepsOf(step), stepsOf(step), stepsOf(step)], [40, 20, 0]);
	assert.deepEqual(seqs, [40, 80, 100, 100]);
	const { state, seq, complete } = stepwise.current();
	assert.deepEqual(
		{ state, seq, complete },
		{ state: { names: { count: 100, last: "n100" } }, seq: 100, complete: true },
	);
	log.close();
});
