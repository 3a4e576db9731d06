import { findNamedSession } from "../../../state/session/find-session.ts";
import { renderMemory, viewMemory } from "../../../view/memory.ts";
import type { Call, CommandResult } from "../frame.ts";

/** `weft memory` and `weft memory show`. */
export function run({ engine, options }: Call<"memory" | "memory show">): CommandResult {
	const view = viewMemory(engine, findNamedSession(engine.log, options.session));
	return { data: view, lines: (out) => renderMemory(view, out) };
}
