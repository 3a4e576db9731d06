/** Calls that a host makes oddly: twice, late, with nothing, with an odd budget or an odd clock. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContextEngine } from "../../src/agent/openclaw/contract.ts";
import { ledgerFold } from "../../src/context/cache/ledger.ts";
import { calls, NOON, place, result, says, user, worked } from "./rig.ts";

const S = { sessionId: "s1", sessionKey: "agent:main:s1" };
type Params<Name extends keyof ContextEngine> = Parameters<
	Extract<ContextEngine[Name], (...args: never) => unknown>
>[0];

test("the same message twice in one batch is one; equal words at another time are two", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const said = user("ok", 1);
	assert.deepEqual(await weft.ingestBatch({ ...S, messages: [said, said, { ...said }] }), { ingestedCount: 1 });
	const results = [calls("c1", "ls", 2), result("c1", "a.ts", 3), result("c1", "a.ts", 3), user("ok", 4)];
	assert.deepEqual(await weft.ingestBatch({ ...S, messages: results }), { ingestedCount: 3 });
	assert.equal(events("Message").length, 4);
});

test("a late rollback of a spawn does not undo the next spawn of the same child", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	await weft.ingest({ ...S, message: user("go", 1) });
	const spawn = {
		parentSessionKey: S.sessionKey,
		childSessionKey: "agent:main:subagent:c",
		contextMode: "fork",
	} as const;
	const first = await weft.prepareSubagentSpawn(spawn);
	const second = await weft.prepareSubagentSpawn(spawn);
	await first?.rollback();
	const states = () => events("Custom").flatMap(({ payload }) => (payload["data"] as { state?: string }).state ?? []);
	assert.deepEqual(states(), ["prepared", "prepared"]);
	await second?.rollback();
	assert.deepEqual(states(), ["prepared", "prepared", "rolled-back"]);
});

test("calls with nothing in them change nothing, and dispose needs no engine before its dot", async (t) => {
	const { engine, events, warnings } = place(t);
	const weft = engine();
	await weft.ingestBatch({ ...S, messages: [user("hello", 1), says("hi", 2)] });
	assert.deepEqual(await weft.ingest(undefined as unknown as Params<"ingest">), { ingested: false });
	assert.deepEqual(await weft.ingest({ ...S } as unknown as Params<"ingest">), { ingested: false });
	assert.deepEqual(await weft.ingestBatch({ ...S } as unknown as Params<"ingestBatch">), { ingestedCount: 0 });
	const { messages } = await weft.assemble({ ...S } as unknown as Params<"assemble">);
	assert.deepEqual(messages, []);
	// A list that is missing is no reset: the conversation is the same.
	await weft.ingestBatch({ ...S, messages: [user("more", 3)] });
	assert.deepEqual(new Set(events("Message").map(({ session }) => session)), new Set(["s1"]));
	const { dispose } = weft;
	await dispose();
	assert.deepEqual(warnings, []);
});

test("an odd budget counts for its own call: it seals nothing, and the next call has its room again", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const messages = worked(20, 500);
	const whole = await weft.assemble({ ...S, messages, tokenBudget: 40_000 });
	await weft.assemble({ ...S, messages, tokenBudget: 1 });
	assert.deepEqual((await weft.assemble({ ...S, messages, tokenBudget: 40_000 })).messages, whole.messages);
	assert.equal(events("Seal").length, 0);
});

test("a clock with fractions: everything that was acknowledged can be read", async (t) => {
	const { engine, look, warnings } = place(t);
	const weft = engine({ now: () => NOON + 0.625 });
	const messages = [
		{ ...user("hello", 1), timestamp: NOON - 100.5 },
		{ ...says("hi", 2), timestamp: NOON - 50.25 },
	];
	const turn = { ...S, advancementKey: "t1", messages } as unknown as Params<"commitTurn">;
	assert.equal((await weft.commitTurn(turn)).status, "committed");
	await weft.compact({ ...S, force: true } as Params<"compact">);
	await weft.dispose();
	const wrong = look(({ log }) => [...log.read({ everything: true })].filter((record) => record.wrong !== undefined));
	assert.deepEqual(wrong, []);
	assert.equal((await engine().commitTurn(turn)).status, "duplicate");
	assert.deepEqual(warnings, []);
});

test("what the host says of the provider's cache is in the ledger, once", async (t) => {
	const { engine, look } = place(t);
	const changes = [{ code: "systemPrompt", detail: "the system prompt has another skill" }];
	const observation = { broke: true, previousCacheRead: 9_000, cacheRead: 1_000, changes };
	const end = async (promptCache: object, at: number) => {
		const weft = engine();
		const messages = [user("hello", 1), says("hi", 2), user("more", at), says("yes", at + 1)];
		const params = { ...S, messages, prePromptMessageCount: 0, runtimeContext: { promptCache } };
		await weft.afterTurn(params as unknown as Params<"afterTurn">);
		await weft.dispose();
	};
	await end({ retention: "long", observation }, 3);
	await end({ retention: "long", observation: { broke: false } }, 5);
	const ledger = look(({ log }) => {
		const state = ledgerFold.initial();
		for (const record of log.read()) ledgerFold.step(state, record);
		return Object.values(state.sessions).flatMap(({ breaks }) => breaks);
	});
	assert.deepEqual(
		ledger.map(({ kind, tokens, cause, explained }) => ({ kind, tokens, cause, explained })),
		[{ kind: "missed", tokens: 8_000, cause: "the host says: the system prompt has another skill", explained: true }],
	);
});
