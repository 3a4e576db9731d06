/** The account of a seal: why it was made, at what price, what left and what the seed holds. */
import type { GivenPayload } from "../../log/event/types.ts";
import type { PlannedSeal } from "../plan.ts";
import type { SealReason } from "./rule.ts";

/**
 * `transform`: the entry of the Transform with the seal; undefined where the agent compacts in its own words and the
 * seed follows.
 */
export function sealAccount(seal: PlannedSeal, mode: string, transform?: string): GivenPayload<"Seal"> {
	const { from, decision, tokensBefore, tokensAfter, left, seed } = seal;
	const { why, regret, price, floor } = decision;
	return {
		from: from ?? "",
		why,
		mode,
		transform,
		arithmetic: { regret, price, floor },
		tokensBefore,
		tokensAfter,
		left,
		sections: seed.sections.map(({ handle, ...section }) => ({ ...section, ...(handle !== undefined && { handle }) })),
	};
}

/** Why something was sealed, for a person. */
const WORDS: Partial<Readonly<Record<SealReason, string>>> = {
	asked: "as you asked",
	"host-threshold": "the host's own limit is reached",
	overflow: "the request was too large",
	"cold-cache": "the cache is cold",
	ceiling: "the context is at its limit",
	regret: "keeping more costs more",
	run: "a run began",
};

export function renderSealReason(why: string): string {
	return WORDS[why as SealReason] ?? why;
}

/** `sealed: ceiling`, as a request's reasons have it. */
export function renderReason(reason: string): string {
	const [, what, why] = /^(\w+): ([\w-]+)$/.exec(reason) ?? [];
	return what === undefined || why === undefined ? reason : `${what} (${renderSealReason(why)})`;
}
