/** Recall in Pi: puts the recalled block before the user's newest words, in the first request that carries them. */

import { userWords } from "../../message/user-words.ts";
import { jobEvent } from "../../state/memory/model-jobs.ts";
import { reranker } from "../../state/memory/recall/rerank.ts";
import type { LivePi } from "./live.ts";
import { PiSkills } from "./skills.ts";
import { PI_HOST } from "./translate.ts";

export async function recallOnce(live: LivePi): Promise<void> {
	const { engine, session, loop } = live;
	if (live.mode() === "off") return;
	const input = live.input();
	const { leaf } = input;
	const entry = leaf === undefined ? undefined : engine.history.tree.get(leaf);
	if (!entry?.asks || entry.role !== "user" || leaf === undefined || leaf === live.recalledFor) return;
	live.recalledFor = leaf;
	live.skills ??= await PiSkills.find(live);
	const { active, all } = live.skills;
	loop.skills = active;
	const moment = engine.requests.moment(input);
	const newest = moment.path.messages.at(-1);
	if (newest?.role !== "user") return;
	active.said(newest.text);
	const block = await loop.recall(userWords(newest.text, PI_HOST), input, {
		moment,
		rerank: reranker(live.project.sidecar, live.project.memoryModels.urgent(), (report) => {
			const now = live.project.now();
			engine.record([jobEvent(report, session, `job rerank ${now}`, now)]);
		}),
		skills: all,
		scope: active.memoryScope,
		skillOutput: await live.skills.run("before_prompt", live),
	});
	if (block === undefined || live.leaf() !== leaf) return;
	const stored = engine.requests.recallInto(input, block.text, moment);
	live.recalled = stored ?? live.recalled;
	if (stored) loop.recalled(block);
	engine.debug("recall", { session: session.session, leaf });
}
