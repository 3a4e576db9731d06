/** What an engine needs to begin: its options, and the log. */
import { errorText } from "../../base/error/error-text.ts";
import { type Engine, openEngine } from "../../engine.ts";
import type { Summariser } from "../../state/history/summariser.ts";
import { takePruneNotice } from "../../view/pruning.ts";
import type { CompactParams, CompactResult } from "./contract.ts";
import type { MemoryPrompt } from "./guidance.ts";
import type { ReadTranscript } from "./transcript.ts";
import { OPENCLAW_HOST } from "./translate.ts";

export interface ContextEngineOptions {
	/** The agent's workspace. */
	readonly cwd: string;
	/** Where all data lies; by default what the settings say. */
	readonly home?: string | undefined;
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly now?: (() => number) | undefined;
	/** Whether the workspace's own settings files, and the code that they name, count. By default they do not. */
	readonly trusted?: boolean | undefined;
	/** Models that write summaries, tried in order, before the host's own and the deterministic one. */
	readonly summarisers?: readonly Summariser[] | undefined;
	/** Reads the host's own transcript; without it only what its calls hand over is known. */
	readonly readTranscript?: ReadTranscript | undefined;
	/** False: tools of our names are another plugin's, so they are not named. */
	readonly hasOwnTools?: boolean | undefined;
	/** False: the agent's model is never asked for summaries. */
	readonly hostSummaries?: boolean | undefined;
	/** True: results that a handle stands for are replaced in the host's transcript, too. */
	readonly rewriteTranscript?: boolean | undefined;
	/** The host's own words on memory, which it leaves out of the system prompt where another engine is chosen. */
	readonly memoryPrompt?: MemoryPrompt | undefined;
	/** The host's own compaction, for the modes that make no seals. */
	readonly delegate?: ((params: CompactParams) => Promise<CompactResult>) | undefined;
	/** Told once when something fails; by default it stands on stderr. */
	readonly warn?: ((message: string) => void) | undefined;
}

/** Undefined where the log cannot be opened: a full disk or a broken file must not keep an agent from working. */
export function openLog(
	{ cwd, home, env, now, trusted }: ContextEngineOptions,
	warn: (message: string) => void,
): Engine | undefined {
	try {
		const engine = openEngine({
			cwd,
			host: OPENCLAW_HOST,
			warn,
			home,
			env,
			now,
			trusted,
			looksOncePerTick: true,
		});
		for (const { message } of engine.problems) warn(message);
		const notice = takePruneNotice(engine.log);
		if (notice !== undefined) warn(notice);
		return engine;
	} catch (error) {
		warn(`its log could not be opened: ${errorText(error)}`);
		return undefined;
	}
}
