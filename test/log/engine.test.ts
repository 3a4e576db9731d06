import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type EngineOptions, type GivenEvent, openEngine } from "../../src/engine.ts";
import { verify } from "../../src/log/repair/verify.ts";
import { takePruneNotice } from "../../src/view/pruning.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const root = mkdtempSync(join(tmpdir(), "weft-engine-"));
after(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;
let clock = NOW;

function open(env: NodeJS.ProcessEnv = {}, more: Partial<EngineOptions> = {}) {
	const home = join(root, `home${++homes}`);
	return openEngine({ cwd: root, home, host: "my-agent", session: "s1", env, now: () => clock, ...more });
}

function oldCommands(count: number): GivenEvent[] {
	return Array.from({ length: count }, (_, n) => ({
		type: "CommandRun",
		ts: NOW - 30 * DAY_MS,
		entry: `c${n}`,
		payload: { command: `echo ${n}`, exit: 0, chars: 2, lines: 1, by: "agent", tool: "bash", callId: `c${n}` },
	}));
}

test("record fills in session, host and time, takes events of one's own, and writes nothing twice", () => {
	const engine = open();
	const note = { type: "Custom" as const, entry: "n1", payload: { name: "deploy", data: { to: "staging" } } };
	assert.deepEqual(engine.record([note]), { seqs: [1], added: 1 });
	assert.deepEqual(engine.record([note, { ...note, entry: "n2", session: "s2", ts: 5 }]), { seqs: [1, 2], added: 1 });
	assert.deepEqual(
		[...engine.log.read()].map(({ session, host, ts, payload }) => ({ session, host, ts, payload })),
		[
			{ session: "s1", host: "my-agent", ts: NOW, payload: note.payload },
			{ session: "s2", host: "my-agent", ts: 5, payload: note.payload },
		],
	);
	engine.close();
});

test("debugMode writes what weft does to a file in the data folder, for its owner alone; otherwise there is none", () => {
	const quiet = open();
	quiet.record([{ type: "Custom", payload: { name: "x" } }]);
	quiet.close();
	assert.equal(existsSync(join(quiet.project.folder, "debug.log")), false);

	const engine = open({ WEFT_DEBUG_MODE: "1" });
	engine.record([{ type: "Custom", payload: { name: "x" } }]);
	engine.close();
	const path = join(engine.project.folder, "debug.log");
	const lines = readFileSync(path, "utf8").trimEnd().split("\n");
	assert.equal(lines.length, 3);
	for (const [n, word] of ["open", "record", "close"].entries()) assert.match(lines[n]!, new RegExp(`\\b${word}\\b`));
	assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("the end of a session prunes by the settings what entered long ago, archives first, and leaves a whole log", async () => {
	const env = { WEFT_PRUNE_DAYS: "7", WEFT_MIN_EVENTS_TO_KEEP: "10" };
	const more = { home: join(root, "ended") };
	const engine = open(env, more);
	engine.record(oldCommands(50));
	await engine.endSession();
	assert.equal(existsSync(join(engine.project.folder, "archive")), false, "what was just imported is not old");

	clock = NOW + 8 * DAY_MS;
	const ending = [open(env, more), open(env, more), open(env, more)];
	let told = 0;
	await Promise.all(ending.map(({ endSession }) => endSession({ onPruned: () => told++ })));
	assert.equal(told, 1, "one prunes, the others say nothing");
	const again = open(env, more);
	clock = NOW;
	assert.equal(again.log.count(), 11);
	const archives = readdirSync(join(again.project.folder, "archive"));
	assert.deepEqual(archives, ["events-1-40.jsonl"]);
	assert.deepEqual(verify(again.log).problems, []);
	const notice = takePruneNotice(again.log);
	assert.match(notice ?? "", /^40 old tool events left the log for .+events-1-40\.jsonl\. Messages stay\./);
	assert.equal(takePruneNotice(again.log), undefined, "told once");
	again.close();
});

test("with autoPrune off, and within the floor, nothing leaves", async () => {
	for (const env of [{ WEFT_AUTO_PRUNE: "false", WEFT_MIN_EVENTS_TO_KEEP: "0" }, {}]) {
		const engine = open(env);
		engine.record(oldCommands(50));
		clock = NOW + 8 * DAY_MS;
		await engine.endSession();
		clock = NOW;
		assert.equal(existsSync(join(engine.project.folder, "archive")), false);
		const again = openEngine({ cwd: root, home: join(root, `home${homes}`), host: "h", env, now: () => NOW });
		assert.equal(again.log.count(), 50);
		again.close();
	}
});
