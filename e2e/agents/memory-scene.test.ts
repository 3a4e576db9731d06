/**
 * Memory over several sessions of the real Claude Code with weft's plugin: words said in one session reach the model in a later one,
 * corrected ones as they are now. Without a model, then with one that the user's key reaches.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeRequest, MEMORY_TURNS, modelAnswer, UNRELATED_TURNS } from "../../test/rig/scene/memory-turns.ts";
import { ClaudeWorld } from "./claude-world.ts";

for (const env of [{ WEFT_MEMORY_MODELS: "none" }, { WEFT_MEMORY_MODELS: "session" }]) {
	const byModel = env.WEFT_MEMORY_MODELS === "session";
	test(`what was said is known in later sessions, never stale, ${byModel ? "with a model" : "without a model"}`, async (t) => {
		const world = await ClaudeWorld.start({ "relay.js": "listen();\n" });
		t.after(() => world.close());
		const { script } = world;
		script.side = modelAnswer;
		const play = async (turns: readonly string[]): Promise<readonly string[]> => {
			const claude = world.open({ env });
			const sent: string[] = [];
			for (const turn of turns) {
				let given = "";
				script.add(({ body }) => {
					given = body;
					return { text: "Understood." };
				});
				await claude.turn(turn);
				sent.push(given);
			}
			assert.equal(await claude.end(), 0, claude.told);
			return sent;
		};
		const said = MEMORY_TURNS.map((turn) => turn.said);
		await play(said);
		await play(MEMORY_TURNS.flatMap(({ corrected }) => corrected ?? []));
		const before = byModel ? 1 : 0;
		const jobs = world.requests.filter(({ body }) => body.includes("You keep the long memory"));
		assert.ok(jobs.length >= before && (byModel || jobs.length === 0), `${jobs.length} jobs`);
		const asked = MEMORY_TURNS.flatMap((turn) => turn.asked.map((question) => ({ turn, question })));
		const berths = "How many berths does the harbour have?";
		const questions = [...asked.map(({ question }) => question), berths];
		const sent = await play(["Hello.", ...questions, ...UNRELATED_TURNS]);
		const answers = asked.map(({ turn, question }, n) => judgeRequest(turn, question, sent[n + 1] ?? ""));
		assert.deepEqual(
			answers.filter((each) => each !== undefined),
			[],
		);
		assert.equal(sent[questions.length]?.includes("twelve berths"), byModel);
		// What was recalled stays in the conversation: the last turns must add nothing to it.
		const known = sent.slice(questions.length).map((body) => MEMORY_TURNS.map(({ needs }) => body.split(needs).length));
		for (const counts of known) assert.deepEqual(counts, known[0]);
	});
}
