/**
 * Whether OpenClaw really uses weft. When it falls back to its own engine, it stops calling ours and shows no error. So the
 * plugin counts the runs in which a model was called, by the host's hooks, and those in which the engine was asked first.
 * One count for the process, because the host registers the plugin many times.
 */
import { BoundedSet } from "../../base/collection/bounded.ts";
import { hostReason } from "./host-reason.ts";
import type { HostConfig } from "./plugin-api.ts";

/** More in a row are no accident. */
const MAX_PASSED_BY = 3;
const MAX_RUNS = 1_000;
/** The host chooses the engine some time before it calls the model. */
const BEFORE_MS = 60_000;

export interface PresenceReport {
	/** Runs in which a model was called since the process began. */
	readonly runs: number;
	/** Runs for which the engine made the context. */
	readonly ours: number;
	/** The newest runs in a row without weft. */
	readonly passedBy: number;
	/** Time of the first of these, ms since the epoch. */
	readonly since: number | undefined;
	/** Why, in the host's own words; undefined: its log has no reason. */
	readonly reason: string | undefined;
}

/** Turns that the host answered without weft. */
export interface PassedBy {
	readonly turns: number;
	readonly since: number;
	/** Why, in the host's own words. */
	readonly reason?: string | undefined;
	readonly todo: string;
}

export class Presence {
	#runs = 0;
	#ours = 0;
	#passedBy = 0;
	#since: number | undefined;
	#isReported = false;
	/** Sessions for which the engine was asked since their last run. */
	readonly #asked = new Set<string>();
	readonly #seen = new BoundedSet<string>(MAX_RUNS);
	readonly #now: () => number;

	readonly #reasonOf: (config: HostConfig | undefined, since: number) => string | undefined;

	constructor(now: () => number = Date.now, reasonOf: typeof hostReason = hostReason) {
		this.#now = now;
		this.#reasonOf = (config, since) => reasonOf(config, since - BEFORE_MS, now());
	}

	/** The host asked the engine for a context. */
	engineAsked(sessionKey: string | undefined): void {
		this.#asked.add(sessionKey ?? "");
	}

	/** The host called a model. Returns a report, once, when it has answered several turns without weft. */
	modelCalled(
		runId: string | undefined,
		sessionKey: string | undefined,
		config: HostConfig | undefined,
	): PassedBy | undefined {
		// A call without a session is not a turn: plugins, weft among them, ask models on their own.
		if (runId === undefined || sessionKey === undefined) return undefined;
		// The host asks the engine before each call, so the mark of this call must not count for the next run.
		const isOurs = this.#asked.delete(sessionKey);
		if (this.#seen.has(runId)) return undefined;
		this.#seen.add(runId);
		this.#runs++;
		if (isOurs) {
			this.#ours++;
			this.#passedBy = 0;
			this.#since = undefined;
			this.#isReported = false;
			return undefined;
		}
		this.#passedBy++;
		this.#since ??= this.#now();
		if (this.#passedBy < MAX_PASSED_BY || this.#isReported) return undefined;
		this.#isReported = true;
		const reason = this.#reasonOf(config, this.#since);
		return {
			turns: this.#passedBy,
			since: this.#since,
			...(reason !== undefined && { reason }),
			todo: renderAdvice(config),
		};
	}

	report(config?: HostConfig): PresenceReport {
		const reason = this.#since === undefined ? undefined : this.#reasonOf(config, this.#since);
		return { reason, runs: this.#runs, ours: this.#ours, passedBy: this.#passedBy, since: this.#since };
	}
}

/** Advice that fits the host's settings. */
export function renderAdvice(config: HostConfig | undefined): string {
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

/** One for the process, shared by all copies of the plugin. */
export function presence(): Presence {
	const home = globalThis as { [KEY]?: Presence };
	home[KEY] ??= new Presence();
	return home[KEY];
}
