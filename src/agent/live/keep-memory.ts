/** The memory of a project, kept for a host: what the engine knows, and the models that the host lends. */
import type { Engine } from "../../engine.ts";
import { type KeeperOptions, MemoryKeeper } from "../../state/memory/keeper.ts";

/** Undefined where the settings do not want it, or the log cannot be written. */
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
		state: () => engine.state().state,
		record: (events) => void engine.record(events),
	});
}
