/** The memory keeper of a project: uses the engine's log and state, and the models that the agent lends. */
import type { Engine } from "../../engine.ts";
import { type KeeperOptions, MemoryKeeper } from "../../state/memory/keeper.ts";

/** Undefined: the settings turn memory off, or the log is read-only. */
export function keepMemory(
	engine: Engine,
	lent: Pick<KeeperOptions, "sidecar" | "models" | "onFailure" | "callMs"> & {
		readonly now?: (() => number) | undefined;
	},
): MemoryKeeper | undefined {
	if (!engine.settings.memory || engine.log.readOnly) return undefined;
	return new MemoryKeeper({
		...lent,
		now: lent.now ?? Date.now,
		history: engine.history,
		state: (session) => engine.stateFor(session).state,
		scope: (session) => engine.scope(session),
		record: (events) => void engine.record(events),
	});
}
