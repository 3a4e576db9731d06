/** What a session did to files, as a patch. */
import { EngineError } from "../../../base/error/engine-error.ts";
import { readPriceList } from "../../../base/tokens/price-file.ts";
import { eventFile } from "../../../view/event.ts";
import { SessionRequests } from "../../../view/requests.ts";
import { diffRemarks, renderDiffStat, viewSessionDiff } from "../../../view/session-diff.ts";
import type { CommandModule } from "../frame.ts";
import { withNamedSession } from "../named-session.ts";

export const diffCommand: CommandModule<"diff"> = {
	check({ options: { run, from, to } }) {
		if (run !== undefined && (from !== undefined || to !== undefined))
			throw new EngineError("usage", "Give either --run, or --from and --to.");
	},
	async run({ context, args: [given], options: { session: named, run, from, to, file, stat } }) {
		const view = await withNamedSession(context, given ?? named, (engine, { session, host }) => {
			const requests = new SessionRequests(engine.history, { session, host }, readPriceList(engine.settings.prices));
			const path = file === undefined ? undefined : eventFile(file, context.cwd, engine.project.root);
			return viewSessionDiff(engine, requests, { session, host }, { run, from, to, file: path });
		});
		if (stat) return { data: view, lines: () => renderDiffStat(view) };
		return { data: view, text: () => view.patch, remarks: diffRemarks(view) };
	},
};
