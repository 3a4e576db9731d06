/**
 * Memory over several conversations of the real OpenClaw: words said in one reach the model in a later one, corrected ones as they are
 * now, also after a compaction. Without a model, then with the agent's own, which would bring a corrected value back.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
	jobAnswer,
	judgeRequest,
	MEMORY_TURNS,
	type MemoryTurn,
	UNRELATED_TURNS,
} from "../../test/rig/scene/memory-turns.ts";
import { type Agent, Gateway, keyOf } from "./gateway.ts";
import { wordsOf } from "./measure.ts";
import { ScriptedModel } from "./model.ts";
import { isGood, warm } from "./world.ts";

let model: ScriptedModel;
let gateway: Gateway;

before(async () => {
	model = await ScriptedModel.start();
	model.side = jobAnswer;
	gateway = new Gateway("memory", "weft", model.url);
});
after(async () => {
	await gateway?.stop();
	gateway?.remove();
	model?.stop();
});

for (const memoryModels of ["none", "session"]) {
	const byModel = memoryModels === "session";
	// Each has a workspace of its own, and so a log of its own.
	const agent: Agent = byModel ? "few-200" : "few-64";
	test(`what was said is known in later conversations, never stale, ${byModel ? "with a model" : "without a model"}`, async () => {
		await gateway.stop();
		await gateway.start("weft", { memoryModels, summaries: byModel });
		await warm(gateway, agent);
		const say = async (session: string, words: string): Promise<string> => {
			const key = keyOf(agent, session);
			const from = model.of(key).length;
			isGood(await gateway.turn(agent, session, words), words);
			return model.of(key).slice(from).map(wordsOf).join("\n");
		};
		for (const { said } of MEMORY_TURNS) await say("first", said);
		const corrected = MEMORY_TURNS.filter((turn) => turn.corrected !== undefined);
		for (const turn of corrected) await say("second", turn.corrected ?? "");
		await gateway.request("sessions.compact", { key: keyOf(agent, "second") });
		await say("second", "And now?");
		await say("third", "Hello.");
		const wrong: (string | undefined)[] = [];
		const ask = async (turns: readonly MemoryTurn[]) => {
			for (const turn of turns)
				for (const question of turn.asked) wrong.push(judgeRequest(turn, question, await say("third", question)));
		};
		await ask(MEMORY_TURNS);
		// What was recalled stays in the conversation: these turns must add nothing to it.
		const known = [];
		for (const words of UNRELATED_TURNS) known.push(countKnown(await say("third", words)));
		for (const counts of known) assert.deepEqual(counts, known[0]);
		await gateway.request("sessions.compact", { key: keyOf(agent, "third") });
		await ask(corrected);
		assert.deepEqual(
			wrong.filter((each) => each !== undefined),
			[],
		);
		const jobs = model.requests.filter(({ messages }) => JSON.stringify(messages).includes("You keep the long memory"));
		assert.equal(jobs.length > 0, byModel, `${jobs.length} jobs`);
		assert.equal((await say("third", "How many berths does the harbour have?")).includes("twelve berths"), byModel);
	});
}

function countKnown(sent: string): readonly number[] {
	return MEMORY_TURNS.map(({ needs }) => sent.split(needs).length);
}
