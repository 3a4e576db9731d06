/**
 * Does OpenClaw really use us? When it falls back to its own engine nobody calls us, and every surface of the host stays
 * green. So the plugin counts: runs in which the model was called, by the host's hooks, and those before which the
 * engine was asked. One count for the process, because the host registers the plugin many times.
 */
import { BoundedSet } from "../../base/collection/bounded.ts";
import { hostReason } from "./host-reason.ts";
import type { HostConfig } from "./plugin-api.ts";

/** So many in a row are no accident. */
const MAX_PASSED_BY = 3;
const MAX_RUNS = 1_000;
/** The host decides some time before it calls the model. */
const BEFORE_MS = 60_000;

export interface PresenceReport {
	/** Runs in which a model was called, since the process began. */
	readonly runs: number;
	/** Of them, those for which the engine made the context. */
	readonly ours: number;
	/** The newest in a row that passed us by. */
	readonly passedBy: number;
	/** When the first of these was, ms since the epoch. */
	readonly since: number | undefined;
	/** Why, in the host's own words; undefined: it has not said. */
	readonly reason: string | undefined;
}

/** Turns that were answered without us. */
export interface PassedBy {
	readonly turns: number;
	readonly since: number;
	/** The host's own words for it, where it has said something. */
	readonly reason?: string | undefined;
	readonly todo: string;
}

export class Presence {
	#runs = 0;
	#ours = 0;
	#passedBy = 0;
	#since: number | undefined;
	#isTold = false;
	/** Sessions that the engine was asked for since their last run. */
	readonly #asked = new Set<string>();
	readonly #seen = new BoundedSet<string>(MAX_RUNS);
	readonly #now: () => number;

	readonly #reasonOf: (config: HostConfig | undefined, since: number) => string | undefined;

	constructor(now: () => number = Date.now, reasonOf: typeof hostReason = hostReason) {
		this.#now = now;
		this.#reasonOf = (config, since) => reasonOf(config, since - BEFORE_MS, now());
	}

	/** The engine was asked what the model sees. */
	asked(sessionKey: string | undefined): void {
		this.#asked.add(sessionKey ?? "");
	}

	/** A model was called. Gives what to tell, once, when it is clear that we are passed by. */
	modelCalled(
		runId: string | undefined,
		sessionKey: string | undefined,
		config: HostConfig | undefined,
	): PassedBy | undefined {
		// A call without a session is no turn: it is somebody's own question to a model, ours among them.
		if (runId === undefined || sessionKey === undefined) return undefined;
		// The engine is asked before each call of a run: what it was asked for this one says nothing of the next.
		const isOurs = this.#asked.delete(sessionKey);
		if (this.#seen.has(runId)) return undefined;
		this.#seen.add(runId);
		this.#runs++;
		if (isOurs) {
			this.#ours++;
			this.#passedBy = 0;
			this.#since = undefined;
			this.#isTold = false;
			return undefined;
		}
		this.#passedBy++;
		this.#since ??= this.#now();
		if (this.#passedBy < MAX_PASSED_BY || this.#isTold) return undefined;
		this.#isTold = true;
		const reason = this.#reasonOf(config, this.#since);
		return {
			turns: this.#passedBy,
			since: this.#since,
			...(reason !== undefined && { reason }),
			todo: whatToDo(config),
		};
	}

	report(config?: HostConfig): PresenceReport {
		const reason = this.#since === undefined ? undefined : this.#reasonOf(config, this.#since);
		return { reason, runs: this.#runs, ours: this.#ours, passedBy: this.#passedBy, since: this.#since };
	}
}

/** What to do about it, by the host's settings. */
export function whatToDo(config: HostConfig | undefined): string {
	const slot = config?.plugins?.slots?.contextEngine;
	if (slot !== undefined && slot !== "weft") {
		return `plugins.slots.contextEngine is '${slot}': 'openclaw config set plugins.slots.contextEngine weft' chooses weft.`;
	}
	if (slot === undefined && config) {
		return "No context engine is chosen: 'openclaw config set plugins.slots.contextEngine weft' chooses weft.";
	}
	return "'openclaw doctor' and the lines with [context-engine] in the gateway's log say more; 'weft doctor' checks weft's own log.";
}

const KEY = Symbol.for("weft.openclaw.presence");

/** The one of this process, whichever copy of the plugin asks. */
export function presence(): Presence {
	const home = globalThis as { [KEY]?: Presence };
	home[KEY] ??= new Presence();
	return home[KEY];
}
