/** Everything that a plan is made from. The planner uses nothing else: no clock, no disk, no log of its own. */

import { CACHE_TTL_MS } from "../base/tokens/model-defaults.ts";
import type { Prices } from "../base/tokens/prices.ts";
import type { History } from "../state/history/history.ts";
import type { FileSource } from "../state/work/file-source.ts";
import { cacheLifetime } from "./cache/reported-fold.ts";
import type { Path } from "./path.ts";
import type { ProjectState } from "./project-state.ts";
import type { Profile } from "./seal/rule.ts";

export interface Moment {
	/** The conversation, from its opening to the agent's newest entry. */
	readonly path: Path;
	/** The state of the work. Only computed to render a text or to decide a seal. */
	readonly state: () => ProjectState;
	/** The files: those of the disk, or as the log knew them. */
	readonly files: () => FileSource;
	/** The texts as the log knew them, to say what changed in a stale file. */
	readonly known?: (() => FileSource) | undefined;
	/** The summaries over the messages that have left. */
	readonly history: Pick<History, "path" | "text" | "children">;
	/** ms since the epoch. */
	readonly now: number;
	/** When the session's last request was sent; if it was not recorded, the time of its answer. */
	readonly lastAskedAt?: number | undefined;
	readonly prices: Prices;
	/** The model that is asked; by default the one that answered last. */
	readonly model?: string | undefined;
	/** The project's folder; rendered texts show its name. */
	readonly root: string;
}

/** How plans are made: the same settings and the same moment give the same bytes. */
export interface PlanSettings {
	readonly mode: ModeName;
	/** Tokens of the model's window. */
	readonly window: number;
	readonly profile: Profile;
	/** Tokens that the model may answer with. */
	readonly maxTokens?: number | undefined;
	/** Tokens for the computed context of `warp`; by default from the window. */
	readonly budget?: number | undefined;
	/** False: the agent cannot call our tools, so no text names them. */
	readonly namesTools?: boolean | undefined;
	/** `warp` computes its context once per run, or for every request. */
	readonly warpPer?: "run" | "request" | undefined;
	/** Tokens of the summaries that `lossless` shows; in a small window less. */
	readonly maxSummaryTokens?: number | undefined;
	/** Tokens of messages above which mode `host` compacts. */
	readonly hostLimit?: number | undefined;
	/** Seals whenever the context has more tokens than this, in place of the rule. */
	readonly threshold?: number | undefined;
}

export const MODES = ["woven", "warp", "lossless", "off"] as const;
/**
 * `host`: the agent's own history with its own compaction, as far as it is known. The other modes are compared with it.
 */
export type ModeName = (typeof MODES)[number] | "host";

/** True: the previous answer is so old that the provider has dropped it from its cache. */
export function isCold({
	path,
	now,
	lastAskedAt,
	state,
}: Pick<Moment, "path" | "now" | "lastAskedAt" | "state">): boolean {
	const at = lastAskedAt ?? path.messages.findLast(({ role }) => role === "assistant")?.ts;
	if (at === undefined || now - at <= CACHE_TTL_MS) return false;
	return now - at > cacheLifetime(state().reported, path.session.host);
}
