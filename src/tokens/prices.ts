/** What input costs, per model: by the million tokens, and for a cache the shares of that price. */
export interface Prices {
	/** Dollars per million input tokens that are neither read from nor written to a cache. */
	readonly input: number;
	/** Price of a token read from the provider's cache, as a share of `input`. */
	readonly read: number;
	/** Price of a token written to it, as a share of `input`; 1 where writing costs nothing extra. */
	readonly write: number;
}

/** For a model that nobody knows. */
export const UNKNOWN_PRICES: Prices = { input: 3, read: 0.1, write: 1.25 };

/** Beginnings of model ids, the longer before the shorter. Prices as the providers listed them in November 2026. */
const TABLE: readonly (readonly [prefix: string, input: number, read: number, write: number])[] = [
	["claude-fable-5-1", 10, 0.025, 1.25],
	["claude-fable", 10, 0.1, 1.25],
	["claude-haiku", 1, 0.1, 1.25],
	["claude-opus-5-5", 4, 0.05, 1.25],
	["claude-opus", 5, 0.1, 1.25],
	["claude-sonnet-5", 2, 0.1, 1.25],
	["claude-sonnet", 3, 0.1, 1.25],
	["gpt-4.1", 2, 0.25, 1],
	["gpt-4o", 2.5, 0.5, 1],
	["gpt-5.6-luna", 0.2, 0.1, 1.25],
	["gpt-5.6-sol", 4, 0.1, 1.25],
	["gpt-5.6", 2, 0.1, 1.25],
	["gpt-5.5", 5, 0.1, 1],
	["gpt-5.4-mini", 0.75, 0.1, 1],
	["gpt-5.4-nano", 0.2, 0.1, 1],
	["gpt-5.4", 2.5, 0.1, 1],
	["gpt-5.3", 1.75, 0.1, 1],
	["gpt-5.2", 1.75, 0.1, 1],
	["gpt-5-mini", 0.25, 0.1, 1],
	["gpt-5-nano", 0.05, 0.1, 1],
	["gpt-5", 1.25, 0.1, 1],
	["gpt-6-luna", 0.1, 0.1, 1.25],
	["gpt-6-astra", 10, 0.1, 1.25],
	["gpt-6", 2, 0.1, 1.25],
	["o4-mini", 1.1, 0.25, 1],
	["o3", 2, 0.25, 1],
	["gemini-2.5-flash-lite", 0.1, 0.1, 1],
	["gemini-2.5-flash", 0.3, 0.1, 1],
	["gemini-2.5-pro", 1.25, 0.1, 1],
	["gemini-3.1-flash-lite", 0.25, 0.1, 1],
	["gemini-3.1-pro", 2, 0.1, 1],
	["gemini-3.5-flash-lite", 0.3, 0.1, 1],
	["gemini-3.5-flash", 1.5, 0.1, 1],
	["gemini-3", 0.75, 0.1, 1],
];

/** The prices of a model; a name may come with its provider (`anthropic/claude-…`). Settings override the table. */
export function pricesOf(model: string | undefined, overrides: Readonly<Record<string, Prices>> = {}): Prices {
	if (model === undefined) return UNKNOWN_PRICES;
	const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
	const own = overrides[model] ?? overrides[name];
	if (own) return own;
	const row = TABLE.find(([prefix]) => name.startsWith(prefix));
	return row ? { input: row[1], read: row[2], write: row[3] } : UNKNOWN_PRICES;
}

/** Tokens of a prompt by how a provider bills them. */
export interface PromptTokens {
	/** Read from its cache. */
	readonly read?: number | undefined;
	/** Written to its cache. */
	readonly write?: number | undefined;
	/** Neither. */
	readonly input?: number | undefined;
}

/** What a prompt costs, in tokens of plain input. */
export function costUnits({ read = 0, write = 0, input = 0 }: PromptTokens, prices: Prices): number {
	return read * prices.read + write * prices.write + input;
}

export function dollarsOf(units: number, { input }: Prices): number {
	return (units * input) / 1e6;
}
