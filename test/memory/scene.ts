/** Plays the planted words through a live session of an agent, without a model, and asks for them in later sessions. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LiveProject } from "../../src/agent/live/project.ts";
import type { LiveSession } from "../../src/agent/live/session.ts";
import type { AgentPort } from "../../src/agent/port.ts";
import type { SideModel } from "../../src/base/sidecar/ask.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { Calls } from "../../src/state/session/calls.ts";
import { translateBareMessage } from "../../src/state/work/translate-message.ts";
import { removeFolder, temporaryFolder } from "../rig/temporary-folder.ts";
import { PLANTED, type PlantedWords, TASKS, UNRELATED } from "./scene-words.ts";

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 2, 9);

/** One project with an agent in it; each session is a process of its own. */
export class MemoryScene {
	readonly root = temporaryFolder();
	readonly #port: AgentPort;
	#clock = START;
	#sessions = 0;

	constructor(port: AgentPort) {
		this.#port = port;
		mkdirSync(join(this.root, "work"), { recursive: true });
	}

	/**
	 * Runs one session from its start to its end. `isKilled`: the process dies without a word. `models`: those it lends. `owner`: the
	 * person it talks with, where there are several.
	 */
	async session(
		work: (session: SceneSession) => Promise<void>,
		{ isKilled = false, models = [] as readonly SideModel[], owner = undefined as string | undefined } = {},
	): Promise<void> {
		this.#clock += 24 * HOUR_MS;
		const now = () => this.#clock++;
		const cwd = join(this.root, "work");
		const host = this.#port.name;
		const engine = openEngine({ cwd, host, home: join(this.root, "home"), env: {}, now });
		const onFault = (where: string, error: unknown) => {
			throw new Error(where, { cause: error });
		};
		const live = new LiveProject({ port: this.#port, engine, env: {}, now, onFault, memoryModels: () => models });
		const ref = { session: `s${++this.#sessions}`, host };
		const session = new SceneSession(engine, live.session(ref, cwd), ref.session, now);
		if (owner !== undefined)
			engine.record([{ type: "SessionStarted", ...ref, payload: { cwd, format: "test", owner } }]);
		live.memory?.begin(ref);
		await work(session);
		await live.sidecar.idle();
		if (!isKilled) live.end(ref);
		engine.close();
	}

	[Symbol.dispose](): void {
		removeFolder(this.root);
	}
}

export class SceneSession {
	readonly engine: Engine;
	readonly live: LiveSession;
	readonly #name: string;
	readonly #now: () => number;
	readonly #calls = new Calls();
	#entries = 0;

	constructor(engine: Engine, live: LiveSession, name: string, now: () => number) {
		this.engine = engine;
		this.live = live;
		this.#name = name;
		this.#now = now;
	}

	/** The user says something and the agent answers. */
	tell(words: string, answer = "Understood."): void {
		this.#say({ role: "user", content: words });
		this.#say({ role: "assistant", content: [{ type: "text", text: answer }], stopReason: "stop" });
		this.live.turnEnded({ isRunOver: true });
	}

	/** The text that the model gets with the words. */
	async ask(words: string): Promise<string> {
		return (await this.live.recall(words))?.text ?? "";
	}

	#say(message: Readonly<Record<string, unknown>> & { readonly role: string }): void {
		const entry = `${this.#name}-${++this.#entries}`;
		const parent = this.#entries === 1 ? undefined : `${this.#name}-${this.#entries - 1}`;
		const given = { session: this.live.ref, entry, parent, cwd: this.live.cwd, calls: this.#calls, now: this.#now() };
		this.engine.record(translateBareMessage({ timestamp: this.#now(), ...message }, given));
	}
}

export interface SceneReport {
	readonly asked: number;
	readonly right: number;
	readonly wrong: readonly string[];
	readonly stale: readonly string[];
	/** Unrelated turns that were given something. */
	readonly unrelated: readonly string[];
	/** Task rules that were taken for rules of the project. */
	readonly tasks: readonly string[];
	/** Planted words that MEMORY.md does not hold. */
	readonly forgotten: readonly string[];
}

export async function playScene(port: AgentPort): Promise<SceneReport> {
	using scene = new MemoryScene(port);
	const all = Object.values(PLANTED);
	for (const planted of all) {
		await scene.session(async (session) => {
			for (const { said } of planted) session.tell(said);
		});
	}
	await scene.session(async (session) => {
		for (const { corrected } of all.flat()) if (corrected !== undefined) session.tell(corrected);
	});
	await scene.session(async (session) => {
		for (const task of TASKS) session.tell(task, "Done.");
	});
	const wrong: string[] = [];
	const stale: string[] = [];
	const unrelated: string[] = [];
	const tasks: string[] = [];
	const forgotten: string[] = [];
	let asked = 0;
	await scene.session(async (session) => {
		const opening = (await session.live.recallBeside("Hello.")) ?? "";
		for (const planted of all.flat()) {
			for (const question of planted.asked) {
				asked++;
				judge(planted, question, `${opening}\n${await session.ask(question)}`, { wrong, stale });
			}
		}
		for (const words of UNRELATED) if ((await session.ask(words)) !== "") unrelated.push(words);
		const remembered = session.engine.log.tables
			.all<{ text: string }>("memory_bullet", "SELECT text FROM memory_bullet WHERE file = 'memory' AND gone IS NULL")
			.map(({ text }) => text);
		tasks.push(...TASKS.filter((task) => remembered.some((text) => task.includes(text) || text.includes(task))));
		const isKept = ({ needs }: PlantedWords) => remembered.some((text) => text.includes(needs));
		forgotten.push(...all.flat().flatMap((planted) => (isKept(planted) ? [] : [planted.said])));
	});
	return { asked, right: asked - wrong.length, wrong, stale, unrelated, tasks, forgotten };
}

function judge(
	{ needs, stale: old }: PlantedWords,
	question: string,
	given: string,
	found: { readonly wrong: string[]; readonly stale: string[] },
): void {
	if (!given.includes(needs)) found.wrong.push(`${question} → ${needs}`);
	if (old !== undefined && given.includes(old)) found.stale.push(`${question} → ${old}`);
}
