/** The account of a seal: why it was made, at what price, what left and what the seed holds. */
import type { GivenPayload } from "../../log/event/types.ts";
import type { PlannedSeal } from "../plan.ts";

/** `transform`: the entry of the Transform that holds the seal; undefined where a host compacts and the seed stands beside it. */
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
