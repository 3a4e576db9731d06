/** Before the first request that carries a message of the user: what the project remembers is put before it. */
import { reranker } from "../../memory/recall/rerank.ts";
import { recallFor } from "../recall-for.ts";
import type { Live } from "./live.ts";
import { memoryModels } from "./models.ts";

export async function recallOnce(live: Live): Promise<void> {
	const { engine, session } = live;
	if (!live.memory || live.mode() === "off") return;
	const input = live.input();
	const { leaf } = input;
	const entry = leaf === undefined ? undefined : engine.history.tree.get(leaf);
	if (!entry?.asks || entry.role !== "user" || leaf === live.askedFor) return;
	live.askedFor = leaf;
	const block = await recallFor(engine, input, { rerank: reranker(live.sidecar, memoryModels(live)) });
	if (block === undefined || live.leaf() !== leaf) return;
	live.recalled = engine.requests.recallInto(input, block) ?? live.recalled;
	engine.debug("recall", { session: session.session, leaf });
}
