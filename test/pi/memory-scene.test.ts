/**
 * Memory over several sessions of the real Pi: words of five languages that one session said reach the model in a later one, corrected
 * ones as they are now, also after a compaction. Without a model, then with one that would bring corrected values back.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PLANTED, UNRELATED } from "../memory/scene-words.ts";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { WEFT_EXTENSION } from "../rig/pi.ts";
import { type PiRpc, startPiRpc } from "../rig/pi-rpc.ts";
import { jobAnswer, judgeRequest, MEMORY_TURNS, type MemoryTurn } from "../rig/scene/memory-turns.ts";
import { makePiWorkspace } from "../rig/workspace.ts";

const FEW_UNRELATED = UNRELATED.slice(0, 10);

/** Some of each language, those that are corrected later among them. */
const SHARE = Object.values(PLANTED).flatMap((words) => words.slice(0, 4));

for (const memoryModels of ["none", "session"]) {
	const byModel = memoryModels === "session";
	const turns: readonly MemoryTurn[] = byModel ? MEMORY_TURNS : SHARE;
	test(`what was said is known in later sessions, never stale, ${byModel ? "with a model" : "without a model"}`, async () => {
		using workspace = makePiWorkspace({
			files: { "relay.js": "listen();\n" },
			piSettings: { compaction: { keepRecentTokens: 30 } },
		});
		let jobs = 0;
		const script = (request: ModelRequest): ModelAnswer => {
			if ("tools" in request.json) return { text: "Understood." };
			const text = jobAnswer(request.body);
			if (text !== undefined) jobs++;
			return { text: text ?? "A summary of what was said so far." };
		};
		const env = { WEFT_MEMORY_MODELS: memoryModels };
		const session = async (work: (say: (words: string) => Promise<string>, pi: PiRpc) => Promise<void>) => {
			await using pi = await startPiRpc({ workspace, script, extensions: [WEFT_EXTENSION], env });
			await work(async (words) => {
				await pi.prompt(words);
				return pi.requests.findLast(({ json }) => "tools" in json)?.body ?? "";
			}, pi);
		};
		await session(async (say) => {
			for (const { said } of turns) await say(said);
		});
		await session(async (say, pi) => {
			for (const { corrected } of turns) if (corrected !== undefined) await say(corrected);
			await pi.command("compact").catch(() => {});
		});
		await session(async (say, pi) => {
			const wrong: (string | undefined)[] = [];
			const ask = async (asked: readonly MemoryTurn[]) => {
				for (const turn of asked)
					for (const question of turn.asked) wrong.push(judgeRequest(turn, question, await say(question)));
			};
			await say("Hello.");
			await ask(turns);
			const given: string[] = [];
			for (const words of FEW_UNRELATED) given.push(await say(words));
			const blocks = given.map((body) => body.split("<runtime_context>").length);
			assert.deepEqual(new Set(blocks).size, 1, "unrelated turns are given nothing");
			await pi.command("compact");
			await ask(turns.filter(({ stale }) => stale !== undefined));
			assert.deepEqual(
				wrong.filter((each) => each !== undefined),
				[],
			);
			assert.equal((await say("How many berths does the harbour have?")).includes("twelve berths"), byModel);
		});
		assert.equal(jobs > 0, byModel, `${jobs} jobs`);
	});
}
