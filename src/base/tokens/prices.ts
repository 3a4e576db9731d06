/**
 * What a request costs. A model's prices are dollars per million tokens of plain input, everything else as shares of that,
 * so that decisions need no money. The agent's own prices come first, then the settings, then our table of list prices.
 */
import { ownValue } from "../collection/own-value.ts";
import { PRICE_TABLE, type PriceRow } from "./price-table.ts";

/** The prices of one request. */
export interface Tariff {
	/** Dollars per million input tokens that are neither read from nor written to a cache. */
	readonly input: number;
	/** Price of a token that the model writes, as a share of `input`. */
	readonly output: number;
	/** Price of a token read from the provider's cache, as a share of `input`. */
	readonly read: number;
	/** Price of a token written to it for five minutes, as a share of `input`; 1 where writing costs nothing extra. */
	readonly write: number;
	/** The same, for a token that the provider keeps for an hour. */
	readonly writeLong: number;
}

/** The tariff of requests whose prompt has more than `above` tokens, cached ones included. */
export interface PriceStep extends Tariff {
	readonly above: number;
}

export interface Prices extends Tariff {
	/** Lowest first. */
	readonly steps?: readonly PriceStep[] | undefined;
	/** The first day of these prices, as 2026-09-01; absent: not known. */
	readonly since?: string | undefined;
	/** The price is not known; these are typical values. */
	readonly assumed?: true | undefined;
}

/** Typical shares, where a list leaves one out. */
const USUAL = { output: 5, read: 0.1, write: 1.25, writeLong: 2 } as const;

/** For a model without known prices. */
export const UNKNOWN_PRICES: Prices = { input: 3, ...USUAL, assumed: true };

const FREE_PRICES: Prices = { input: 0, ...USUAL };

/** Prices by the names of models, in small letters. */
export type PriceList = Readonly<Record<string, Prices>>;

interface PriceQuery {
	/** From the settings: before our table. */
	readonly listed?: PriceList | undefined;
	/** When the request was made, ms since the epoch; by default now, which is the newest price. */
	readonly at?: number | undefined;
}

/**
 * The prices of a model; a name may come with its provider, a date or a suffix (`anthropic/claude-opus-4-5-20251101`). A
 * model that no list has is never taken for an older one of its family: its prices are assumed.
 */
export function pricesOf(model: string | undefined, { listed = {}, at }: PriceQuery = {}): Prices {
	if (model === undefined) return UNKNOWN_PRICES;
	const full = model.toLowerCase();
	const own =
		ownValue(listed, full) ??
		ownValue(listed, full.slice(full.lastIndexOf("/") + 1)) ??
		ownValue(listed, modelName(model));
	if (own) return own;
	const dated = TABLE.get(modelName(model)) ?? [];
	const day = at === undefined ? undefined : new Date(at).toISOString().slice(0, 10);
	const begun = day === undefined ? dated : dated.filter(({ since = "" }) => since <= day);
	// A request from before the first price that we know.
	return begun.at(-1) ?? dated[0] ?? (FREE.test(full) ? FREE_PRICES : UNKNOWN_PRICES);
}

/** Providers that sell a model too give the free variant this name. */
const FREE = /[-:]free$/;

/** What follows the name of a model without changing its price: dates, aliases, a provider's or gateway's own versions, `[1m]`. */
const SUFFIX =
	/(?:[-@]20\d{2}-?\d{2}-?\d{2}|[-@](?:latest|default)|[-:]thinking|:(?:beta|extended)|-preview(?:-\d{2}-\d{2,4})?|-v\d+(?::\d+)?|\[\w+\])$/;

/** The name that lists share: small letters, without provider, date and suffix, `-` for `.`. */
export function modelName(model: string): string {
	const lower = model.toLowerCase();
	let name = lower.slice(lower.lastIndexOf("/") + 1).replace(/^(?:[a-z]+\.)*(?=claude)/, "");
	for (let before = ""; before !== name; ) {
		before = name;
		name = name.replace(SUFFIX, "");
	}
	return name.replaceAll(".", "-");
}

const TABLE: ReadonlyMap<string, readonly Prices[]> = groupByModel(PRICE_TABLE);

function groupByModel(rows: readonly PriceRow[]): Map<string, Prices[]> {
	const byModel = new Map<string, Prices[]>();
	for (const { models, ...row } of rows) {
		for (const model of models) byModel.set(modelName(model), [...(byModel.get(modelName(model)) ?? []), fromRow(row)]);
	}
	return byModel;
}

function fromRow({ since, steps, writeLong, ...row }: Omit<PriceRow, "models">): Prices {
	const { read, write } = row;
	const tariff = (of: { readonly input: number; readonly output: number }): Tariff => ({
		input: of.input,
		output: share(of.output / of.input),
		read,
		write,
		writeLong: writeLong ?? write,
	});
	return {
		...tariff(row),
		...(steps && { steps: steps.map((step) => ({ above: step.above, ...tariff(step) })) }),
		...(since !== undefined && { since }),
	};
}

/** Prompt lengths at which any model's price changes: of our table and of these lists. */
export function stepsIn(listed: PriceList = {}): number[] {
	const all = [...[...TABLE.values()].flat(), ...Object.values(listed)];
	return [...new Set(all.flatMap(({ steps = [] }) => steps.map(({ above }) => above)))].sort((a, b) => a - b);
}

/** Dollars per million tokens, as programs list them. */
export interface ListedPrices {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	/** Kept for an hour. */
	readonly cacheWriteLong: number;
}

/** A program's prices of a model; only `input` must be there. */
export interface ListedModel extends Partial<Omit<ListedPrices, "input">> {
	readonly input: number;
	/** For prompts of more than `above` tokens. */
	readonly steps?: readonly (ListedModel & { readonly above: number })[] | undefined;
}

/**
 * Prices from a program's own list. A model that costs nothing saves nothing; decisions then use the usual shares. `known`:
 * our prices of the model, for what the list leaves out, if both agree on the price of input.
 */
export function pricesFromList({ steps, ...listed }: ListedModel, known?: Prices): Prices {
	const { input } = listed;
	if (!(input > 0)) return FREE_PRICES;
	const same = known && !known.assumed && known.input === input ? known : undefined;
	const { output, read, write, writeLong } = same ?? USUAL;
	const { cacheRead = input * read, cacheWrite = input * write } = listed;
	// Some lists leave out the price of writing: then it is that of input.
	const short = cacheWrite > 0 ? share(cacheWrite / input) : 1;
	const long = same ? writeLong : short > 1 ? Math.max(short, USUAL.writeLong) : short;
	const above = steps?.map((step) => ({ ...pricesFromList(step), above: step.above })) ?? same?.steps;
	return {
		input,
		output: listed.output === undefined ? output : share(listed.output / input),
		read: share(cacheRead / input),
		write: short,
		writeLong: listed.cacheWriteLong === undefined ? long : share(listed.cacheWriteLong / input),
		...(above && above.length > 0 && { steps: above.toSorted((one, other) => one.above - other.above) }),
	};
}

/**
 * `model=input/read/write/output/write for an hour`, dollars per million tokens, as the settings write it; the end may be
 * left out. A model written with dots (`claude-opus-5.5`) is found under its usual name too. Malformed lines are skipped.
 */
export function readPriceLines(lines: readonly string[]): PriceList {
	const read = lines.flatMap((line) => readPriceLine(line) ?? []);
	const usual = read.map(({ model, prices }) => [model.replaceAll(".", "-"), prices] as const);
	return Object.fromEntries([...usual, ...read.map(({ model, prices }) => [model, prices] as const)]);
}

/** One line of them, the model in small letters. Undefined: it is malformed, or a price is below zero. */
export function readPriceLine(line: string): { readonly model: string; readonly prices: Prices } | undefined {
	const [, model, numbers = ""] = /^\s*([^=\s]+)\s*=\s*([\d./]+)\s*$/.exec(line) ?? [];
	const [input, cacheRead, cacheWrite, output, cacheWriteLong, ...more] = numbers.split("/").map(toNumber);
	if (model === undefined || input === undefined || more.length > 0) return undefined;
	const given = { cacheRead, cacheWrite, output, cacheWriteLong };
	const named = Object.entries(given).filter(([, value]) => value !== undefined);
	return { model: model.toLowerCase(), prices: pricesFromList({ input, ...Object.fromEntries(named) }) };
}

function toNumber(text: string): number | undefined {
	return /^\d*\.?\d+$/.test(text) ? Number(text) : undefined;
}

/** The cost of an answer by kind of token, as a program computed it. */
interface PaidAnswer extends Pick<ListedPrices, "input" | "output" | "cacheRead" | "cacheWrite"> {
	readonly cacheWriteLong?: number | undefined;
	readonly costs?: { readonly [Kind in keyof ListedPrices]?: number | undefined } | undefined;
}

/** The price list behind the cost of an answer, for the kinds of tokens in it. */
export function listedBy({ costs, cacheWriteLong = 0, ...tokens }: PaidAnswer): Partial<ListedPrices> {
	if (!costs) return {};
	// Writes kept for an hour cost more than the list says.
	const kinds = (["input", "output", "cacheRead", "cacheWrite"] as const).filter(
		(kind) => kind !== "cacheWrite" || cacheWriteLong === 0,
	);
	const paid = kinds.flatMap((kind) => {
		const cost = costs[kind];
		return cost === undefined || tokens[kind] === 0
			? []
			: [[kind, Number(((cost * 1e6) / tokens[kind]).toFixed(4))] as const];
	});
	return Object.fromEntries(paid);
}

function share(value: number): number {
	return Number(value.toFixed(9));
}

/** Tokens of a request by how a provider bills them. */
export interface BilledTokens {
	/** Read from its cache. */
	readonly read?: number | undefined;
	/** Written to its cache. */
	readonly write?: number | undefined;
	/** The part of it that is kept for an hour. */
	readonly writeLong?: number | undefined;
	/** Neither. */
	readonly input?: number | undefined;
	readonly output?: number | undefined;
}

/** The tariff of a prompt of this many tokens. */
function tariffFor(prices: Prices, promptTokens: number): Tariff {
	return prices.steps?.findLast(({ above }) => promptTokens > above) ?? prices;
}

/**
 * The cost of a request, in tokens of plain input: the one place where tokens become a price. `promptTokens`: the length
 * that decides the tariff, where these tokens are not the whole prompt.
 */
export function costUnits(
	tokens: BilledTokens,
	prices: Prices,
	promptTokens = (tokens.read ?? 0) + (tokens.write ?? 0) + (tokens.input ?? 0),
): number {
	const { read = 0, write = 0, writeLong = 0, input = 0, output = 0 } = tokens;
	const tariff = tariffFor(prices, promptTokens);
	const long = Math.min(write, writeLong);
	const units =
		read * tariff.read + (write - long) * tariff.write + long * tariff.writeLong + input + output * tariff.output;
	return tariff === prices || prices.input === 0 ? units : (units * tariff.input) / prices.input;
}

export function dollarsOf(units: number, { input }: Pick<Prices, "input">): number {
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
