import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import type { JsonObject } from "../json/read.ts";
import { parsePrices, readPriceFile, readPriceList, renderPriceFile, toPriceList } from "./price-file.ts";
import { pricesOf } from "./prices.ts";

const folder = temporaryFolder();
const MODELS_DEV = {
	gateway: { id: "gateway", models: { "claude-new-1": { cost: { input: 9, output: 9 } } } },
	anthropic: {
		id: "anthropic",
		models: {
			"claude-new-1": {
				name: "New",
				limit: { context: 1_000_000 },
				cost: {
					input: 4,
					output: 20,
					cache_read: 0.1,
					cache_write: 5,
					context_over_200k: { input: 8, output: 30, cache_read: 0.2, cache_write: 10 },
				},
			},
			"claude-tiers-1": {
				cost: { input: 1, output: 4, tiers: [{ input: 2, output: 6, tier: { type: "context", size: 128_000 } }] },
			},
			"no-price": { name: "free of charge, or unknown" },
		},
	},
};
const LITE_LLM = {
	sample_spec: { input_cost_per_token: "a number" },
	"claude-new-1": {
		litellm_provider: "anthropic",
		input_cost_per_token: 4e-6,
		output_cost_per_token: 2e-5,
		cache_read_input_token_cost: 1e-7,
		cache_creation_input_token_cost: 5e-6,
		cache_creation_input_token_cost_above_1hr: 8e-6,
		input_cost_per_token_above_200k_tokens: 8e-6,
		output_cost_per_token_above_200k_tokens: 3e-5,
	},
	"openrouter/claude-new-1": { input_cost_per_token: 9e-6 },
};

test("a file of models.dev: the maker's price counts for the bare name, a gateway's only with its own", () => {
	const file = parsePrices(MODELS_DEV)!;
	assert.equal(file.format, "models.dev");
	const listed = toPriceList(file);
	const { input, output, read, write, writeLong, steps } = pricesOf("claude-new-1-20270101", { listed });
	assert.deepEqual(
		{ input, output, read, write, writeLong },
		{ input: 4, output: 5, read: 0.025, write: 1.25, writeLong: 2 },
	);
	assert.deepEqual(
		steps?.map((step) => [step.above, step.input, step.output, step.read]),
		[[200_000, 8, 3.75, 0.025]],
	);
	assert.equal(pricesOf("gateway/claude-new-1", { listed }).input, 9);
	assert.equal(pricesOf("claude-tiers-1", { listed }).steps?.[0]?.above, 128_000);
	assert.equal(pricesOf("no-price", { listed }).assumed, true);
});

test("a file of LiteLLM: prices per token, with a write for an hour and steps of the prompt", () => {
	const file = parsePrices(LITE_LLM)!;
	assert.equal(file.format, "LiteLLM");
	const prices = pricesOf("claude-new-1", { listed: toPriceList(file) });
	assert.deepEqual([prices.input, prices.output, prices.read, prices.writeLong], [4, 5, 0.025, 2]);
	assert.deepEqual(
		prices.steps?.map(({ above, input, output, write }) => [above, input, output, write]),
		[[200_000, 8, 3.75, 0.625]],
	);
});

test("a file that was taken over reads the same, and lines of the setting go before it", () => {
	const path = join(folder, "prices.json");
	writeFileSync(path, renderPriceFile(parsePrices(MODELS_DEV)!, "2026-11-17"));
	const own = readPriceFile(path);
	assert.deepEqual([own.format, own.taken], ["weft", "2026-11-17"]);
	assert.deepEqual(toPriceList(own), toPriceList(parsePrices(MODELS_DEV)!));
	assert.equal(readPriceList([path])["claude-new-1"]?.input, 4);
	assert.equal(readPriceList([path, "claude-new-1=7"])["claude-new-1"]?.input, 7);
	rmSync(path);
	assert.deepEqual(readPriceList([path]), {}, "a file that is gone lists nothing");
});

test("a price below zero, a step at nothing, and a gateway's tariff for a known model are not taken", () => {
	const listedIn = (data: JsonObject) => toPriceList(parsePrices(data)!);
	const model = (cost: object) => ({ cost: { input: 4, output: 5, ...cost } });
	const wrong = listedIn({
		anthropic: {
			models: {
				"new-1": model({ input: -4 }),
				"new-2": model({ output: -5 }),
				"new-3": model({
					tiers: [
						{ tier: { size: -5 }, input: 1 },
						{ tier: { size: 9 }, input: -1 },
					],
				}),
			},
		},
	});
	assert.deepEqual(
		[wrong["new-1"], wrong["new-2"], wrong["new-3"]?.input, wrong["new-3"]?.steps],
		[undefined, undefined, 4, undefined],
	);
	const known = pricesOf("claude-opus-5-5");
	const gateway = {
		"github-copilot": { models: { "claude-opus-5-5": model({ input: 0, output: 0 }), "kimi-k3": model({ input: 0 }) } },
	};
	const copilot = listedIn({ ...gateway, moonshotai: { models: { "kimi-k3": model({ input: 0.6 }) } } });
	assert.equal(pricesOf("claude-opus-5-5", { listed: copilot }).input, known.input);
	assert.equal(pricesOf("kimi-k3", { listed: copilot }).input, 0.6);
	const region = listedIn({ "us.anthropic.claude-opus-5-5": { input_cost_per_token: 9e-6 } });
	assert.equal(pricesOf("claude-opus-5-5", { listed: region }).input, known.input);
	const path = join(folder, "marked.json");
	writeFileSync(path, `\uFEFF${JSON.stringify(MODELS_DEV)}`);
	assert.equal(readPriceFile(path).format, "models.dev");
});

test("in weft's own format a step must be one, and no price is above a dollar a token", () => {
	const path = join(folder, "own.json");
	const bad = ["all", null, { above: "0 THEN 1 WHEN 1", input: 8 }, { above: -5, input: 8 }, { above: 9 }];
	const models = {
		"new-1": { input: 3, cacheRead: 0.1, steps: [...bad, { above: 9, input: 0 }, { above: 1_000, input: 6 }] },
		"new-2": { input: 4, steps: "none" },
		"new-3": { input: 1e308, output: 1e308 },
	};
	writeFileSync(path, JSON.stringify({ format: "weft-prices", models }));
	const listed = readPriceList([path]);
	assert.deepEqual(Object.keys(listed), ["new-1", "new-2"]);
	assert.deepEqual(
		listed["new-1"]?.steps?.map(({ above, input }) => [above, input]),
		[[1_000, 6]],
	);
});

test("anything else is refused in a sentence", () => {
	const path = join(folder, "other.json");
	for (const text of ["{}", "[1]", "not json", '{"a":{"b":1}}']) {
		writeFileSync(path, text);
		assert.throws(() => readPriceFile(path), /has no prices that weft can read/);
	}
	assert.throws(() => readPriceFile(join(folder, "missing.json")), /cannot be read/);
});
