/** The thread for a model that calls the tool `thread`: the same text as `weft thread`. */
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { ToolContext } from "../../tool/types.ts";
import { renderBoundedThread, viewThread } from "../../view/thread.ts";

const FOOTER = "lcm_expand gives the source of an id in brackets.";

export function threadRenderer(engine: Engine, session: SessionRef): NonNullable<ToolContext["renderThread"]> {
	return (maxTokens) =>
		renderBoundedThread(viewThread(engine, session), { maxTokens, footer: FOOTER, more: "lcm_grep finds them" });
}
