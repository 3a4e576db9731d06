/** Plays the planted words through a live session of an agent, without a model, and asks for them in later sessions. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LiveProject } from "../../src/agent/live/project.ts";
import type { LiveSession } from "../../src/agent/live/session.ts";
import type { AgentPort } from "../../src/agent/port.ts";
import type { SideModel } from "../../src/base/sidecar/ask.ts";
import type { Sidecar } from "../../src/base/sidecar/sidecar.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { Calls } from "../../src/state/session/calls.ts";
import { translateBareMessage } from "../../src/state/work/translate-message.ts";
import { removeFolder, temporaryFolder } from "../rig/temporary-folder.ts";
import type { PlantedWords } from "./scene-words.ts";

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 2, 9);

/** One project with an agent in it; each session is a process of its own. */
export class MemoryScene {
	readonly root: string;
	readonly #port: AgentPort;
	#clock: number;
	#sessions: number;

	/** `root` and `sessions`: continues after as many sessions of another process. */
	constructor(port: AgentPort, { root = temporaryFolder(), sessions = 0 } = {}) {
		this.root = root;
		this.#port = port;
		this.#sessions = sessions;
		this.#clock = START + sessions * 24 * HOUR_MS;
		mkdirSync(join(this.root, "work"), { recursive: true });
	}

	/**
	 * Runs one session from its start to its end. `isKilled`: the process dies without a word. `models`: those it lends. `owner`: the
	 * person it talks with, where there are several. `cached`: the session's own model, which may write a note at a seal.
	 */
	async session(
		work: (session: SceneSession) => Promise<void>,
		{
			isKilled = false,
			models = [] as readonly SideModel[],
			owner = undefined as string | undefined,
			cached = undefined as SideModel | undefined,
			modelCallMs = undefined as number | undefined,
		} = {},
	): Promise<void> {
		this.#clock += 24 * HOUR_MS;
		const now = () => this.#clock++;
		const cwd = join(this.root, "work");
		const host = this.#port.name;
		const env: NodeJS.ProcessEnv = models.length > 0 || cached ? { WEFT_MEMORY_MODELS: "session" } : {};
		const engine = openEngine({ cwd, host, home: join(this.root, "home"), env, now });
		const onFault = (where: string, error: unknown) => {
			throw new Error(where, { cause: error });
		};
		const lentModels = () => ({ named: models, isChosen: false, own: undefined, cached });
		const live = new LiveProject({ port: this.#port, engine, env, now, onFault, lentModels, modelCallMs });
		const ref = { session: `s${++this.#sessions}`, host };
		const session = new SceneSession(engine, { live: live.session(ref, cwd), sidecar: live.sidecar }, ref.session, now);
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
	readonly #sidecar: Sidecar;
	readonly #name: string;
	readonly #now: () => number;
	readonly #calls = new Calls();
	#entries = 0;

	constructor(
		engine: Engine,
		{ live, sidecar }: { readonly live: LiveSession; readonly sidecar: Sidecar },
		name: string,
		now: () => number,
	) {
		this.engine = engine;
		this.#sidecar = sidecar;
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

	/** Resolves when the jobs that have begun are done. */
	async settled(): Promise<void> {
		await new Promise((resolve) => setImmediate(resolve));
		await this.#sidecar.idle();
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

export interface SceneWords {
	/** By session. */
	readonly planted: readonly (readonly PlantedWords[])[];
	readonly tasks: readonly string[];
	readonly unrelated: readonly string[];
	/** Orders that need no answer, only a rule of the planted words. */
	readonly orders?: readonly { readonly order: string; readonly needs: string }[];
	/** Lent to each session. */
	readonly models?: readonly SideModel[];
}

export async function playScene(port: AgentPort, words: SceneWords): Promise<SceneReport> {
	using scene = new MemoryScene(port);
	const { planted: all, orders = [], models = [] } = words;
	for (const planted of all) {
		await scene.session(
			async (session) => {
				for (const { said } of planted) session.tell(said);
			},
			{ models },
		);
	}
	await scene.session(
		async (session) => {
			for (const { corrected } of all.flat()) if (corrected !== undefined) session.tell(corrected);
			await session.live.beforeCompaction();
			session.live.afterCompaction();
			await session.settled();
		},
		{ models },
	);
	await scene.session(
		async (session) => {
			for (const task of words.tasks) session.tell(task, "Done.");
		},
		{ models },
	);
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
		for (const { order, needs } of orders) {
			asked++;
			judge({ said: "", asked: [], needs }, order, `${opening}\n${await session.ask(order)}`, { wrong, stale });
		}
		for (const turn of words.unrelated) if ((await session.ask(turn)) !== "") unrelated.push(turn);
		const remembered = session.engine.log.tables
			.all<{ text: string }>("memory_bullet", "SELECT text FROM memory_bullet WHERE file = 'memory' AND gone IS NULL")
			.map(({ text }) => text);
		tasks.push(...words.tasks.filter((task) => remembered.some((text) => task.includes(text) || text.includes(task))));
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
