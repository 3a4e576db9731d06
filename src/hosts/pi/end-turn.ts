/** When a turn is closed, in `woven`: seal if that pays. */
import type { TurnEndEvent, TurnEndEventResult } from "@earendil-works/pi-coding-agent";
import type { LiveSession } from "./live-session.ts";
import { shownIn, toOutgoing } from "./outgoing.ts";
import { sealDrafts, sealIfDue } from "./seal.ts";

export async function endTurn(event: TurnEndEvent, live: LiveSession): Promise<TurnEndEventResult | undefined> {
	if (live.mode() === "off" || event.outcome !== "completed") return undefined;
	// What is true after this turn is folded with it, so that the next request does not wait for it.
	live.engine.state();
	if (live.pipeline) {
		const shown = shownIn(event.context.contextEntries);
		await live.pipeline.endTurn(toOutgoing(shown).envelope.messages.cached, live);
	}
	if (live.mode() !== "woven") return undefined;
	// Another extension compacts here: one is enough.
	if (event.entries.some(({ type }) => type === "compaction")) return undefined;
	const sealed = await sealIfDue(live, event.context.contextEntries);
	if (!sealed) return undefined;
	live.mention(sealed.notice);
	return { entries: [...event.entries, ...sealDrafts(sealed)] };
}
