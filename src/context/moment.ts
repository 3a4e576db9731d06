/** Everything that a plan is made from. The planner uses nothing else: no clock, no disk, no log of its own. */

import { EngineError } from "../base/error/engine-error.ts";
import { readPriceList } from "../base/tokens/price-file.ts";
import { CACHE_TTL_MS, DEFAULT_WINDOW_TOKENS, type PriceList, type Prices } from "../base/tokens/prices.ts";
import { type SessionRef, sessionKey } from "../log/session-ref.ts";
import type { History } from "../state/history/history.ts";
import type { FileSource } from "../state/work/file-source.ts";
import { cacheLifetime, knownPrices, reportedAutoSeal } from "./cache/reported-fold.ts";
import { isControl } from "./control-share.ts";
import { hasBasePatches } from "./patch/base-patch-fold.ts";
import { type Path, PathReader } from "./path.ts";
import type { PlanRequest } from "./plan.ts";
import type { ProjectState } from "./project-state.ts";
import type { RequestInput } from "./request.ts";
import { type AutoSealCause, policyOf, type SealPolicy, type SealSetting } from "./seal/policy.ts";
import type { Profile } from "./seal/rule.ts";
import { StoredPatches } from "./session-patches.ts";

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
	/** Decides the policy where the setting leaves it open; by default as the session's last request had it. */
	readonly autoSeal?: AutoSealCause | undefined;
	/** The project's folder; rendered texts show its name. */
	readonly root: string;
}

/** How plans are made: the same settings and the same moment give the same bytes. */
export interface PlanSettings {
	readonly mode: ModeName;
	/** Tokens of the model's window. */
	readonly window: number;
	/** Tokens of the system prompt and the tools, where `window` is only the room that they leave. */
	readonly fixed?: number | undefined;
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
	/** When weft seals by itself; by default by price. */
	readonly seal?: SealSetting | undefined;
	/** Percent of the window at which `window` seals. */
	readonly sealShare?: number | undefined;
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

/** The prices with what a write really costs here: more where the provider keeps it for an hour. */
export function pricesHere({ prices, state, path }: Pick<Moment, "prices" | "state"> & SessionPath): Prices {
	const isLong = cacheLifetime(state().reported, path.session.host) > CACHE_TTL_MS;
	return isLong ? { ...prices, write: prices.writeLong } : prices;
}

/** When weft seals by itself, at this moment. */
export function policyAt(
	{ prices, autoSeal, state, path }: Pick<Moment, "prices" | "autoSeal" | "state"> & SessionPath,
	{ seal }: Pick<PlanSettings, "seal">,
): SealPolicy {
	if (seal !== "auto") return policyOf(seal, prices);
	return policyOf(seal, prices, autoSeal ?? reportedAutoSeal(state().reported, path.session));
}

/** The part of a moment that names its session. */
interface SessionPath {
	readonly path: Pick<Path, "session">;
}

export interface MomentsOptions {
	readonly history: History;
	readonly mode: ModeName;
	/** `prices`: of models, as the settings write them. */
	readonly settings: Pick<PlanSettings, "profile" | "warpPer" | "maxSummaryTokens" | "seal" | "sealShare"> & {
		readonly prices?: readonly string[] | undefined;
		readonly controlShare?: number | undefined;
	};
	readonly root: string;
	/** The state that a session may know. */
	readonly state: (session: SessionRef) => ProjectState;
	readonly files: () => FileSource;
	readonly known: () => FileSource;
	readonly now: () => number;
}

/** Reads a session's moment from the log and the settings: everything that its next request is made from. */
export class Moments {
	readonly #options: MomentsOptions & { readonly askedAt: (session: SessionRef) => number | undefined };
	readonly #listed: PriceList;
	readonly #reader: PathReader;
	readonly #patches = new Map<string, StoredPatches>();
	#lastPath: { readonly key: string; readonly path: Path } | undefined;

	/** `askedAt`: when this process asked last in a session. */
	constructor(options: MomentsOptions, askedAt: (session: SessionRef) => number | undefined) {
		this.#options = { ...options, askedAt };
		this.#listed = readPriceList(options.settings.prices ?? []);
		this.#reader = new PathReader(options.history);
	}

	/** Everything that the next request of a session is made from, now. */
	at(input: RequestInput): Moment {
		const { history, root, files, known, now } = this.#options;
		history.catchUp();
		const session = { session: input.session, host: input.host };
		const state = () => this.#options.state(session);
		const leaf = input.leaf ?? history.tree.tip(session);
		if (leaf !== undefined && !history.tree.get(leaf)) {
			throw new EngineError("not-found", `There is no entry ${leaf} in the session '${input.session}'.`);
		}
		const mode = this.modeOf(input);
		const at = now();
		return {
			path: this.#pathAt(session, leaf, mode),
			state,
			files,
			known,
			history,
			now: at,
			lastAskedAt: input.lastAskedAt ?? this.#lastAskedAt(session),
			prices: input.prices ?? knownPrices(state().reported, input.host, input.model, this.#listed, at),
			model: input.model,
			autoSeal: input.autoSeal,
			root,
		};
	}

	/** A turn ends where the next request begins, so the same path serves both as long as nothing was written. */
	#pathAt(session: SessionRef, leaf: number | undefined, mode: ModeName): Path {
		const key = `${sessionKey(session)} ${leaf} ${mode} ${this.#options.history.log.newestSeq()}`;
		if (this.#lastPath?.key !== key) {
			const patches = this.#patchesOf(session).forMode(mode);
			this.#lastPath = { key, path: this.#reader.read({ session, leaf, patches, compactions: "recorded" }) };
		}
		return this.#lastPath.path;
	}

	/** By this process, or by an earlier one. */
	#lastAskedAt(session: SessionRef): number | undefined {
		const askedAt = this.#options.askedAt(session);
		if (askedAt !== undefined) return askedAt;
		const query = {
			session: session.session,
			host: session.host,
			types: ["Request"],
			order: "newest",
			limit: 1,
		} as const;
		for (const { ts } of this.#options.history.log.read(query)) return ts;
		return undefined;
	}

	/** A control session is planned as in `off`, whatever is asked for. */
	modeOf({ mode = this.#options.mode, session }: RequestInput): ModeName {
		const isKnown = MODES.some((known) => known === mode);
		if (isKnown) return isControl(session, this.#options.settings.controlShare) ? "off" : mode;
		throw new EngineError(
			"usage",
			`Unknown mode '${mode}'. Choose ${MODES.slice(0, -1).join(", ")} or ${MODES.at(-1)}.`,
		);
	}

	/** The settings for a plan. */
	settings(input: RequestInput): PlanSettings {
		const { window = DEFAULT_WINDOW_TOKENS, maxTokens, namesTools } = input;
		if (!(window > 0)) throw new EngineError("usage", `The window is ${window} tokens: give a number above 0.`);
		const { profile, warpPer, maxSummaryTokens, seal, sealShare } = this.#options.settings;
		const mode = this.modeOf(input);
		return { mode, window, maxTokens, namesTools, profile, warpPer, maxSummaryTokens, seal, sealShare };
	}

	asked(input: RequestInput): PlanRequest {
		return { decide: input.decide, openingRole: input.openingRole };
	}

	#patchesOf(session: SessionRef): StoredPatches {
		const key = sessionKey(session);
		const known = this.#patches.get(key);
		if (known) return known;
		const { history, state } = this.#options;
		const made = new StoredPatches(history, session, () => hasBasePatches(state(session).basePatches, session));
		this.#patches.set(key, made);
		return made;
	}
}
