/** Before the first request that carries a message of the user: what the project remembers is put before it. */

import { messageText, viewMessage } from "../../message/view.ts";
import { reranker } from "../../state/memory/recall/rerank.ts";
import { recallFor } from "../live/recall-for.ts";
import { ownWordsInPi } from "../recorded/pi-session-translator.ts";
import type { Live } from "./live.ts";
import { memoryModels } from "./models.ts";
import { LiveSkills } from "./skills.ts";

export async function recallOnce(live: Live): Promise<void> {
	const { engine, session } = live;
	if (live.mode() === "off") return;
	const input = live.input();
	const { leaf } = input;
	const entry = leaf === undefined ? undefined : engine.history.tree.get(leaf);
	if (!entry?.asks || entry.role !== "user" || leaf === undefined || leaf === live.askedFor) return;
	live.askedFor = leaf;
	live.skills ??= await LiveSkills.find(live);
	const { active, all } = live.skills;
	active.said(textOf(live, leaf));
	live.memory?.takeInEdits(session);
	const block = await recallFor(engine, input, {
		rerank: reranker(live.sidecar, memoryModels(live)),
		words: ownWordsInPi,
		skills: all,
		scope: live.memory ? active.memoryScope : "none",
		said: await live.skills.run("before_prompt", live),
	});
	if (block === undefined || live.leaf() !== leaf) return;
	live.recalled = engine.requests.recallInto(input, block.text) ?? live.recalled;
	if (block.bullets.length > 0) live.memory?.recalled(session, block.bullets);
	engine.debug("recall", { session: session.session, leaf });
}

function textOf({ engine }: Live, leaf: number): string {
	const record = engine.log.get(leaf);
	return record ? messageText(viewMessage(record.payload)) : "";
}
