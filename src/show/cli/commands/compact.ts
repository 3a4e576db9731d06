import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import type { Compaction } from "../../../state/history/compact.ts";
import { DETERMINISTIC } from "../../../state/history/deterministic/summarise.ts";
import { HISTORY_DEFAULTS } from "../../../state/history/types.ts";
import { coverageLine, historyReport } from "../../../view/history.ts";
import { shortSession } from "../../../view/short-session.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { untilInterrupted } from "../interrupt.ts";
import { pickSession } from "../pick-session.ts";
import { Progress } from "../progress.ts";

export interface CompactCommandOptions {
	readonly session?: string;
	readonly model?: string;
	readonly keep?: string;
}

export async function run(context: Context, _args: readonly string[], options: CompactCommandOptions): Promise<void> {
	refuseModel(options.model);
	const keepTokens = wholeNumber("--keep", options.keep);
	const { out } = context;
	const engine = context.openExisting();
	const progress = new Progress(out.progressStream);
	try {
		const { history } = engine;
		const session = pickSession(engine.log, options.session);
		let result: Compaction | undefined;
		await untilInterrupted(async (signal) => {
			result = await engine.compact({
				session,
				settings: { ...engine.settings, keepTokens: keepTokens ?? HISTORY_DEFAULTS.keepTokens },
				signal,
				onProgress: (done, total) => progress.say(() => `summarising: ${done} of ${total}`),
			});
		});
		progress.clear();
		const { compacted, leaves, condensed, ended } = result!;
		const report = historyReport(history, session);
		if (out.json) {
			return await out.document({ compacted, ended, leaves, condensed, model: DETERMINISTIC, history: report });
		}
		const written = `${plural(leaves.length, "summary", "summaries")} of messages and ${condensed.length} of summaries`;
		const name = shortSession(session.session);
		await out.line(
			compacted
				? `${name}: wrote ${written}.`
				: `${name}: nothing to do: what came before the tail is summarised already.`,
		);
		await out.line(coverageLine(report));
		if (ended !== "done") out.talk(`It ended early (${ended}). What was written stays; run it again to go on.`);
		out.talk("Written without a model: the command line has none. 'weft tree' shows the result.");
	} finally {
		progress.clear();
		engine.close();
	}
}

function refuseModel(model: string | undefined): void {
	if (model === undefined || model === DETERMINISTIC) return;
	throw new EngineError(
		"refused",
		`The command line cannot ask the model '${model}': only an agent can. Omit --model to write summaries without a model.`,
	);
}
