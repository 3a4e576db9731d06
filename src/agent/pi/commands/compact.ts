/** `/lcm compact`: through Pi's own compaction, so that the session holds it; where Pi has nothing to compact, by ourselves. */
import { plural } from "../../../base/text/bytes.ts";
import type { Asked } from "./asked.ts";

export async function compactNow({ live, ctx }: Asked, instructions: string): Promise<string> {
	const before = live.engine.history.stats(live.session).nodes;
	// In `off` Pi's history stays Pi's own: the summaries do not enter it.
	const refused = live.mode() === "off" ? "the mode is off" : await throughPi(ctx, instructions);
	if (refused === undefined) {
		const { nodes, depth } = live.engine.history.stats(live.session);
		return `Compacted: ${plural(nodes - before, "new summary", "new summaries")}, ${nodes} in all (depth ${depth}).`;
	}
	const { compacted, leaves, condensed, ended, tried } = await live.compact({
		instructions: instructions || undefined,
	});
	const models = tried.length === 0 ? "" : ` ${plural(tried.length, "answer")} of models refused.`;
	if (!compacted) return `Nothing to summarise yet (${refused}).${models}`;
	const made = leaves.length + condensed.length;
	return `${plural(made, "new summary", "new summaries")} (${ended}); Pi's own list stays as it is, because ${refused}.${models}`;
}

/** Why Pi did not compact; undefined: it did. */
function throughPi(ctx: Asked["ctx"], customInstructions: string): Promise<string | undefined> {
	return new Promise((resolve) => {
		ctx.compact({
			...(customInstructions === "" ? {} : { customInstructions }),
			onComplete: () => resolve(undefined),
			onError: ({ message }) => resolve(message.replace(/\.$/, "")),
		});
	});
}
