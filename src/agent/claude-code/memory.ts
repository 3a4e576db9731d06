/** The memory of a project, kept while Claude Code works on it: from state alone, because Claude Code lends no model. */

import { Sidecar } from "../../base/sidecar/sidecar.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { MemoryKeeper } from "../../state/memory/keeper.ts";
import { keepMemory } from "../live/keep-memory.ts";

export class ClaudeCodeMemory {
	readonly #onFailure: (where: string, error: unknown) => void;
	readonly #sidecar = new Sidecar();
	#engine: Engine | undefined;
	#keeper: MemoryKeeper | undefined;

	constructor(onFailure: (where: string, error: unknown) => void) {
		this.#onFailure = onFailure;
	}

	/** The agent has answered. */
	turnEnded(engine: Engine, session: SessionRef): void {
		const keeper = this.#keeperOf(engine);
		keeper?.begin(session);
		keeper?.turnEnded(session, { isRunOver: true });
	}

	beforeCompaction(engine: Engine, session: SessionRef): void {
		const keeper = this.#keeperOf(engine);
		keeper?.begin(session);
		keeper?.beforeCompaction(session);
	}

	/** Bullets that stand beside the user's words now. */
	recalled(engine: Engine, session: SessionRef, bullets: readonly string[]): void {
		if (bullets.length > 0) this.#keeperOf(engine)?.recalled(session, bullets);
	}

	end(): void {
		this.#keeper?.end(undefined);
		this.#sidecar.end();
	}

	#keeperOf(engine: Engine): MemoryKeeper | undefined {
		if (this.#engine === engine) return this.#keeper;
		this.#engine = engine;
		const isOff = engine.settings.mode === "off";
		const lent = { sidecar: this.#sidecar, models: () => [], onFailure: this.#onFailure };
		this.#keeper = isOff ? undefined : keepMemory(engine, lent);
		return this.#keeper;
	}
}
