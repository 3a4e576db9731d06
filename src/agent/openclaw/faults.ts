/** Failures on their way to the log. Where it is the log that failed, they wait until it takes events again. */
import type { Engine } from "../../engine.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { Fault } from "../live/door.ts";
import { OPENCLAW_HOST } from "./translate.ts";

const MAX_WAITING = 20;

export class FaultLog {
	readonly #engine: Engine | undefined;
	readonly #now: () => number;
	readonly #waiting: NewEvent[] = [];
	/** The session of the call that runs now. */
	session = "-";

	constructor(engine: Engine | undefined, now: () => number) {
		this.#engine = engine;
		this.#now = now;
	}

	add({ where, code, message }: Fault): void {
		const payload = { where: `openclaw.${where}`, code, message };
		const fault: NewEvent = { type: "Fault", session: this.session, host: OPENCLAW_HOST, ts: this.#now(), payload };
		if (this.#waiting.length < MAX_WAITING) this.#waiting.push(fault);
		this.flush();
	}

	flush(): void {
		if (this.#waiting.length === 0 || !this.#engine) return;
		try {
			this.#engine.record(this.#waiting);
			this.#waiting.length = 0;
		} catch {
			// It is the log that fails: they wait.
		}
	}
}
