/**
 * Memory in OpenClaw. The host makes an engine for every turn, so what happens between turns is decided from the log. What is
 * written while somebody waits comes from state; the agent's own model is asked in upkeep only, and only where the settings say
 * so.
 */

import { Sidecar } from "../../base/sidecar/sidecar.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { MemoryKeeper } from "../../state/memory/keeper.ts";
import type { Door } from "../live/door.ts";
import { keepMemory } from "../live/keep-memory.ts";
import type { RuntimeContext } from "./contract.ts";
import { agentModel } from "./summariser.ts";

/** The host tells the user when upkeep takes ten seconds. */
const CALL_MS = 7_000;

export class OpenClawMemory {
	readonly #keeper: MemoryKeeper | undefined;
	readonly #sidecar: Sidecar;
	#lent: RuntimeContext["llm"];

	constructor(engine: Engine, door: Door, now: () => number) {
		this.#sidecar = new Sidecar({ now });
		const wantsModel = engine.settings.memoryModels === "session";
		const isOff = engine.settings.mode === "off";
		this.#keeper = isOff
			? undefined
			: keepMemory(engine, {
					now,
					sidecar: this.#sidecar,
					callMs: CALL_MS,
					models: () => (wantsModel ? agentModel(this.#lent, "weft: notes of the session") : []),
					onFailure: (where, error) => door.fail(where, error),
				});
	}

	turnEnded(session: SessionRef): void {
		this.#keeper?.begin(session);
		this.#keeper?.turnEnded(session, { isRunOver: true });
	}

	/** Bullets that stand before the user's words now. */
	recalled(session: SessionRef, bullets: readonly string[]): void {
		if (bullets.length > 0) this.#keeper?.recalled(session, bullets);
	}

	beforeCompaction(session: SessionRef): void {
		this.#keeper?.beforeCompaction(session);
	}

	beforeNewSession(session: SessionRef): void {
		this.#keeper?.beforeNewSession(session);
	}

	/** After a turn, while nobody waits: one job of the agent's model, and the upkeep of the files. */
	async upkeep(session: SessionRef, llm: RuntimeContext["llm"]): Promise<void> {
		this.#lent = llm;
		await this.#keeper?.upkeep(session);
		this.#lent = undefined;
	}

	end(): void {
		this.#keeper?.end(undefined);
		this.#sidecar.end();
	}
}
