/** What the tool `rewind` shows a model: the view of `weft rewind`, never carried out, with the command for the user. */
import type { Engine } from "../../engine.ts";
import { renderCommand } from "../../guard/rewind/request.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { ToolContext } from "../../tool/types.ts";
import { viewRewind } from "../../view/rewind.ts";

const MAX_MOMENTS = 20;

/** Undefined where people share the project: the commands in the list of moments are other people's words. */
export function rewindRenderer(engine: Engine, session: SessionRef, now: number): ToolContext["renderRewind"] {
	const { owner, others } = engine.scope(session);
	if (owner !== undefined || others.length > 0) return undefined;
	const { log, project, settings } = engine;
	return (wanted) => {
		const place = { cwd: project.root, root: project.root, now, maxBytes: settings.keepBytes };
		const isPlan = wanted.to !== undefined || wanted.before !== undefined;
		const files = wanted.file === undefined ? [] : [wanted.file];
		const request = { files, to: wanted.to, before: wanted.before };
		const view = viewRewind(log, {
			...request,
			...place,
			limit: MAX_MOMENTS,
			diff: isPlan && files.length > 0,
			yes: false,
		});
		const proposal = `Nothing was changed. To do it, the user runs: ${renderCommand(request)} --yes`;
		return [...view.lines, ...(isPlan ? [proposal] : view.remarks)].join("\n");
	};
}
