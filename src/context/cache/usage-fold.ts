/**
 * What providers reported of the requests of each host, as far as it changes what is decided about the next one: for how
 * long a request is kept in the cache. The newest answer that wrote to a cache tells.
 */
import { emptyRecent, getRecent, putRecent, type Recent } from "../../fold/keyed.ts";
import type { StateFold } from "../../fold/state-fold.ts";
import { viewMessage } from "../../message/view.ts";
import { CACHE_TTL_MS, LONG_CACHE_TTL_MS } from "../../tokens/assumed.ts";

export interface UsageState {
	/** By host: its cache keeps a request for an hour. */
	longCache: Recent<boolean>;
}

const KEPT_HOSTS = 16;

export const usageFold: StateFold<UsageState> = {
	name: "usage",
	version: 1,
	initial: () => ({ longCache: emptyRecent() }),
	step(state, { type, host, payload }) {
		if (type !== "Message" || payload["role"] !== "assistant") return;
		const { cacheWrite = 0, cacheWriteLong = 0 } = viewMessage(payload).usage ?? {};
		if (cacheWrite > 0) putRecent(state.longCache, host, cacheWriteLong > cacheWrite / 2, KEPT_HOSTS);
	},
};

/** How long the provider keeps a request of this host, in ms. */
export function cacheLifetime(state: UsageState, host: string): number {
	return getRecent(state.longCache, host) ? LONG_CACHE_TTL_MS : CACHE_TTL_MS;
}
