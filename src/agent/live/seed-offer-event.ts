/**
 * The event by which the proxy records that it answered a compaction with the seed, so that no hook offers it again. The event
 * also holds the offered seal, so that a restarted proxy knows it before the agent has recorded it.
 */

import { asName, asObject, type JsonObject } from "../../base/json/read.ts";
import type { PlannedSeal } from "../../context/plan.ts";
import type { SealDecision } from "../../context/seal/rule.ts";
import { countHeld, type HeldCounts } from "../../context/section/thread.ts";
import type { Engine, GivenEvent } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { NO_USAGE, type Usage } from "../../message/usage.ts";

const NAME = "seed-offered";

/** The usage in an answer that holds the seed. No model was asked, so it counts in no sum. */
export const SEED_USAGE: Usage = { ...NO_USAGE, input: 1, output: 1 };

/** The part of a seal that the event keeps. */
export type OfferedSeal = Omit<PlannedSeal, "transform" | "seed"> & {
	readonly seed: Pick<PlannedSeal["seed"], "text" | "sections" | "tokens">;
	readonly held: HeldCounts;
};

export function seedOfferEvent({ session, host }: SessionRef, seal?: PlannedSeal): GivenEvent {
	const data = seal === undefined ? {} : { seal: toOfferedSeal(seal) };
	return { type: "Custom", session, host, payload: { name: NAME, data } };
}

export function toOfferedSeal({ transform: _, seed, ...seal }: PlannedSeal): OfferedSeal {
	const { text, sections, tokens } = seed;
	return { ...seal, seed: { text, sections, tokens }, held: countHeld(seed) };
}

/** The decision of a seal that the user turned out to have asked for. */
export function askedFor(decision: SealDecision): SealDecision {
	return { ...decision, why: "asked" };
}

/** The newest offer, unless a seal followed it; `since`: ms since the epoch. */
export function findOpenOffer(
	{ log }: Engine,
	{ session, host }: SessionRef,
	since: number,
): { readonly seal: OfferedSeal; readonly seq: number } | undefined {
	for (const { type, seq, payload } of log.read({ session, host, types: ["Custom", "Seal"], since, order: "newest" })) {
		if (type === "Seal") return undefined;
		if (asName(payload["name"]) !== NAME) continue;
		const seal = sealIn(payload);
		return seal && { seal, seq };
	}
	return undefined;
}

/** The session's offers after the event `after` that the agent has taken, oldest first. */
export function findTakenOffers(
	{ log }: Engine,
	{ session, host }: SessionRef,
	after: number,
): { readonly seal: OfferedSeal; readonly seq: number }[] {
	const taken: { seal: OfferedSeal; seq: number }[] = [];
	let open: { seal: OfferedSeal; seq: number } | undefined;
	for (const { type, seq, payload } of log.read({ session, host, types: ["Custom", "Seal"], after })) {
		if (type === "Seal") {
			if (open) taken.push(open);
			open = undefined;
		} else if (asName(payload["name"]) === NAME) {
			const seal = sealIn(payload);
			open = seal && { seal, seq };
		}
	}
	return taken;
}

/** The session's offer after the event `after`; its seal where the event holds it. Undefined: there is none. */
export function findSeedOffer(
	{ log }: Engine,
	{ session, host }: SessionRef,
	after: number,
): { readonly seal: OfferedSeal | undefined } | undefined {
	for (const { payload } of log.read({ session, host, types: ["Custom"], after })) {
		if (asName(payload["name"]) === NAME) return { seal: sealIn(payload) };
	}
	return undefined;
}

function sealIn(payload: JsonObject): OfferedSeal | undefined {
	return asObject(asObject(payload["data"])?.["seal"]) as unknown as OfferedSeal | undefined;
}
