/**
 * weft beside one agent in one project: everything that the agent's sessions there share. Opened by an adapter, which hands in
 * the port and what the program lends. `LiveSession` is the loop of one session.
 */
import { BoundedMap } from "../../base/collection/bounded.ts";
import type { SideModel } from "../../base/sidecar/ask.ts";
import { Sidecar } from "../../base/sidecar/sidecar.ts";
import type { Engine } from "../../engine.ts";
import { type SessionRef, sessionKey } from "../../log/session-ref.ts";
import type { Settings } from "../../settings/keys.ts";
import type { MemoryKeeper } from "../../state/memory/keeper.ts";
import type { AgentPort } from "../port.ts";
import { FleetRecall } from "./fleet-recall.ts";
import { keepMemory } from "./keep-memory.ts";
import { LiveSession } from "./session.ts";
import { ShipLater } from "./ship-later.ts";

export interface LiveProjectOptions {
	readonly port: AgentPort;
	readonly engine: Engine;
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly now?: (() => number) | undefined;
	/** A failure beside the agent's own work: it is written down, and the agent notices nothing. */
	readonly onFault: (where: string, error: unknown) => void;
	/** The models that the program lends for memory, at the time of the call. */
	readonly memoryModels?: (() => readonly SideModel[]) | undefined;
	/** How long one call of a lent model may take. */
	readonly modelCallMs?: number | undefined;
}

/** More sessions than one process works on at a time, sub-agents among them. */
const MAX_SESSIONS = 256;

export class LiveProject {
	readonly port: AgentPort;
	readonly engine: Engine;
	/** Small jobs for models, beside the agent. */
	readonly sidecar: Sidecar;
	readonly #options: LiveProjectOptions;
	readonly #memory: MemoryKeeper | undefined;
	readonly #shipping: ShipLater | undefined;
	readonly #fleet: FleetRecall | undefined;
	readonly #sessions = new BoundedMap<string, LiveSession>(MAX_SESSIONS);
	#mode: Settings["mode"];
	#isEnded = false;

	constructor(options: LiveProjectOptions) {
		const { port, engine, env, now, onFault, memoryModels, modelCallMs: callMs } = options;
		this.port = port;
		this.engine = engine;
		this.#options = options;
		this.#mode = engine.settings.mode;
		this.sidecar = new Sidecar(now && { now });
		const models = memoryModels ?? (() => []);
		this.#memory = keepMemory(engine, { sidecar: this.sidecar, models, callMs, now, onFailure: onFault });
		this.#shipping = ShipLater.of(engine, { env, now });
		this.#fleet = port.stays && port.notes !== "none" ? FleetRecall.of(engine, { env, now }) : undefined;
	}

	/** Switched by the user for as long as this process runs; the settings decide the next one. */
	get mode(): Settings["mode"] {
		return this.#mode;
	}

	setMode(mode: Settings["mode"]): void {
		this.#mode = mode;
	}

	/** True: weft records, and does nothing else. The one place that decides it, for every agent. */
	get isOff(): boolean {
		return this.#mode === "off";
	}

	/** True: nothing is blocked, cut or remarked; verdicts are written down. */
	get isReporting(): boolean {
		return this.engine.settings.policyMode === "report";
	}

	/** Undefined: switched off, or the settings do not want memory. */
	get memory(): MemoryKeeper | undefined {
		return this.isOff ? undefined : this.#memory;
	}

	/** Undefined: no fleet, or its process does not live long enough to be asked. */
	get fleet(): FleetRecall | undefined {
		return this.#fleet;
	}

	now(): number {
		return (this.#options.now ?? Date.now)();
	}

	fail(where: string, error: unknown): void {
		this.#options.onFault(where, error);
	}

	/** `cwd`: where the session began, which is where its files are named from. */
	session(ref: SessionRef, cwd: string): LiveSession {
		const key = sessionKey(ref);
		const known = this.#sessions.get(key);
		if (known?.cwd === cwd) return known;
		const session = new LiveSession(this, ref, cwd);
		this.#sessions.set(key, session);
		return session;
	}

	/** New events leave for the fleet's server, off the agent's path. */
	ship({ isLast = false } = {}): void {
		this.#shipping?.turnEnded({ isLast });
	}

	/** The agent is gone, and with it these sessions. The engine stays open for the adapter. */
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
