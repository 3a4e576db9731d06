/** Asks the user once whether models may write memory, and keeps the answer in the user's settings. */
import { writeSetting } from "../../settings/sources.ts";
import type { LivePi } from "./live.ts";

/** Only where a person can answer: not in print mode, not in CI. */
export async function askAboutMemoryModels(live: LivePi): Promise<void> {
	const { ctx, project } = live;
	if (!ctx.hasUI || typeof ctx.ui.select !== "function" || project.isOff) return;
	const question = project.memoryModels.question(process.env);
	if (!question) return;
	const { text, yes, no } = question;
	const chosen = await ctx.ui.select(text, [yes, no]);
	// A dialog that was closed is an answer too: it must not come back every day.
	const choice = project.memoryModels.answer(chosen === yes);
	writeSetting(process.env, "memoryModels", choice);
	if (chosen === undefined) live.warn("no model writes memory. To change it: weft config set memoryModels session");
}
