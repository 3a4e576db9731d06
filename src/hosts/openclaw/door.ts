/**
 * The door between OpenClaw and us. Whatever fails behind it is caught, and the host gets the answer that leaves it as it
 * was. The failure is an event; where it is the log that failed, it waits until the log takes events again.
 */
import type { Engine } from "../../engine.ts";
import { EngineError } from "../../error/engine-error.ts";
import type { NewEvent } from "../../event/types.ts";
import { OPENCLAW_HOST } from "./translate.ts";

const MOST_WAITING = 20;
const MOST_MESSAGE_CHARS = 2_000;

export class Door {
	readonly #engine: Engine | undefined;
	readonly #warn: (message: string) => void;
	readonly #now: () => number;
	readonly #waiting: NewEvent[] = [];
	#told = false;

	constructor(engine: Engine | undefined, now: () => number, warn: (message: string) => void) {
		this.#engine = engine;
		this.#now = now;
		this.#warn = warn;
	}

	async pass<Answer>(
		where: string,
		session: string,
		work: () => Promise<Answer>,
		otherwise: () => Answer,
	): Promise<Answer> {
		try {
			const answer = await work();
			this.#tellLog();
			return answer;
		} catch (error) {
			this.fail(where, session, error);
			return otherwise();
		}
	}

	fail(where: string, session: string, error: unknown): void {
		const code = error instanceof EngineError ? error.code : error instanceof Error ? error.name : "unknown";
		const message = (error instanceof Error ? error.message : String(error)).slice(0, MOST_MESSAGE_CHARS);
		const fault: NewEvent = {
			type: "Fault",
			session,
			host: OPENCLAW_HOST,
			ts: this.#now(),
			payload: { where: `openclaw.${where}`, code, message },
		};
		if (this.#waiting.length < MOST_WAITING) this.#waiting.push(fault);
		this.#tellLog();
		if (!this.#told) this.#warn(`${where} failed, OpenClaw goes on with its own messages: ${message}`);
		this.#told = true;
	}

	#tellLog(): void {
		if (this.#waiting.length === 0) return;
		try {
			if (!this.#engine) return;
			this.#engine.record(this.#waiting);
			this.#waiting.length = 0;
		} catch {
			// It is the log that fails: they wait.
		}
	}
}
