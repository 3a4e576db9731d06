/**
 * The user comes back after a while, and the provider has forgotten everything: whatever is sent now is written anew, so
 * a seal costs nothing. Pi lets no turn end here, so it is asked to compact, and `compact.ts` answers with the seal.
 */
import { activePath } from "./active-path.ts";
import type { LiveSession } from "./live-session.ts";
import { projectBranch } from "./projection.ts";
import { isCold } from "./seal.ts";

/** A prompt waits for it: never longer than this. */
const PATIENCE_MS = 10_000;

export async function sealWhenCold(live: LiveSession): Promise<void> {
	const { ctx } = live;
	if (live.mode() !== "woven" || !ctx.isIdle() || !isCold(live)) return;
	const weave = live.weave();
	if (!weave) return;
	const entries = projectBranch(ctx.sessionManager);
	const { messages, standing } = activePath(entries, (from) => weave.epochs.seals.some((seal) => seal.from === from));
	if (weave.wouldSeal(messages, { cold: true, standing }) === undefined) return;
	await new Promise<void>((resolve) => {
		const timer = setTimeout(resolve, PATIENCE_MS);
		const done = () => {
			clearTimeout(timer);
			resolve();
		};
		ctx.compact({ onComplete: done, onError: done });
	});
}
