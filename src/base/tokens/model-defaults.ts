/** Assumptions about a model whose provider or program does not say. */

/** Tokens that it takes in all. */
export const DEFAULT_WINDOW_TOKENS = 200_000;

/** How long a provider caches a request after its last use. */
export const CACHE_TTL_MS = 300_000;

/** The same, for requests paid to be kept an hour. */
export const LONG_CACHE_TTL_MS = 3_600_000;
