/** Input prices of a model: dollars per million tokens, and the cache prices as shares of that. */
import { ownValue } from "../collection/own-value.ts";

export interface Prices {
	/** Dollars per million input tokens that are neither read from nor written to a cache. */
	readonly input: number;
	/** Price of a token read from the provider's cache, as a share of `input`. */
	readonly read: number;
	/** Price of a token written to it, as a share of `input`; 1 where writing costs nothing extra. */
	readonly write: number;
	/** The price is not known; these are typical values. */
	readonly assumed?: true | undefined;
}

/** For a model without known prices. */
export const UNKNOWN_PRICES: Prices = { input: 3, read: 0.1, write: 1.25, assumed: true };

/** The price of a write that the provider keeps for an hour, as a share of `input`. */
const LONG_WRITE_PRICE = 2;

/** Prefixes of model ids, longer ones first. Prices as the providers listed them in November 2026. */
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
export function pricesOf(model: string | undefined, overrides: PriceList = {}): Prices {
	if (model === undefined) return UNKNOWN_PRICES;
	const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
	const own = ownValue(overrides, model) ?? ownValue(overrides, model.toLowerCase()) ?? ownValue(overrides, name);
	if (own) return own;
	const row = TABLE.find(([prefix]) => name.startsWith(prefix));
	return row ? { input: row[1], read: row[2], write: row[3] } : UNKNOWN_PRICES;
}

/** Dollars per million tokens, as programs list them. */
export interface ListedPrices {
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
}

/** Prices from a program's own list. A model that costs nothing saves nothing; decisions then use the usual shares. */
export function pricesFromList(listed: Partial<ListedPrices> & Pick<ListedPrices, "input">): Prices {
	const { read, write } = UNKNOWN_PRICES;
	const { input, cacheRead = input * read, cacheWrite = input * write } = listed;
	if (!(input > 0)) return { input: 0, read, write };
	// Some lists leave out the price of writing: then it is that of input.
	return { input, read: share(cacheRead / input), write: cacheWrite > 0 ? share(cacheWrite / input) : 1 };
}

/** Prices by the names of models, in small letters. */
export type PriceList = Readonly<Record<string, Prices>>;

/** `model=input/read/write`, dollars per million tokens, as the settings write it. Malformed lines are skipped. */
export function readPriceList(lines: readonly string[]): PriceList {
	const prices: Record<string, Prices> = {};
	for (const line of lines) {
		const [, model, ...numbers] = /^\s*([^=\s]+)\s*=\s*([\d.]+)(?:\/([\d.]+))?(?:\/([\d.]+))?\s*$/.exec(line) ?? [];
		const [input, cacheRead, cacheWrite] = numbers.map((text) => (text === undefined ? undefined : Number(text)));
		if (model === undefined || input === undefined || Number.isNaN(input)) continue;
		prices[model.toLowerCase()] = pricesFromList({
			input,
			...(cacheRead === undefined ? {} : { cacheRead }),
			...(cacheWrite === undefined ? {} : { cacheWrite }),
		});
	}
	return prices;
}

/** The cost of a prompt by kind of token, as a program computed it. */
interface PaidPrompt extends ListedPrices {
	readonly cacheWriteLong?: number | undefined;
	readonly costs?: ListedPrices | undefined;
}

/** The price list behind the cost of an answer, for the kinds of tokens in it. */
export function listedBy({ costs, cacheWriteLong = 0, ...tokens }: PaidPrompt): Partial<ListedPrices> {
	// Writes kept for an hour cost more than the list says.
	const kinds =
		cacheWriteLong > 0 ? (["input", "cacheRead"] as const) : (["input", "cacheRead", "cacheWrite"] as const);
	if (!costs) return {};
	const paid = kinds.filter((kind) => tokens[kind] > 0);
	return Object.fromEntries(paid.map((kind) => [kind, Number(((costs[kind] * 1e6) / tokens[kind]).toFixed(4))]));
}

function share(value: number): number {
	return Number(value.toFixed(4));
}

/** Tokens of a prompt by how a provider bills them. */
interface PromptTokens {
	/** Read from its cache. */
	readonly read?: number | undefined;
	/** Written to its cache. */
	readonly write?: number | undefined;
	/** The part of it that is kept for an hour. */
	readonly writeLong?: number | undefined;
	/** Neither. */
	readonly input?: number | undefined;
}

/** The cost of a prompt, in tokens of plain input. */
export function costUnits({ read = 0, write = 0, writeLong = 0, input = 0 }: PromptTokens, prices: Prices): number {
	const long = Math.min(write, writeLong);
	return read * prices.read + (write - long) * prices.write + long * Math.max(LONG_WRITE_PRICE, prices.write) + input;
}

export function dollarsOf(units: number, { input }: Prices): number {
	return (units * input) / 1e6;
}

/** Assumptions about a model whose provider or program does not say. */

/** Tokens that it takes in all. */
export const DEFAULT_WINDOW_TOKENS = 200_000;
/** Below this no request can be planned. */
export const MIN_WINDOW_TOKENS = 4_000;

/** How long a provider caches a request after its last use. */
export const CACHE_TTL_MS = 300_000;

/** The same, for requests paid to be kept an hour. */
export const LONG_CACHE_TTL_MS = 3_600_000;
