import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import type { Compaction } from "../../../state/history/compact.ts";
import { DETERMINISTIC } from "../../../state/history/deterministic/summarise.ts";
import { HISTORY_DEFAULTS } from "../../../state/history/types.ts";
import { coverageLine, historyReport } from "../../../view/history.ts";
import { shortSession } from "../../../view/short-session.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";
import { untilInterrupted } from "../interrupt.ts";
import { Progress } from "../progress.ts";

export function check({ options: { model } }: CheckCall<"compact">): void {
	if (model === undefined || model === DETERMINISTIC) return;
	throw new EngineError(
		"refused",
		`The command line cannot ask the model '${model}': only an agent can. Omit --model to write summaries without a model.`,
	);
}

export async function run({ out, engine, session, options }: Call<"compact">): Promise<CommandResult> {
	const progress = new Progress(out.progressStream);
	try {
		const { compacted, leaves, condensed, ended } = await untilInterrupted<Compaction>((signal) =>
			engine.compact({
				session,
				settings: { ...engine.settings, keepTokens: options.keep ?? HISTORY_DEFAULTS.keepTokens },
				signal,
				onProgress: (done, total) => progress.show(() => `summarising: ${done} of ${total}`),
			}),
		);
		const history = historyReport(engine.history, session);
		const name = shortSession(session.session);
		const written = `${plural(leaves.length, "summary", "summaries")} of messages and ${condensed.length} of summaries`;
		return {
			data: { compacted, ended, leaves, condensed, model: DETERMINISTIC, history },
			lines: () => [
				compacted ? `${name}: wrote ${written}.` : `${name}: nothing to do. Everything before the tail is summarised.`,
				coverageLine(history),
			],
			remarks: [
				...(ended === "done" ? [] : [`It ended early (${ended}). Its summaries are kept; run it again to continue.`]),
				"Written without a model: the command line has none. 'weft tree' shows the result.",
			],
		};
	} finally {
		progress.clear();
	}
}
