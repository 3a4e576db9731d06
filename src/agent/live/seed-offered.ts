/**
 * Two of us may stand beside one agent: the proxy marks that it answered a compaction with the seed, so that no hook says it again. What
 * it offered stands there, too: a proxy that died before the agent wrote it down is followed by one that knows it.
 */

import { asName, asObject, type JsonObject } from "../../base/json/read.ts";
import type { PlannedSeal } from "../../context/plan.ts";
import type { Engine, GivenEvent } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { NO_USAGE, type Usage } from "../../message/usage.ts";

const NAME = "seed-offered";

/** What an answer with the seed says that it used. No model was asked, so it is in no sum. */
export const SEED_USAGE: Usage = { ...NO_USAGE, input: 1, output: 1 };

/** A seal as it is kept: what of it is only for a look is left out. */
export type OfferedSeal = Omit<PlannedSeal, "transform" | "seed"> & {
	readonly seed: Pick<PlannedSeal["seed"], "text" | "sections" | "tokens">;
};

export function seedOffered({ session, host }: SessionRef, seal?: PlannedSeal): GivenEvent {
	const data = seal === undefined ? {} : { seal: asOffered(seal) };
	return { type: "Custom", session, host, payload: { name: NAME, data } };
}

export function asOffered({ transform: _, seed: { text, sections, tokens }, ...seal }: PlannedSeal): OfferedSeal {
	return { ...seal, seed: { text, sections, tokens } };
}

/** The newest one, if no seal was made since; `since`: ms since the epoch. */
export function openOffer(
	{ log }: Engine,
	{ session, host }: SessionRef,
	since: number,
): { readonly seal: OfferedSeal; readonly seq: number } | undefined {
	for (const { type, seq, payload } of log.read({ session, host, types: ["Custom", "Seal"], since, order: "newest" })) {
		if (type === "Seal") return undefined;
		if (asName(payload["name"]) !== NAME) continue;
		const seal = asObject((payload["data"] as JsonObject | undefined)?.["seal"]);
		return seal && { seal: seal as unknown as OfferedSeal, seq };
	}
	return undefined;
}

/** Since the event `after`. */
export function isSeedOffered({ log }: Engine, { session, host }: SessionRef, after: number): boolean {
	const events = [...log.read({ session, host, types: ["Custom"], after })];
	return events.some(({ payload }) => asName(payload["name"]) === NAME);
}
