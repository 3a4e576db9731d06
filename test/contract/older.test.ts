/** The older contract alone: ingest, ingestBatch, afterTurn, assemble, compact. Every field of it means something. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { AgentMessage, TranscriptRewriteRequest } from "../../src/agent/openclaw/contract.ts";
import { NOON, place, says, textOf, user, worked } from "../openclaw/rig.ts";

const S = { sessionId: "s1", sessionKey: "agent:main:s1" };
const BUDGET = 40_000;
const HOUR_MS = 3_600_000;

test("what afterTurn finds over its budget is worked off by maintain, where the host allows it", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const messages = worked(20, 1_000);
	await weft.ingestBatch({ ...S, messages });
	await weft.afterTurn({ ...S, messages, prePromptMessageCount: 0, tokenBudget: 12_000 });
	await weft.maintain(S);
	assert.equal(events("Seal").length, 0);
	await engine().maintain({ ...S, runtimeContext: { allowDeferredCompactionExecution: true } });
	assert.equal(events("Seal").length, 1);
	await engine().maintain({ ...S, runtimeContext: { allowDeferredCompactionExecution: true } });
	assert.equal(events("Seal").length, 1, "nothing is owed any more");
});

test("a cache that has run out, by the host's own word, makes a seal free", async (t) => {
	const { engine, events } = place(t);
	const messages = [...worked(28, 1_000), user("And now?", 500)];
	const turn = async (promptCache: { expiresAt?: number; lastCacheTouchAt?: number }) => {
		const weft = engine();
		await weft.afterTurn({ ...S, messages, prePromptMessageCount: 0, runtimeContext: { promptCache } });
		await engine().assemble({ ...S, messages, tokenBudget: 400_000 });
	};
	await turn({ expiresAt: NOON + HOUR_MS });
	assert.equal(events("Seal").length, 0);
	await turn({ lastCacheTouchAt: NOON - HOUR_MS });
	assert.deepEqual(
		events("Seal").map(({ payload }) => payload["why"]),
		["cold-cache"],
	);
});

test("what the provider counted of the last call, by the host's word, counts where the answer does not say it", async (t) => {
	const compacted = async (lastCallUsage?: { input: number; cacheRead: number }) => {
		const { engine } = place(t);
		const weft = engine();
		const messages = [...worked(20, 1_000), says("Done.", 500)];
		await weft.afterTurn({
			...S,
			messages,
			prePromptMessageCount: 0,
			runtimeContext: { promptCache: { lastCallUsage } },
		});
		const { result } = await weft.compact({ ...S, tokenBudget: BUDGET, force: true });
		return result!;
	};
	const without = await compacted();
	const usage = { input: without.tokensBefore - 10_000, cacheRead: 19_000 };
	const { tokensBefore, tokensAfter } = await compacted(usage);
	// System and tools: what was counted less what was sent; the answer itself is not part of that.
	const overhead = tokensBefore - without.tokensBefore;
	assert.ok(overhead >= 9_000 && overhead < 9_200, `${overhead}`);
	assert.ok(tokensAfter! > without.tokensAfter! + overhead / 2, `${tokensAfter} after ${without.tokensAfter}`);
});

test("the user's instructions are in the summary, with a model or without", async (t) => {
	const { engine } = place(t);
	const weft = engine();
	await weft.ingestBatch({ ...S, messages: worked(20, 1_000) });
	const customInstructions = "Keep the name of every part.";
	const { result } = await weft.compact({ ...S, tokenBudget: BUDGET, force: true, customInstructions });
	assert.match(result?.summary ?? "", /Keep the name of every part\./);
	assert.deepEqual([result && "sessionId" in result, result && "sessionFile" in result], [false, false]);
});

test("a sub-agent that was prepared and not begun in its time has ended", async (t) => {
	const { engine } = place(t);
	const messages = [...worked(28, 1_000), user("And now?", 500)];
	const parent = await engine().assemble({ ...S, messages, tokenBudget: BUDGET });
	const child = async (id: string, now: number) => {
		const spawn = { parentSessionKey: S.sessionKey, parentSessionId: "s1", childSessionKey: `agent:main:${id}` };
		await engine().prepareSubagentSpawn({ ...spawn, contextMode: "fork", ttlMs: HOUR_MS });
		const session = { sessionId: id, sessionKey: spawn.childSessionKey };
		const given = [...messages, user("Your task.", 600)];
		return engine({ now: () => now }).assemble({ ...session, messages: given, tokenBudget: 1_000_000 });
	};
	assert.equal(textOf((await child("soon", NOON + 1)).messages[0]), textOf(parent.messages[0]));
	assert.notEqual(textOf((await child("late", NOON + HOUR_MS + 1)).messages[0]), textOf(parent.messages[0]));
});

/** A session file as older hosts write it, with the entries' own ids. */
function writeFile(folder: string, messages: readonly AgentMessage[]): string {
	const entries = messages.map((message, at) => {
		return { type: "message", id: `entry-${at}`, parentId: at === 0 ? null : `entry-${at - 1}`, message };
	});
	const sessionFile = join(folder, "s1.jsonl");
	writeFileSync(
		sessionFile,
		[{ type: "session", id: "s1" }, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""),
	);
	return sessionFile;
}

test("a compaction names the first kept entry of the host's session file, also one that was written since bootstrap", async (t) => {
	const { engine, cwd } = place(t);
	const weft = engine();
	const messages = worked(30, 1_000);
	await weft.bootstrap({ ...S, sessionFile: writeFile(cwd, messages.slice(0, 20)) });
	const sessionFile = writeFile(cwd, messages);
	await weft.afterTurn({ ...S, sessionFile, messages, prePromptMessageCount: 20 });
	const { result } = await weft.compact({ ...S, sessionFile, tokenBudget: 20_000, force: true });
	const at = Number(/^entry-(\d+)$/.exec(result?.firstKeptEntryId ?? "")?.[1]);
	const shown = await weft.assemble({ ...S, messages, tokenBudget: 20_000 });
	assert.deepEqual(shown.messages[1], messages[at]);
});

test("results in an older host's session file are rewritten where the setting says so", async (t) => {
	const { engine, cwd } = place(t);
	const weft = engine({ rewriteTranscript: true });
	const messages = worked(30, 1_000);
	const sessionFile = writeFile(cwd, messages);
	await weft.bootstrap({ ...S, sessionFile });
	const availableTools = new Set(["lcm_grep", "lcm_describe", "lcm_expand"]);
	await weft.assemble({ ...S, messages, tokenBudget: 20_000, availableTools });
	const rewritten: string[] = [];
	const rewriteTranscriptEntries = async ({ replacements }: TranscriptRewriteRequest) => {
		rewritten.push(...replacements.map(({ entryId }) => entryId));
		return { changed: true, bytesFreed: 1, rewrittenEntries: replacements.length };
	};
	const runtimeContext = { rewriteTranscriptEntries, allowDeferredCompactionExecution: true };
	await weft.maintain({ ...S, sessionFile, runtimeContext });
	const roles = rewritten.map((id) => messages[Number(id.slice("entry-".length))]?.role);
	assert.deepEqual([roles.length > 0, new Set(roles)], [true, new Set(["toolResult"])]);
});

test("budget and count of the runtime's context mean what those beside it mean", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const messages = worked(20, 1_000);
	await weft.afterTurn({ ...S, messages, prePromptMessageCount: 0, tokenBudget: 0 });
	await weft.maintain({ ...S, runtimeContext: { allowDeferredCompactionExecution: true } });
	assert.equal(events("Seal").length, 0, "a budget of nothing is none");
	await weft.afterTurn({ ...S, messages, prePromptMessageCount: 0, runtimeContext: { tokenBudget: 12_000 } });
	await weft.maintain({ ...S, runtimeContext: { allowDeferredCompactionExecution: true } });
	assert.equal(events("Seal").length, 1);
	const { compacted, result } = await weft.compact({ ...S, runtimeContext: { currentTokenCount: 90_000 } });
	assert.deepEqual([compacted, result?.tokensBefore], [true, 90_000]);
});

test("each summary of a compaction that the host made by itself is kept, once", async (t) => {
	const { engine, events } = place(t);
	const weft = engine();
	const messages = [user("Hello.", 1), says("Hi.", 2)];
	for (const autoCompactionSummary of ["The first.", "The second.", "The second."])
		await weft.afterTurn({ ...S, messages, prePromptMessageCount: 0, autoCompactionSummary });
	const kept = events("Entry").map(({ payload }) => (payload["raw"] as { summary: string }).summary);
	assert.deepEqual(kept, ["The first.", "The second."]);
});
