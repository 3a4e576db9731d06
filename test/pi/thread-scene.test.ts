/**
 * A long session in the real Pi: rules early, then pastes, skills, side questions, corrections, reversals and calls that the user
 * stops. What reaches the wire after each seal holds every rule and newest value, and nothing that was replaced as current.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seedOpening } from "../../src/context/section/header.ts";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { WEFT_EXTENSION } from "../rig/pi.ts";
import { type PiRpc, startPiRpc } from "../rig/pi-rpc.ts";
import { longSession, type SceneRound, SKILL_TEXT } from "../rig/scene/long-session.ts";
import { NOTHING_LOST, PlantedWatch } from "../rig/scene/planted-watch.ts";
import { SCENE_FILES } from "../rig/scene/scene-files.ts";
import type { SceneWords } from "../rig/scene/scene-words.ts";
import { SCENES } from "../rig/scene/scenes.ts";
import { makePiWorkspace } from "../rig/workspace.ts";
import { messagesOf, textIn } from "./wire.ts";

const MIN_SEALS = 3;
/** Fewer, fuller turns than in the planner's test: each takes a second. */
const LINES_PER_TURN = 3;
const SKILL = `---\nname: essay\ndescription: Writes essays.\n---\n${SKILL_TEXT}\n`;

for (const scene of SCENES) {
	test(`${scene.language}: after each seal the wire holds all that holds, and nothing stale`, async () => {
		using workspace = makePiWorkspace({ files: { ...SCENE_FILES, ".pi/skills/essay/SKILL.md": SKILL } });
		const session = new ScriptedSession();
		await using pi = await startPiRpc({
			workspace,
			extensions: [WEFT_EXTENSION],
			models: [{ id: "claude-sonnet-4-5" }],
			// Nothing that was read is changed, so a large window would be kept nearly whole.
			contextWindow: 110_000,
			script: session.answer,
			args: ["--approve", "--skill", ".pi/skills/essay"],
			timeLimitMs: 300_000,
		});
		await session.play(scene, pi);
		assert.ok(session.watch.seals >= MIN_SEALS, `${session.watch.seals} seals`);
		assert.deepEqual(session.watch.figures, NOTHING_LOST);
	});
}

class ScriptedSession {
	readonly watch = new PlantedWatch();
	readonly #steps: ModelAnswer[] = [];
	#seed = "";
	#calls = 0;

	answer = (request: ModelRequest): ModelAnswer => {
		const [first, ...tail] = messagesOf(request);
		const [seed = "", ...rest] = (first?.content ?? []).map((block) => block.text ?? "");
		if (seed !== this.#seed && seed.includes(seedOpening({ namesTools: true }))) {
			const shown = tail.flatMap(({ content }) => content.map((block) => block.text ?? textIn(block.content ?? "")));
			this.watch.judge({ seed, tail: [...rest, ...shown].join("\n"), isSeedOlder: true });
		}
		this.#seed = seed;
		return this.#steps.shift() ?? { text: "There is nothing more to do." };
	};

	async play(scene: SceneWords, pi: PiRpc): Promise<void> {
		for (const round of longSession(scene, { linesPerTurn: LINES_PER_TURN })) await this.#round(round, pi);
	}

	async #round(round: SceneRound, pi: PiRpc): Promise<void> {
		const { turn, index } = round;
		if (turn.how === "refusal") await this.#stopCall(pi);
		this.watch.say(round);
		switch (turn.how) {
			case "aside":
				this.watch.say({ ...round, turn: { how: "message", text: turn.text } });
				this.#steps.push({ text: "Noted." });
				await pi.prompt(turn.text);
				this.watch.say(round);
				this.#steps.push({ text: `Short answer ${index}.` });
				await pi.prompt(turn.question);
				return;
			case "answers": {
				// Pi's model asks in words, so the user answers in a message.
				const text = turn.texts.map((each, at) => `${at + 1}. ${each}`).join("\n");
				this.watch.say({ ...round, turn: { how: "message", text } });
				return this.#work(round, pi, text);
			}
			case "command":
				return this.#work(round, pi, `/review ${turn.text}`);
			case "skill":
				return this.#work(round, pi, `/skill:essay ${turn.text}`);
			default:
				return this.#work(round, pi, turn.text);
		}
	}

	/** Pi has no words for a refusal: the user stops the call and types. */
	async #stopCall(pi: PiRpc): Promise<void> {
		this.#steps.push({ toolCalls: [this.#call("bash", { command: "sleep 60" })] });
		const started = pi.next(({ type }) => type === "tool_execution_start");
		const rests = pi.prompt("Deploy it.");
		await started;
		await pi.command("abort");
		await rests;
	}

	async #work({ index, answers: [first, last] }: SceneRound, pi: PiRpc, prompt: string): Promise<void> {
		const calls = [
			this.#call("read", { path: `src/part-${index % 7}.ts` }),
			this.#call("bash", { command: `sh check.sh ${index}` }),
		];
		this.#steps.push({ text: first, toolCalls: calls }, { text: last });
		await pi.prompt(prompt);
	}

	#call(name: string, args: Readonly<Record<string, unknown>>) {
		return { id: `scene_${++this.#calls}`, name, args };
	}
}
