/** The sessions that pass the proxy, with the engines of their projects. A dropped session is read from the log when it returns. */
import { setTimeout as pause } from "node:timers/promises";
import { BoundedMap } from "../../base/collection/bounded.ts";
import type { Engine } from "../../engine.ts";
import type { LiveSessionFiles } from "../live/live-session-files.ts";
import { type ModelFacts, WatchedSession } from "./watched-session.ts";
import type { Caller } from "./wire.ts";

const MAX_SESSIONS = 100;
const LOOK_AGAIN_MS = 25;

export class WatchedSessions {
	readonly #files: LiveSessionFiles;
	readonly #model: ModelFacts;
	readonly #now: () => number;
	readonly #sessions = new BoundedMap<string, WatchedSession>(MAX_SESSIONS, (_, { caller }) => this.#forget(caller));
	/** By the agent's id of the session, which its sub-agents share. */
	readonly #engines = new Map<string, Engine>();

	constructor(files: LiveSessionFiles, model: ModelFacts, now: () => number) {
		this.#files = files;
		this.#model = model;
		this.#now = now;
	}

	get(caller: Caller): WatchedSession | undefined {
		return this.#sessions.get(keyOf(caller));
	}

	open(caller: Caller): WatchedSession {
		const key = keyOf(caller);
		const session = this.#sessions.get(key) ?? new WatchedSession(caller, this.#model, this.#now());
		// The session that was used last is dropped last.
		this.#sessions.delete(key);
		this.#sessions.set(key, session);
		return session;
	}

	all(): WatchedSession[] {
		return [...this.#sessions.values()];
	}

	/** Undefined before the first catch-up that found its file. */
	engineOf({ caller }: WatchedSession): Engine | undefined {
		return this.#engines.get(caller.id);
	}

	/** Reads the agent's file to its end. Undefined: nothing is written of the session yet. */
	async catchUp({ caller }: WatchedSession): Promise<Engine | undefined> {
		const engine = await this.#files.catchUp(caller);
		if (engine) this.#engines.set(caller.id, engine);
		return engine;
	}

	/** Looks until the log holds what the agent has sent: it writes its lines a moment later. Undefined: it is late, and not there. */
	async whenWritten<Found>(
		session: WatchedSession,
		find: (engine: Engine, isLate: boolean) => Found | undefined,
		isLate: (engine: Engine | undefined) => boolean,
	): Promise<Found | undefined> {
		for (;;) {
			const engine = await this.catchUp(session);
			const late = isLate(engine);
			const found = engine && find(engine, late);
			if (found !== undefined || late) return found;
			await pause(LOOK_AGAIN_MS);
		}
	}

	#forget(caller: Caller): void {
		if (this.all().some((each) => each.caller.id === caller.id)) return;
		this.#engines.delete(caller.id);
		this.#files.forget(caller);
	}
}

function keyOf({ agent, session }: Caller): string {
	return `${agent} ${session}`;
}
