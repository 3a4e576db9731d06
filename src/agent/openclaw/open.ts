/** The options of a context engine, and its log. */
import { BoundedSet } from "../../base/collection/bounded.ts";
import { errorText } from "../../base/error/error-text.ts";
import { type Engine, openEngine } from "../../engine.ts";
import { readSettings } from "../../settings/resolve.ts";
import type { Summariser } from "../../state/history/summariser.ts";
import { takePruneNotice } from "../../view/pruning.ts";
import { settingNotices } from "../live/setting-notices.ts";
import type { CompactParams, CompactResult } from "./contract.ts";
import { OPENCLAW_PORT } from "./port.ts";
import type { MemoryPrompt } from "./system-prompt.ts";
import type { ReadTranscript } from "./transcript-pages.ts";
import { OPENCLAW_HOST } from "./translate.ts";
import type { TurnAnswers } from "./turn-answers.ts";

export interface ContextEngineOptions {
	/** The agent's workspace. */
	readonly cwd: string;
	/** The folder of weft's data; by default from the settings. */
	readonly home?: string | undefined;
	readonly env?: NodeJS.ProcessEnv | undefined;
	readonly now?: (() => number) | undefined;
	/** True: the workspace's own settings files, and the code that they name, count. Default false. */
	readonly trusted?: boolean | undefined;
	/** Models that write summaries, tried in order, before the host's and the deterministic one. */
	readonly summarisers?: readonly Summariser[] | undefined;
	/** Reads the host's own transcript. Without it weft only has what the host's calls deliver. */
	readonly readTranscript?: ReadTranscript | undefined;
	/** False: another plugin has tools of the same names, so weft does not mention them. */
	readonly hasOwnTools?: boolean | undefined;
	/** False: never ask the agent's model for summaries. */
	readonly hostSummaries?: boolean | undefined;
	/** True: also replace results by their handles in the host's transcript. */
	readonly rewriteTranscript?: boolean | undefined;
	/** Renders the host's own text on memory, which the host leaves to the chosen engine. */
	readonly memoryPrompt?: MemoryPrompt | undefined;
	/** The host's own compaction, for modes without seals. */
	readonly delegate?: ((params: CompactParams) => Promise<CompactResult>) | undefined;
	/** The current turn's answers, if the host shows them. Without them a seal within a turn may have requests refused. */
	readonly turnAnswers?: TurnAnswers | undefined;
	/** Called with a line for the user at each seal. */
	readonly notify?: ((notice: string) => void) | undefined;
	/** Called with each warning; by default it prints to stderr. */
	readonly warn?: ((message: string) => void) | undefined;
}

/** Undefined if the log cannot be opened: a full disk or a broken file must not stop an agent. */
export function openLog(options: ContextEngineOptions, warn: (message: string) => void): Engine | undefined {
	const { cwd, home, env, now, trusted } = options;
	try {
		const engine = openEngine({
			cwd,
			host: OPENCLAW_HOST,
			warn,
			home,
			env,
			now,
			trusted,
			hasOwners: true,
			powers: { canChangeInput: OPENCLAW_PORT.canChangeInput, unifiesLineEnds: OPENCLAW_PORT.unifiesLineEnds },
			looksOncePerTick: true,
		});
		if (engine.settings.enabled) tellSettings(options, engine, warn);
		const notice = takePruneNotice(engine.log);
		if (notice !== undefined) warn(notice);
		return engine;
	} catch (error) {
		warn(`its log could not be opened: ${errorText(error)}`);
		return undefined;
	}
}

/** The host makes an engine for each turn; a notice about settings is for the first. */
const MAX_TOLD = 1_000;
const told = new BoundedSet<string>(MAX_TOLD);

function tellSettings(
	{ cwd, home, env = process.env, trusted = false }: ContextEngineOptions,
	{ project }: Engine,
	warn: (message: string) => void,
): void {
	const flags = home === undefined ? undefined : { dbDir: home };
	const places = { env, cwd, projectRoot: project.root, flags };
	for (const notice of settingNotices(OPENCLAW_PORT, places, readSettings({ ...places, trusted }))) {
		const key = `${project.root} ${notice}`;
		if (told.has(key)) continue;
		told.add(key);
		warn(notice);
	}
}
