/**
 * Price lists in files: the formats of models.dev (`api.json`) and LiteLLM (`model_prices_and_context_window.json`), and our
 * own, which `weft prices FILE` writes. A field that is not a price is ignored, so newer files are read too.
 */
import { readFileSync, statSync } from "node:fs";
import { BoundedMap } from "../collection/bounded.ts";
import { EngineError } from "../error/engine-error.ts";
import { asList, asName, asNumber, asObject, type JsonObject, parseObject } from "../json/read.ts";
import { type ListedModel, modelName, type PriceList, pricesFromList, pricesOf, readPriceLines } from "./prices.ts";

export type PriceFormat = "models.dev" | "LiteLLM" | "weft";

export interface PriceFile {
	readonly format: PriceFormat;
	/** The day on which `weft prices` took it over. */
	readonly taken?: string | undefined;
	/** By name, with and without provider, in small letters. */
	readonly models: Readonly<Record<string, ListedModel>>;
}

/** The `prices` setting: each entry is one model's prices, or the path of a file. Lines go before files. */
export function readPriceList(entries: readonly string[]): PriceList {
	const files = entries.filter(isPriceFile);
	return Object.assign({}, ...files.toReversed().map(listFromFile), readPriceLines(entries)) as PriceList;
}

/** Whether an entry of the `prices` setting is the path of a file. */
export function isPriceFile(entry: string): boolean {
	return !entry.includes("=");
}

const MAX_FILES = 8;
const known = new BoundedMap<string, { readonly mtime: number; readonly list: PriceList }>(MAX_FILES);

/** Read again only when the file has changed. A file that is gone or unreadable lists nothing: `weft prices` says so. */
function listFromFile(path: string): PriceList {
	try {
		const mtime = statSync(path).mtimeMs;
		const before = known.get(path);
		if (before?.mtime === mtime) return before.list;
		const list = toPriceList(readPriceFile(path));
		known.set(path, { mtime, list });
		return list;
	} catch {
		return {};
	}
}

/** What a file leaves out of a model that our table has comes from there. */
export function toPriceList({ models }: PriceFile): PriceList {
	return Object.fromEntries(
		Object.entries(models).map(([name, listed]) => [name, pricesFromList(listed, pricesOf(name))]),
	);
}

/** Throws where the file cannot be read, or is in none of the formats. */
export function readPriceFile(path: string): PriceFile {
	const text = readText(path);
	const data = parseObject(text);
	const file = data && parsePrices(data);
	if (file && Object.keys(file.models).length > 0) return file;
	throw new EngineError(
		"usage",
		`${path} has no prices that weft can read. Give api.json of models.dev, or LiteLLM's model_prices_and_context_window.json.`,
	);
}

function readText(path: string): string {
	try {
		// Some editors begin a file with a byte order mark.
		return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
	} catch (cause) {
		throw new EngineError("not-found", `${path} cannot be read. Give the path of a price file.`, { cause });
	}
}

export function parsePrices(data: JsonObject): PriceFile | undefined {
	if (data["format"] === "weft-prices") return { ...ownFile(data), format: "weft" };
	const entries = Object.entries(data).flatMap(([key, value]) => {
		const object = asObject(value);
		return object ? [[key, object] as const] : [];
	});
	if (entries.some(([, { models }]) => asObject(models)))
		return { format: "models.dev", models: fromModelsDev(entries) };
	return entries.some(([, model]) => asNumber(model["input_cost_per_token"]) !== undefined)
		? { format: "LiteLLM", models: fromLiteLlm(entries) }
		: undefined;
}

/** The file that `weft prices` keeps. */
export function renderPriceFile({ models }: Pick<PriceFile, "models">, taken: string): string {
	return `${JSON.stringify({ format: "weft-prices", taken, models }, null, "\t")}\n`;
}

function ownFile(data: JsonObject): Omit<PriceFile, "format"> {
	const models = Object.entries(asObject(data["models"]) ?? {}).flatMap(([name, value]) => {
		const fields = asObject(value) ?? {};
		const base = ownTariff(fields);
		const steps = asList(fields["steps"]).flatMap((step) => priceStep(asObject(step) ?? {}, ownTariff) ?? []);
		return base ? [[name, withSteps(base, steps)] as const] : [];
	});
	return { taken: asName(data["taken"]), models: Object.fromEntries(models) };
}

function ownTariff(fields: JsonObject): ListedModel | undefined {
	return listedModel(Object.fromEntries(PRICE_FIELDS.map((name) => [name, asNumber(fields[name])])));
}

/** Whose price counts for a name without provider: gateways list the same models. */
const MAKERS: ReadonlySet<string> = new Set(["anthropic", "openai", "google", "xai", "deepseek", "mistral", "zai"]);

type Entries = readonly (readonly [string, JsonObject])[];

function fromModelsDev(providers: Entries): Record<string, ListedModel> {
	const names = new NamedModels();
	for (const [provider, { models }] of providers) {
		for (const [id, value] of Object.entries(asObject(models) ?? {})) {
			const cost = asObject(asObject(value)?.["cost"]);
			const listed = cost && modelsDevPrices(cost);
			if (listed) names.add(`${provider}/${id}`, listed, MAKERS.has(provider));
		}
	}
	return names.models;
}

function modelsDevPrices(cost: JsonObject): ListedModel | undefined {
	const base = modelsDevTariff(cost);
	if (!base) return undefined;
	const over = asObject(cost["context_over_200k"]);
	const tiers = asList(cost["tiers"]).flatMap((value) => {
		const tier = asObject(value) ?? {};
		const above = asNumber(asObject(tier["tier"])?.["size"]);
		return above === undefined || above <= 0 ? [] : [{ ...tier, above }];
	});
	const all = tiers.length > 0 || !over ? tiers : [{ ...over, above: 200_000 }];
	const steps = all.flatMap((tier) => priceStep({ ...cost, ...tier }, modelsDevTariff) ?? []);
	return withSteps(base, steps);
}

function modelsDevTariff(cost: JsonObject): ListedModel | undefined {
	return listedModel({
		input: asNumber(cost["input"]),
		output: asNumber(cost["output"]),
		cacheRead: asNumber(cost["cache_read"]),
		// Both formats leave it out where a write costs no more than plain input.
		cacheWrite: asNumber(cost["cache_write"]) ?? 0,
	});
}

function fromLiteLlm(entries: Entries): Record<string, ListedModel> {
	const names = new NamedModels();
	for (const [id, fields] of entries) {
		const listed = liteLlmPrices(fields);
		// A name without provider and region is the maker's own.
		if (listed) names.add(id, listed, id.toLowerCase().startsWith(modelName(id)));
	}
	return names.models;
}

const STEP_FIELD = /^input_cost_per_token_above_(\d+)k_tokens$/;

function liteLlmPrices(fields: JsonObject): ListedModel | undefined {
	const base = liteLlmTariff(fields, "");
	if (!base) return undefined;
	const steps = Object.keys(fields).flatMap((field) => {
		const [, kilo] = STEP_FIELD.exec(field) ?? [];
		const above = Number(kilo) * 1_000;
		return priceStep({ ...fields, above }, (of) => liteLlmTariff(of, `_above_${kilo}k_tokens`)) ?? [];
	});
	return withSteps(base, steps);
}

function liteLlmTariff(fields: JsonObject, suffix: string): ListedModel | undefined {
	const perMillion = (name: string) => {
		const price = asNumber(fields[`${name}${suffix}`]) ?? asNumber(fields[name]);
		return price === undefined ? undefined : Number((price * 1e6).toFixed(6));
	};
	return listedModel({
		input: perMillion("input_cost_per_token"),
		output: perMillion("output_cost_per_token"),
		cacheRead: perMillion("cache_read_input_token_cost"),
		cacheWrite: perMillion("cache_creation_input_token_cost") ?? 0,
		cacheWriteLong: perMillion("cache_creation_input_token_cost_above_1hr"),
	});
}

function listedModel(fields: Readonly<Record<string, number | undefined>>): ListedModel | undefined {
	if (!isListed(fields)) return undefined;
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined),
	) as unknown as ListedModel;
}

const PRICE_FIELDS = ["input", "output", "cacheRead", "cacheWrite", "cacheWriteLong"] as const;

/** A dollar for each token: above that a file has another unit, or is wrong. */
const MAX_PRICE = 1_000_000;

/** A model without a price of input says nothing, and one with a price below zero something wrong. */
function isListed(fields: Readonly<Record<string, number | undefined>>): boolean {
	const prices = PRICE_FIELDS.map((name) => fields[name]);
	return prices[0] !== undefined && prices.every((price) => price === undefined || (price >= 0 && price <= MAX_PRICE));
}

/** `fields`: of a tariff, and `above`. Nothing gets free because the prompt is long. */
function priceStep(
	fields: JsonObject,
	toTariff: (fields: JsonObject) => ListedModel | undefined,
): (ListedModel & { readonly above: number }) | undefined {
	const above = asNumber(fields["above"]);
	const tariff = toTariff(fields);
	return above !== undefined && above > 0 && tariff && tariff.input > 0 ? { above, ...tariff } : undefined;
}

function withSteps(base: ListedModel, steps: NonNullable<ListedModel["steps"]>): ListedModel {
	return steps.length > 0 ? { ...base, steps } : base;
}

/** A model under its name with provider, and under the name that all lists share. */
class NamedModels {
	readonly models: Record<string, ListedModel> = Object.create(null);
	readonly #makers = new Set<string>();

	add(id: string, listed: ListedModel, isMakers: boolean): void {
		this.models[id.toLowerCase()] = listed;
		const name = modelName(id);
		// A gateway's tariff, or its zero for what a subscription covers, is not that of the maker.
		if (!isMakers && (listed.input === 0 || !pricesOf(name).assumed)) return;
		if (Object.hasOwn(this.models, name) && (!isMakers || this.#makers.has(name))) return;
		this.models[name] = listed;
		if (isMakers) this.#makers.add(name);
	}
}
