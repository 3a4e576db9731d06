import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { ContextEngine } from "../../src/agent/openclaw/contract.ts";
import { Sessions } from "../../src/agent/openclaw/sessions.ts";
import { openEngine } from "../../src/engine.ts";
import { calls, NOON, place, result, says, user, worked } from "./rig.ts";

const S = { sessionId: "s1", sessionKey: "agent:main:s1" };
const messages = [...worked(40, 1_000), user("And now?", 500)];

/** Whatever is wrong with us: the host gets its own messages, and every call an answer of the right shape. */
async function leavesTheHostAlone(weft: ContextEngine): Promise<void> {
	const answer = await weft.assemble({ ...S, messages, tokenBudget: 40_000 });
	assert.equal(answer.messages, messages);
	assert.equal(answer.promptAuthority, "preassembly_may_overflow");
	assert.ok(answer.estimatedTokens > 30_000);
	assert.equal(answer.systemPromptAddition, undefined);
	assert.equal((await weft.bootstrap({ ...S, sessionFile: "agent:main:s1" })).bootstrapped, false);
	assert.equal((await weft.maintain(S)).changed, false);
	assert.deepEqual(await weft.ingest({ ...S, message: user("Hello.", 1) }), { ingested: false });
	assert.deepEqual(await weft.ingestBatch({ ...S, messages }), { ingestedCount: 0 });
	await weft.afterTurn({ ...S, messages, prePromptMessageCount: 0 });
	const compacted = await weft.compact({ ...S, force: true });
	assert.deepEqual([compacted.ok, compacted.compacted], [false, false]);
	assert.equal(await weft.prepareSubagentSpawn({ parentSessionKey: "a", childSessionKey: "b" }), undefined);
	await weft.onSubagentEnded({ childSessionKey: "b", reason: "deleted" });
	await weft.dispose();
}

test("a data home that cannot be made: the host works as without weft, and compacts itself", async (t) => {
	const { engine, cwd, warnings } = place(t);
	const home = join(cwd, "a.ts", "home");
	const weft = engine({ home });
	assert.equal(weft.info.ownsCompaction, false);
	await leavesTheHostAlone(weft);
	const turn = { ...S, advancementKey: "t", messages: [] };
	await assert.rejects(weft.commitTurn(turn), {
		code: "closed",
		message: /^weft cannot record this turn: its log could not be opened: /,
	});
	assert.equal(warnings.length, 1, warnings.join("\n"));
	assert.match(warnings[0]!, /^its log could not be opened: /);
});

test("an engine that was disposed of answers as if it were not there", async (t) => {
	const weft = place(t).engine();
	await weft.dispose();
	await leavesTheHostAlone(weft);
	await assert.rejects(weft.commitTurn({ ...S, advancementKey: "t", messages: [] }), { code: "closed" });
});

test("a log that is no database: the host works as without weft", async (t) => {
	const { engine, look } = place(t);
	const path = look(({ log }) => log.path);
	for (const end of ["", "-wal", "-shm"]) writeFileSync(`${path}${end}`, "not a database, for sure ".repeat(400));
	await leavesTheHostAlone(engine());
});

test("where weft cannot compact the host does, so that a long session goes on", async (t) => {
	const { engine, cwd } = place(t);
	const asked: unknown[] = [];
	const compacted = { ok: true, compacted: true, result: { tokensBefore: 90_000, tokensAfter: 9_000 } };
	const delegate = async (params: unknown) => {
		asked.push(params);
		return compacted;
	};
	const overflow = { ...S, force: true, currentTokenCount: 90_000, runtimeContext: { trigger: "overflow" } } as const;
	const working = engine({ delegate });
	await working.ingestBatch({ ...S, messages });
	assert.equal((await working.compact(overflow)).compacted, true);
	assert.deepEqual(asked, [], "weft can");
	await working.dispose();
	assert.deepEqual(await working.compact(overflow), compacted, "the log is closed");
	const home = join(cwd, "a.ts", "home");
	assert.deepEqual(await engine({ delegate, home }).compact(overflow), compacted, "the log cannot be opened");
	assert.deepEqual(asked, [overflow, overflow]);
	const failing = engine({ home, delegate: () => Promise.reject(new Error("no model")) });
	assert.equal((await failing.compact(overflow)).compacted, false);
});

test("turned off in the settings: nothing is recorded and nothing changed", async (t) => {
	const { engine, events, warnings } = place(t, { WEFT_ENABLED: "false" });
	const weft = engine();
	// The host must not keep the turn for us, or it would warn at every one that follows.
	const turn = { ...S, advancementKey: "t", messages: [user("Hello.", 1)] };
	assert.deepEqual(await weft.commitTurn(turn), { status: "committed" });
	await leavesTheHostAlone(weft);
	assert.deepEqual([events("Message"), warnings], [[], []]);
});

test("a log that fails in the middle of the work: this request goes out as the host has it, the next one is ours again", async (t) => {
	const { engine, look, events, warnings } = place(t);
	const weft = engine();
	await weft.ingest({ ...S, message: user("Hello.", 1) });
	const path = look(({ log }) => log.path);
	const saboteur = new DatabaseSync(path);
	saboteur.exec("CREATE TRIGGER sabotage BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'out of order'); END");
	const failed = await weft.assemble({ ...S, messages: [user("Hello.", 1), ...messages], tokenBudget: 40_000 });
	assert.equal(failed.messages.length, messages.length + 1);
	await assert.rejects(weft.commitTurn({ ...S, advancementKey: "t1", messages: [user("Hello.", 1), says("Yes.", 2)] }));
	saboteur.exec("DROP TRIGGER sabotage");
	saboteur.close();
	const recovered = await weft.assemble({ ...S, messages: [user("Hello.", 1), ...messages], tokenBudget: 40_000 });
	assert.ok(recovered.messages.length < messages.length);
	assert.deepEqual(
		events("Fault").map(({ payload }) => payload["where"]),
		["openclaw.assemble", "openclaw.commitTurn"],
	);
	assert.equal(warnings.length, 1);
	assert.deepEqual(
		await weft.commitTurn({ ...S, advancementKey: "t1", messages: [user("Hello.", 1), says("Yes.", 2)] }),
		{
			status: "committed",
		},
	);
});

/** From now on each commit of an event fails at its very end, as on a full disk; gives what ends that. */
function failAtCommit(path: string): () => void {
	const saboteur = new DatabaseSync(path);
	saboteur.exec(`
		CREATE TABLE IF NOT EXISTS whole (id INTEGER PRIMARY KEY);
		CREATE TABLE IF NOT EXISTS part (id INTEGER REFERENCES whole DEFERRABLE INITIALLY DEFERRED);
		CREATE TRIGGER sabotage AFTER INSERT ON event BEGIN INSERT INTO part VALUES (1); END`);
	return () => {
		saboteur.exec("DROP TRIGGER sabotage");
		saboteur.close();
	};
}

test("a turn whose commit fails at its end leaves nothing behind: what was rolled back is never shown", async (t) => {
	const { engine, look } = place(t);
	const weft = engine();
	const turn = (word: string, at: number) => [
		user(`${word} is what I ask for.`, at),
		calls(`c${at}`, `cat ${word}`, at + 1),
		result(`c${at}`, `${word} stands there. `.repeat(500), at + 2),
		{ ...says(`${word} it is.`, at + 3), usage: { input: 9_000, output: 9, cacheRead: 0, cacheWrite: 0 } },
	];
	const commit = (messages: ReturnType<typeof turn>, advancementKey: string) =>
		weft.commitTurn({ ...S, advancementKey, messages, runtimeContext: { modelContextWindow: 64_000 } });
	const [first, lost, next] = [turn("HERON", 1), turn("PELICAN", 11), turn("GANNET", 21)];
	await commit(first, "t1");
	const path = look(({ log }) => log.path);
	const mend = failAtCommit(path);
	await assert.rejects(commit(lost, "t2"), /constraint failed/);
	mend();
	// Its events get the places that those of the lost turn had.
	assert.deepEqual(await commit(next, "t3"), { status: "committed" });
	const overflow = { tokenBudget: 64_000, force: true, currentTokenCount: 90_000 };
	const { result: compacted } = await weft.compact({ ...S, ...overflow, runtimeContext: { trigger: "overflow" } });
	const shown = await weft.assemble({ ...S, messages: [...first, ...next], tokenBudget: 60_000, prompt: "Go on." });
	for (const text of [compacted?.summary, JSON.stringify(shown)]) {
		assert.match(text ?? "", /GANNET/);
		assert.doesNotMatch(text ?? "", /PELICAN/);
	}
	assert.deepEqual(await commit(lost, "t2"), { status: "committed" });
});

test("the state of a session is not that of a transaction that was rolled back, though another event has its place", async (t) => {
	const { cwd, home } = place(t);
	const [one, other] = [1, 2].map(() => openEngine({ cwd, home, host: "openclaw", env: {}, now: () => NOON }));
	const [ours, theirs] = [one!, other!].map((engine) => new Sessions({ engine, cwd, now: () => NOON }));
	ours!.record(S, [user("Hello.", 1), says("Hi.", 2)], "path");
	const failing = () =>
		one!.log.transaction(() => {
			one!.record([{ type: "Custom", session: "s1", host: "openclaw", payload: { name: "rolled back" } }]);
			assert.equal(ours!.state(S).nth, 1);
			throw new Error("The disk is full.");
		});
	assert.throws(failing, /The disk is full/);
	theirs!.reset(S);
	assert.equal(ours!.state(S).nth, 2);
	for (const engine of [one!, other!]) engine.close();
});

test("a seed that belongs to none of the messages is handed back as it came", async (t) => {
	const { engine, events } = place(t);
	const sealed = await engine().assemble({ ...S, messages, tokenBudget: 40_000 });
	const foreign = [sealed.messages[0]!, user("Of another session.", 900)];
	const answer = await engine().assemble({ sessionId: "s9", messages: foreign, tokenBudget: 40_000 });
	assert.equal(answer.messages, foreign);
	assert.equal(events("Fault", "s9").length, 1);
});

test("messages of no known shape do no harm", async (t) => {
	const weft = place(t).engine();
	const odd = [
		{ role: "user" },
		{ role: "", content: null },
		{ role: "assistant", content: "text" },
		{ role: "user", content: 7 },
	];
	const answer = await weft.assemble({ ...S, messages: odd as never, tokenBudget: 40_000 });
	assert.deepEqual(answer.messages, odd);
	assert.deepEqual(await weft.ingestBatch({ ...S, messages: odd as never }), { ingestedCount: 0 });
});

test("numbers that are none and contexts that are null are taken for nothing said", async (t) => {
	const { engine, warnings } = place(t);
	const weft = engine();
	for (const tokenBudget of [Number.NaN, 0, -1, Number.POSITIVE_INFINITY]) {
		const none = { ...S, tokenBudget, runtimeContext: null } as never as { sessionId: string };
		await weft.assemble({ ...none, messages });
		await weft.afterTurn({ ...none, messages, prePromptMessageCount: 0 });
		assert.equal((await weft.compact(none)).ok, true);
	}
	assert.deepEqual(warnings, []);
});
