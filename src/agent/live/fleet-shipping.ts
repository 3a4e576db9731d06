/**
 * Ships the log to the fleet's server after a turn, when `fleet.url` is set. A separate process of low priority does it and may
 * outlive the agent, so the agent never waits for the network. After a failure it pauses; the checkpoint beside the log holds
 * the failure for `weft status`.
 */
import type { ChildProcess } from "node:child_process";
import type { Engine } from "../../engine.ts";
import { pauseAfter, readCheckpoint } from "../../log/shipping-checkpoint.ts";
import { readAddress, targetKey } from "../../settings/fleet-address.ts";
import { ownVariables } from "../../settings/project-variables.ts";
import { startCommand } from "./command-process.ts";

const MIN_PAUSE_MS = 5_000;

export interface FleetShippingOptions {
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly now?: (() => number) | undefined;
	/** Starts another process than weft's command line. */
	readonly start?: ((engine: Engine) => ChildProcess | undefined) | undefined;
}

export class FleetShipping {
	readonly #engine: Engine;
	readonly #target: string;
	readonly #now: () => number;
	readonly #start: (engine: Engine) => ChildProcess | undefined;
	#running: ChildProcess | undefined;
	/** Short turns ship together. */
	#restUntil = 0;
	/** The server did not answer: no attempt before this time. */
	#awayUntil = 0;

	private constructor(engine: Engine, target: string, options: FleetShippingOptions) {
		this.#engine = engine;
		this.#target = target;
		this.#now = options.now ?? Date.now;
		this.#start = options.start ?? ((of) => startSync(of, variablesOf(of, options)));
	}

	/** Undefined: no fleet is configured, or its address is invalid, which `weft doctor` reports. */
	static of(engine: Engine, options: FleetShippingOptions = {}): FleetShipping | undefined {
		const url = engine.settings["fleet.url"];
		if (url === null || engine.log.readOnly) return undefined;
		try {
			return new FleetShipping(engine, targetKey(readAddress(url, variablesOf(engine, options))), options);
		} catch {
			return undefined;
		}
	}

	/** Returns at once. `isLast`: the session ends, so it skips the pause between turns. */
	turnEnded({ isLast = false } = {}): void {
		const now = this.#now();
		if (this.#running || now < this.#awayUntil || (!isLast && now < this.#restUntil) || !this.#engine.log.isOpen)
			return;
		const checkpoint = readCheckpoint(this.#engine.log, this.#target);
		if (checkpoint.seq >= this.#engine.log.newestSeq()) return;
		if (checkpoint.failing) this.#awayUntil = checkpoint.failing.tried + pauseAfter(checkpoint);
		if (now < this.#awayUntil) return;
		this.#restUntil = now + MIN_PAUSE_MS;
		this.#running = this.#start(this.#engine);
		this.#running?.once("exit", () => {
			this.#running = undefined;
		});
	}
}

function startSync(engine: Engine, env: NodeJS.ProcessEnv): ChildProcess | undefined {
	return startCommand(engine, ["sync", "--background"], env, { detached: true, stdio: "ignore" });
}

/** A project's .env file names no server. */
function variablesOf({ project }: Engine, { env = process.env }: FleetShippingOptions): NodeJS.ProcessEnv {
	return ownVariables(env, [project.root]);
}
