/**
 * How many tokens one read or one output may bring: a share of the room that the context has left. A file is then read at
 * once instead of in parts. In `warp`, with a limit that the user set, and where window or fill are not known, the limits of
 * the settings count alone.
 */

import { listedWindow } from "../../base/tokens/model-windows.ts";
import { readPriceList } from "../../base/tokens/price-file.ts";
import { filledTokens, knownPrices, lastModel, reportedAutoSeal } from "../../context/cache/reported-fold.ts";
import { policyOf, sealLimit } from "../../context/seal/policy.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { isChosen } from "../../settings/resolve.ts";
import type { LiveProject } from "./project.ts";

/** Calls of one answer run together: each may take this share. */
const SHARE = 1 / 3;
const MAX_TOKENS = 40_000;

/** `window`: of the session's model, where the agent says it. Undefined: the limits of the settings. */
export function findReadingRoom(
	{ engine, mode }: LiveProject,
	session: SessionRef,
	window: number | undefined,
): number | undefined {
	const { settings } = engine;
	if (mode === "warp" || isChosen(settings, "maxReadLines")) return undefined;
	const { reported } = engine.stateFor(session).state;
	const model = lastModel(reported, session);
	const known = window ?? listedWindow(model);
	const filled = filledTokens(reported, session);
	if (known === undefined || filled === undefined) return undefined;
	const prices = knownPrices(reported, session.host, model, readPriceList(settings.prices));
	const policy = policyOf(settings.seal, prices, reportedAutoSeal(reported, session));
	const limit = Math.min(known, sealLimit(policy, { window: known, share: settings.sealShare }));
	const room = Math.floor((limit - filled) * SHARE);
	const most = isChosen(settings, "largFileThresholdTokens") ? settings.largFileThresholdTokens : MAX_TOKENS;
	return room > 0 ? Math.min(room, most) : undefined;
}
