/**
 * weft beside one agent in one project: everything that the agent's sessions there share. An adapter creates it with the
 * agent's port and the models that the agent lends. `LiveSession` is the loop of one session.
 */
import { BoundedMap } from "../../base/collection/bounded.ts";
import { Sidecar } from "../../base/sidecar/sidecar.ts";
import type { Engine } from "../../engine.ts";
import { type SessionRef, sessionKey } from "../../log/session-ref.ts";
import type { Settings } from "../../settings/keys.ts";
import type { MemoryKeeper } from "../../state/memory/keeper.ts";
import type { AgentPort } from "../port.ts";
import { FleetRecall } from "./fleet-recall.ts";
import { FleetShipping } from "./fleet-shipping.ts";
import { type LentModels, MemoryModels } from "./memory-models.ts";
import { keepMemory } from "./project-memory.ts";
import { LiveSession } from "./session.ts";

export interface LiveProjectOptions {
	readonly port: AgentPort;
	readonly engine: Engine;
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly now?: (() => number) | undefined;
	/** Records a failure outside the agent's own path. */
	readonly onFault: (where: string, error: unknown) => void;
	/** The models that the agent lends; called before each use. */
	readonly lentModels?: (() => LentModels) | undefined;
	/** The time limit of one call to a lent model. */
	readonly modelCallMs?: number | undefined;
}

const NONE_LENT: LentModels = { named: [], isChosen: false, own: undefined };

/** More than one process has at a time, sub-agents included. */
const MAX_SESSIONS = 256;

export class LiveProject {
	readonly port: AgentPort;
	readonly engine: Engine;
	/** Runs small model jobs in the background. */
	readonly sidecar: Sidecar;
	readonly memoryModels: MemoryModels;
	readonly #options: LiveProjectOptions;
	readonly #memory: MemoryKeeper | undefined;
	readonly #shipping: FleetShipping | undefined;
	readonly #fleet: FleetRecall | undefined;
	readonly #sessions = new BoundedMap<string, LiveSession>(MAX_SESSIONS);
	#mode: Settings["mode"];
	#isEnded = false;

	constructor(options: LiveProjectOptions) {
		const { port, engine, env, now, onFault, lentModels, modelCallMs: callMs } = options;
		this.port = port;
		this.engine = engine;
		this.#options = options;
		this.#mode = engine.settings.mode;
		this.sidecar = new Sidecar(now && { now });
		this.memoryModels = new MemoryModels(engine, lentModels ?? (() => NONE_LENT), now ?? Date.now);
		const models = () => this.memoryModels.background();
		this.#memory = keepMemory(engine, { sidecar: this.sidecar, models, callMs, now, onFailure: onFault });
		this.#shipping = FleetShipping.of(engine, { env, now });
		this.#fleet = port.stays && port.notes !== "none" ? FleetRecall.of(engine, { env, now }) : undefined;
	}

	/** The user can switch it for this process; the settings decide for the next. */
	get mode(): Settings["mode"] {
		return this.#mode;
	}

	setMode(mode: Settings["mode"]): void {
		this.#mode = mode;
	}

	/** True: weft only records. The one place that decides this, for every agent. */
	get isOff(): boolean {
		return this.#mode === "off";
	}

	/** True: weft records verdicts, but blocks, cuts and notes nothing. */
	get isReporting(): boolean {
		return this.engine.settings.policyMode === "report";
	}

	/** Undefined: the mode is `off`, the settings turn memory off, or the user has deleted the log. */
	get memory(): MemoryKeeper | undefined {
		return this.isOff || this.engine.log.isDeleted ? undefined : this.#memory;
	}

	/** Undefined: no fleet is configured, or the agent's process is too short-lived to ask it. */
	get fleet(): FleetRecall | undefined {
		return this.#fleet;
	}

	now(): number {
		return (this.#options.now ?? Date.now)();
	}

	fail(where: string, error: unknown): void {
		this.#options.onFault(where, error);
	}

	/** `cwd`: the folder where the session began; relative paths start there. */
	session(ref: SessionRef, cwd: string): LiveSession {
		const key = sessionKey(ref);
		const known = this.#sessions.get(key);
		if (known?.cwd === cwd) return known;
		const session = new LiveSession(this, ref, cwd);
		this.#sessions.set(key, session);
		return session;
	}

	/** Ships new events to the fleet's server in the background. */
	ship({ isLast = false } = {}): void {
		this.#shipping?.turnEnded({ isLast });
	}

	/** The agent has ended, and these sessions with it. The adapter closes the engine. */
	end(...refs: readonly SessionRef[]): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		for (const ref of refs.slice(0, -1)) this.memory?.beforeNewSession(ref);
		this.memory?.end(refs.at(-1));
		this.sidecar.end();
		this.ship({ isLast: true });
		this.#fleet?.close();
	}
}
