/** The options of a look at a session's context: settings, files, and the sizes of the system prompt and tools. */

import { asList, asNumber, asObject, asText } from "../base/json/read.ts";
import { readPriceList } from "../base/tokens/price-file.ts";
import type { ModeName } from "../context/moment.ts";
import type { OpeningRole } from "../context/plan.ts";
import type { LookOptions } from "../context/request-at.ts";
import type { ContextItem } from "../context/section/section.ts";
import type { PresentFacts } from "../context/walk.ts";
import type { Engine } from "../engine.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { diskFiles } from "../state/work/file-source.ts";
import { recordedFiles } from "../state/work/recorded-files.ts";

export interface LookSizes {
	/** By default the mode in which the request was made, or else the mode setting. */
	readonly mode?: ModeName | undefined;
	readonly window: number;
	/** Size of the computed context in `warp`. */
	readonly budget?: number | undefined;
	/** How the session's agent shows the text that opens an epoch. */
	readonly openingRole?: OpeningRole | undefined;
}

export function lookOptions(
	{ log, history, settings, stateAt }: Engine,
	{ session, host }: SessionRef,
	{ mode, window, budget, openingRole }: LookSizes,
): LookOptions {
	const { profile, warpPer, maxSummaryTokens, enabled, seal, sealShare } = settings;
	const { leafChunkTokens, condensationThreshold, maxDepth } = settings;
	return {
		log,
		history,
		session: { session, host },
		mode,
		openingRole,
		listed: readPriceList(settings.prices),
		settings: {
			mode: enabled ? settings.mode : "off",
			window,
			profile,
			warpPer,
			maxSummaryTokens,
			budget,
			seal,
			sealShare,
		},
		summaries: { leafChunkTokens, condensationThreshold, maxDepth },
		stateAt: (seq) => stateAt(seq).state,
	};
}

/** Facts that are known only for the present moment. */
export function presentOf({ log, project: { root } }: Engine, seq: number, now: number): PresentFacts {
	return { now, files: () => diskFiles(root), known: () => recordedFiles(log, seq), root };
}

const BESIDE: ReadonlyMap<string, string> = new Map([
	["tools", "the tools that the agent gives"],
	["system", "the agent's system prompt"],
	["options", "options that the cache depends on"],
]);

/** Tools and the system prompt belong to the agent; the newest request in the log has their sizes. */
export function besideMessages({ log }: Engine, { session, host }: SessionRef, seq: number): ContextItem[] {
	const query = { session, host, types: ["Request"], upTo: seq, order: "newest", limit: 1 } as const;
	for (const { payload } of log.read(query)) {
		return asList(payload["segments"]).flatMap((segment) => {
			const { name, tokens } = asObject(segment) ?? {};
			const kind = BESIDE.get(asText(name) ?? "");
			const size = asNumber(tokens) ?? 0;
			if (kind === undefined || size === 0) return [];
			const id = String(name);
			return [{ id, kind: id, tokens: size, why: `${kind}, as in the newest request`, included: true }];
		});
	}
	return [];
}
