/**
 * A long session in the real Claude Code behind the proxy: rules early, then pastes, side questions, a skill, a command, answers in a
 * dialog, calls refused with words, corrections and reversals. What reaches the model after each seal holds every rule and newest
 * value, and nothing that was replaced as current.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seedOpening } from "../../src/context/section/header.ts";
import type { ModelAnswer, ModelRequest } from "../../test/rig/answer.ts";
import { longSession, questionOf, REFUSED, type SceneRound, SKILL_TEXT } from "../../test/rig/scene/long-session.ts";
import { NOTHING_LOST, PlantedWatch } from "../../test/rig/scene/planted-watch.ts";
import { SCENE_FILES } from "../../test/rig/scene/scene-files.ts";
import { SCENES } from "../../test/rig/scene/scenes.ts";
import { type ClaudeProcess, ClaudeWorld } from "./claude-world.ts";
import { messagesOf } from "./epochs.ts";

/** Fewer, fuller turns than in the planner's test: each takes seconds. */
const LINES_PER_TURN = 4;
const FILES = {
	...SCENE_FILES,
	".claude/skills/essay/SKILL.md": `---\nname: essay\ndescription: Writes essays.\n---\n${SKILL_TEXT}\n`,
	".claude/commands/review.md": "Look at it again, with this in mind: $ARGUMENTS\n",
	".claude/settings.json": JSON.stringify({ permissions: { ask: ["Bash(make:*)"] } }),
};
/** Claude Code compacts at its own limit; the model says that it is reached. */
const TURNS_PER_SEAL = 9;
/** Only rounds that work fill the window; test/engine/thread-scenes.test.ts has more seals in every language. */
const MIN_SEALS = 2;
const FULL = { input: 95_000, output: 50 };

/** One with spaces between its words and one without: each takes half a minute. */
const LANGUAGES = ["English", "Chinese"];

for (const scene of SCENES.filter(({ language }) => LANGUAGES.includes(language))) {
	test(`${scene.language}: after each seal the wire holds all that holds, and nothing stale`, async () => {
		const world = await ClaudeWorld.start(FILES);
		try {
			const session = new ClaudeScene(world);
			for (const round of longSession(scene, { linesPerTurn: LINES_PER_TURN })) await session.play(round);
			await session.process.end();
			session.judgeAll();
			assert.ok(session.watch.seals >= MIN_SEALS, `${session.watch.seals} seals`);
			assert.deepEqual(session.watch.figures, NOTHING_LOST);
		} finally {
			await world.close();
		}
	});
}

class ClaudeScene {
	readonly watch = new PlantedWatch();
	readonly process: ClaudeProcess;
	readonly #world: ClaudeWorld;
	#round: SceneRound | undefined;
	#judged = 0;
	#seed = "";

	constructor(world: ClaudeWorld) {
		this.#world = world;
		this.process = world.open({ weft: "proxy", args: ["--permission-prompt-tool", "stdio"] });
		this.process.onAsked = (tool, input) => this.#decide(tool, input);
	}

	async play(round: SceneRound): Promise<void> {
		this.#round = round;
		const { turn, index } = round;
		const { script } = this.#world;
		switch (turn.how) {
			case "refusal":
				script.add({ toolCalls: [script.call("Bash", { command: "make deploy" })] });
				return this.#workUntilAsked("Deploy it.");
			case "answers": {
				const questions = turn.texts.map((_, at) => ({
					question: questionOf(index, at),
					header: `Q${at}`,
					multiSelect: false,
					options: ["One", "Two"].map((label) => ({ label, description: label })),
				}));
				for (let at = 0; at < questions.length; at += 4)
					script.add({ toolCalls: [script.call("AskUserQuestion", { questions: questions.slice(at, at + 4) })] });
				return this.#workUntilAsked("Ask me what you need to know.");
			}
			case "aside":
				this.watch.say({ ...round, turn: { how: "message", text: turn.text } });
				script.add({ text: "Noted." });
				await this.#turn(turn.text);
				this.watch.say(round);
				script.add({ text: `Short answer ${index}.` });
				return this.#turn(turn.question);
			case "command":
				this.watch.say(round);
				return this.#work(`/review ${turn.text}`);
			case "skill":
				this.watch.say(round);
				return this.#work(`/essay ${turn.text}`);
			default:
				this.watch.say(round);
				return this.#work(turn.text);
		}
	}

	/** The planted words come while it works. */
	#workUntilAsked(prompt: string): Promise<void> {
		this.watch.ask(prompt);
		return this.#work(prompt);
	}

	async #work(prompt: string): Promise<void> {
		const { index, answers } = this.#round!;
		const { script } = this.#world;
		const [first, last] = answers;
		const calls = [
			script.call("Read", { file_path: this.#world.path(`src/part-${index % 7}.ts`) }),
			script.call("Bash", { command: `sh check.sh ${index}` }),
		];
		const end: ModelAnswer =
			index % TURNS_PER_SEAL === TURNS_PER_SEAL - 1 ? { text: last, usage: FULL } : { text: last };
		script.add({ text: first, toolCalls: calls }, end);
		await this.#turn(prompt);
	}

	async #turn(prompt: string): Promise<void> {
		await this.process.turn(prompt);
		this.judgeAll();
	}

	/** The user refuses with words, or answers. */
	#decide(tool: string, input: Readonly<Record<string, unknown>>): object {
		const round = this.#round!;
		const { turn, index } = round;
		// A request before these words cannot hold them.
		this.judgeAll();
		if (turn.how === "refusal") {
			this.watch.say(round);
			return { behavior: "deny", message: REFUSED + turn.text };
		}
		if (turn.how !== "answers" || tool !== "AskUserQuestion") return { behavior: "allow", updatedInput: input };
		this.watch.say(round);
		const answers = Object.fromEntries(turn.texts.map((text, at) => [questionOf(index, at), text]));
		const asked = (input["questions"] as { question: string }[]).map(({ question }) => [question, answers[question]]);
		return { behavior: "allow", updatedInput: { ...input, answers: Object.fromEntries(asked) } };
	}

	/** Looks at the requests since the last turn. */
	judgeAll(): void {
		const { requests, script } = this.#world;
		for (const request of requests.slice(this.#judged)) {
			if (script.kinds[request.index] === "step") this.#judge(request);
		}
		this.#judged = requests.length;
	}

	#judge(request: ModelRequest): void {
		const texts = messagesOf(request).flatMap(({ content }) => content.map((block) => textOf(block)));
		const at = texts.findIndex((text) => text.includes(seedOpening({ namesTools: true })));
		const seed = texts[at] ?? "";
		if (at !== -1 && seed !== this.#seed) {
			this.watch.judge({ seed, tail: texts.filter((_, place) => place !== at).join("\n"), isSeedOlder: true });
		}
		this.#seed = seed;
	}
}

function textOf(block: object): string {
	const { text, content } = block as { text?: string; content?: unknown };
	if (text !== undefined) return text;
	if (typeof content === "string") return content;
	return Array.isArray(content) ? content.map((each: object) => textOf(each)).join("\n") : "";
}
