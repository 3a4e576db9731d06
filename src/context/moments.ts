/** Reads a session's moment from the log and the settings: everything that its next request is made from. */

import { EngineError } from "../base/error/engine-error.ts";
import { DEFAULT_WINDOW_TOKENS } from "../base/tokens/model-defaults.ts";
import { type PriceList, readPriceList } from "../base/tokens/prices.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { sessionKey } from "../log/session-ref.ts";
import type { History } from "../state/history/history.ts";
import type { FileSource } from "../state/work/file-source.ts";
import { knownPrices } from "./cache/reported-fold.ts";
import { MODES, type ModeName, type Moment, type PlanSettings } from "./moment.ts";
import { type Path, PathReader } from "./path.ts";
import type { PlanRequest } from "./plan.ts";
import type { ProjectState } from "./project-state.ts";
import type { RequestInput } from "./request.ts";
import { StoredPatches } from "./session-patches.ts";

export interface MomentsOptions {
	readonly history: History;
	readonly mode: ModeName;
	/** `prices`: of models, as the settings write them. */
	readonly settings: Pick<PlanSettings, "profile" | "warpPer" | "maxSummaryTokens"> & {
		readonly prices?: readonly string[] | undefined;
	};
	readonly root: string;
	readonly state: () => ProjectState;
	readonly files: () => FileSource;
	readonly known: () => FileSource;
	readonly now: () => number;
}

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
		const { history, root, state, files, known, now } = this.#options;
		history.catchUp();
		const session = { session: input.session, host: input.host };
		const leaf = input.leaf ?? history.tree.tip(session);
		if (leaf !== undefined && !history.tree.get(leaf)) {
			throw new EngineError("not-found", `There is no entry ${leaf} in the session '${input.session}'.`);
		}
		const mode = this.modeOf(input);
		return {
			path: this.#pathAt(session, leaf, mode),
			state,
			files,
			known,
			history,
			now: now(),
			lastAskedAt: input.lastAskedAt ?? this.#lastAskedAt(session),
			prices: input.prices ?? knownPrices(state().reported, input.host, input.model, this.#listed),
			model: input.model,
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

	modeOf({ mode = this.#options.mode }: RequestInput): ModeName {
		if (MODES.some((known) => known === mode)) return mode;
		throw new EngineError(
			"usage",
			`Unknown mode '${mode}'. Choose ${MODES.slice(0, -1).join(", ")} or ${MODES.at(-1)}.`,
		);
	}

	/** The settings for a plan. */
	settings(input: RequestInput): PlanSettings {
		const { window = DEFAULT_WINDOW_TOKENS, maxTokens, namesTools } = input;
		if (!(window > 0)) throw new EngineError("usage", `The window is ${window} tokens: give a number above 0.`);
		const { profile, warpPer, maxSummaryTokens } = this.#options.settings;
		return { mode: this.modeOf(input), window, maxTokens, namesTools, profile, warpPer, maxSummaryTokens };
	}

	asked(input: RequestInput): PlanRequest {
		return { decide: input.decide, openingRole: input.openingRole };
	}

	#patchesOf(session: SessionRef): StoredPatches {
		const key = sessionKey(session);
		const known = this.#patches.get(key);
		if (known) return known;
		const made = new StoredPatches(this.#options.history, session);
		this.#patches.set(key, made);
		return made;
	}
}
