/** The Warp context as it would be computed for the next request, whatever mode the session is in. */
import { basename } from "node:path";
import { projectState } from "../../../context/project-state.ts";
import { contextBudget, DEFAULT_WINDOW_TOKENS } from "../../../context/section/budget.ts";
import { renderWarp } from "../../../context/section/warp/render.ts";
import { diskFiles } from "../../../work/file-source.ts";
import { recordedFiles } from "../../../work/recorded-files.ts";
import type { Asked } from "./asked.ts";

export async function run({ live, ctx }: Asked): Promise<string> {
	const { log, project } = live.engine;
	const { seq, state } = projectState(log).current();
	const { contextWindow: window = DEFAULT_WINDOW_TOKENS, maxTokens } = ctx.model ?? {};
	return renderWarp({
		state,
		files: diskFiles(project.root),
		known: recordedFiles(log, seq),
		budget: contextBudget({ window, ...(maxTokens === undefined ? {} : { maxTokens }) }),
		now: Date.now(),
		session: live.session.session,
		repository: basename(project.root),
	}).text;
}
