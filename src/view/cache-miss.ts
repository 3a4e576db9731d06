/** Requests that paid again for what the provider's cache had held, in words. Apart, because the inspector's page loads it. */
import { plural } from "../base/text/bytes.ts";
import { formatDuration } from "../base/text/time.ts";
import type { RequestMiss, RequestRow } from "./requests.ts";

const MISS_STATES: Readonly<Record<RequestMiss["state"], string>> = {
	cold: "The cache was cold",
	compaction: "The agent compacted its history",
	seal: "weft sealed the history",
	model: "Another model was asked",
	broken: "The cached prefix broke",
	lost: "The provider did not find what it had cached",
};

/** A word or two for a list: `cold 19m`. */
export function missWords({ state, pauseMs }: Pick<RequestMiss, "state" | "pauseMs">): string {
	return state === "cold" && pauseMs !== null ? `cold ${formatDuration(Math.round(pauseMs / 60_000) * 60_000)}` : state;
}

/** One sentence about a request that paid again, for the command and the page. */
export function missSentence({ state, pauseMs, tokens, dollars, cause }: RequestMiss): string {
	const pause = state === "cold" && pauseMs !== null ? ` after ${formatDuration(pauseMs)} without a request` : "";
	const by = state === "broken" || state === "model" ? ` (${cause})` : "";
	return `${MISS_STATES[state]}${pause}${by}: ${plural(tokens, "token")} paid again, ~$${dollars.toFixed(4)}.`;
}

/** The part of a request that bytes are in, within a sentence. */
export function partWords(segment: string): string {
	return segment === AGENT_SUMMARY ? "the agent's summary" : `the ${segment}`;
}

/** Stands where a seed would, in a request that weft did not make. */
export const AGENT_SUMMARY = "summary";

/** How much of what was written is really new. */
export function newTokensSentence({
	reported: { write, input },
	miss,
}: {
	readonly reported: NonNullable<RequestRow["reported"]>;
	readonly miss: RequestMiss;
}): string {
	return `${plural(Math.max(0, write + input - miss.tokens), "token")} ${write + input - miss.tokens === 1 ? "was" : "were"} new.`;
}
