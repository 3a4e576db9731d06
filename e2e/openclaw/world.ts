/**
 * What the checks share: the scripted model, a gateway with weft, one with the host's own engine, and what can be asked of
 * them. What is asserted is what stood on the wire, in weft's log and in the host's own tables; never how long it took.
 */
import assert from "node:assert/strict";
import { type Engine, openEngine } from "../../src/engine.ts";
import { AGENTS, type Agent, type Answered, Gateway, keyOf } from "./gateway.ts";
import { ScriptedModel } from "./model.ts";

export const LETTERS = ["a", "b", "c", "d", "e"] as const;

const WAIT_MS = 100;
const MAX_WAITS = 6_000;
const MAX_WARM_TURNS = 5;

export interface Logged {
	readonly role: string;
	readonly text: string;
	/** Of the conversation in the log. */
	readonly session: string;
}

export class World {
	readonly model: ScriptedModel;
	readonly weft: Gateway;
	readonly legacy: Gateway;
	/** Lines of the gateway's that a check has brought about itself. */
	#expected = 0;

	private constructor(model: ScriptedModel) {
		this.model = model;
		this.weft = new Gateway("weft", "weft", model.url);
		this.legacy = new Gateway("legacy", "legacy", model.url);
	}

	static async open(): Promise<World> {
		const world = new World(await ScriptedModel.start());
		const gateways = [world.weft, world.legacy];
		await Promise.all(
			gateways.map(async (gateway) => {
				await gateway.start();
				const idle: readonly Agent[] = gateway === world.weft ? ["opus", "desk"] : ["other", "opus", "desk"];
				const agents = (Object.keys(AGENTS) as Agent[]).filter((agent) => !idle.includes(agent));
				for (const agent of agents) await warm(gateway, agent);
			}),
		);
		return world;
	}

	async close(): Promise<void> {
		await Promise.all([this.weft.stop(), this.legacy.stop()]);
		this.model.stop();
		this.weft.remove();
		this.legacy.remove();
	}

	/** A turn of weft's that must be answered. After it the host has delivered it, and has nothing to say against us. */
	async good(agent: Agent, session: string, message: string): Promise<Answered> {
		const answer = await this.weft.turn(agent, session, message);
		isGood(answer, message);
		assert.equal(this.weft.outbox(agent), 0, `a turn waits in the outbox: ${message}`);
		assert.deepEqual(this.complaints().slice(this.#expected), [], message);
		return answer;
	}

	/** What the gateway and weft in it complained of. */
	complaints(): string[] {
		return this.weft.warnings().filter((line) => /\[context-engine\]|\bweft: /.test(line));
	}

	/** Complaints until now were meant. */
	forgive(): void {
		this.#expected = this.complaints().length;
	}

	look<Answer>(agent: Agent, work: (engine: Engine) => Answer): Answer {
		const cwd = this.weft.workspace(agent);
		const engine = openEngine({ cwd, home: this.weft.home, host: "test", env: {} });
		try {
			return work(engine);
		} finally {
			engine.close();
		}
	}

	/** What the log has of a session, in its order, through all of its conversations. */
	logged(agent: Agent, session: string): Logged[] {
		return this.look(agent, ({ log }) => {
			const started = [...log.read({ types: ["SessionStarted"], host: "openclaw" })];
			const names = started
				.filter(({ payload }) => (payload["raw"] as { sessionKey?: string })?.sessionKey === keyOf(agent, session))
				.map((record) => record.session);
			return [...log.read({ types: ["Message"], host: "openclaw" })]
				.filter((record) => names.includes(record.session))
				.map(({ payload, session: name }) => {
					const { role, content } = payload["raw"] as { role: string; content: unknown };
					return { role, text: typeof content === "string" ? content : JSON.stringify(content), session: name };
				});
		});
	}

	/** The words before "words" in what the user said, as the log has them. */
	asked(agent: Agent, session: string): (string | undefined)[] {
		const users = this.logged(agent, session).filter(({ role }) => role === "user");
		return users.map(({ text }) => /(\w+) words/.exec(text)?.[1]);
	}
}

/** The host loads what an agent needs with its first turn, and gives up where the machine is too busy for that. */
export async function warm(gateway: Gateway, agent: Agent): Promise<void> {
	let last: Answered | undefined;
	for (let tries = 0; tries < MAX_WARM_TURNS && !last?.ok; tries++) last = await gateway.turn(agent, "warm", "hello");
	if (last) isGood(last, `the first turn of ${agent}`);
}

export function isGood(answer: Answered, what: string): void {
	assert.ok(answer.ok, `${what}: ${answer.text.slice(0, 300)}`);
}

/** Something that the gateway does when it comes to it. */
export async function waitFor(isDone: () => boolean, what = "it"): Promise<void> {
	for (let tries = 0; tries < MAX_WAITS && !isDone(); tries++) await new Promise((done) => setTimeout(done, WAIT_MS));
	assert.ok(isDone(), `${what} never happened`);
}
