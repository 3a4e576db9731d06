/**
 * Ships the log to the fleet's server after a turn, when `fleet.url` is set. A process of its own does it, of low priority,
 * which may outlive the host: nobody waits for the network, and a server that is away costs a look at a clock. What went
 * wrong it writes down beside the log, where the status finds it.
 */
import type { ChildProcess } from "node:child_process";
import type { Engine } from "../../engine.ts";
import { pauseAfter, readCheckpoint } from "../../log/shipping-checkpoint.ts";
import { readAddress, targetKey } from "../../settings/fleet-address.ts";
import { startCommand } from "./command-process.ts";

const MIN_PAUSE_MS = 5_000;

export interface ShipLaterOptions {
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly now?: (() => number) | undefined;
	/** In place of the command line, for a test. */
	readonly start?: ((engine: Engine) => ChildProcess | undefined) | undefined;
}

export class ShipLater {
	readonly #engine: Engine;
	readonly #target: string;
	readonly #now: () => number;
	readonly #start: (engine: Engine) => ChildProcess | undefined;
	#running: ChildProcess | undefined;
	/** A quick agent's turns are shipped together. */
	#restUntil = 0;
	/** The server did not answer: until then nobody even looks. */
	#awayUntil = 0;

	private constructor(engine: Engine, target: string, options: ShipLaterOptions) {
		this.#engine = engine;
		this.#target = target;
		this.#now = options.now ?? Date.now;
		this.#start = options.start ?? ((of) => startSync(of, options.env ?? process.env));
	}

	/** Undefined where no fleet is configured, or the setting cannot be read: `weft doctor` tells of that. */
	static of(engine: Engine, options: ShipLaterOptions = {}): ShipLater | undefined {
		const url = engine.settings["fleet.url"];
		if (url === null || engine.log.readOnly) return undefined;
		try {
			return new ShipLater(engine, targetKey(readAddress(url, options.env ?? process.env)), options);
		} catch {
			return undefined;
		}
	}

	/** Returns at once. `isLast`: the session ends, so it does not wait for the pause to be over. */
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
