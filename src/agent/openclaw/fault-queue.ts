/** Failures that wait to be recorded. If it is the log that fails, they wait until it accepts events again. */
import type { Engine } from "../../engine.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { Fault } from "../live/door.ts";
import { OPENCLAW_HOST } from "./translate.ts";

const MAX_WAITING = 20;

export class FaultQueue {
	readonly #engine: Engine | undefined;
	readonly #now: () => number;
	readonly #waiting: NewEvent[] = [];
	/** The session of the current call. */
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
			// The log itself fails: they keep waiting.
		}
	}
}
