import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readPriceList } from "../base/tokens/price-file.ts";
import { KEYS, SETTING_KEYS } from "./keys.ts";
import { readChosen, resolveSettings, type Source } from "./resolve.ts";

const file = (origin: string, values: Record<string, unknown>): Source => ({ origin, base: "/base", values });
const resolveAll = (...sources: Source[]) => resolveSettings(sources, "/home/me");

test("without sources every key has its default", () => {
	const { settings, origins, problems } = resolveAll();
	assert.deepEqual(settings, Object.fromEntries(SETTING_KEYS.map((key) => [key, KEYS[key].default])));
	assert.deepEqual([settings.enabled, settings.mode, settings.pruneDays], [true, "woven", 7]);
	assert.deepEqual(new Set(Object.values(origins)), new Set(["default"]));
	assert.deepEqual(problems, []);
});

test("the first source that names a key decides it and is its origin", () => {
	const { settings, origins } = resolveAll(
		file("strong", { pruneDays: 3 }),
		file("weak", { pruneDays: 9, debugMode: true }),
	);
	assert.deepEqual([settings.pruneDays, settings.debugMode], [3, true]);
	assert.deepEqual([origins.pruneDays, origins.debugMode, origins.dbDir], ["strong", "weak", "default"]);
});

test("enabled: false turns weft off wherever it stands", () => {
	const { settings, origins } = resolveAll(file("strong", { enabled: true }), file("weak", { enabled: false }));
	assert.deepEqual([settings.enabled, origins.enabled], [false, "weak"]);
});

test("an unknown key names its file and the key that was meant", () => {
	const { problems } = resolveAll(file("/p/config.json", { pruneDay: 3, whatever: 1 }));
	assert.deepEqual(
		problems.map((problem) => problem.message),
		[
			"/p/config.json: unknown key 'pruneDay'. Did you mean 'pruneDays'?",
			"/p/config.json: unknown key 'whatever'. Remove it, or see 'weft config' for the known ones.",
		],
	);
});

test("a bad value names its file and key and leaves the weaker source to decide", () => {
	const { settings, problems } = resolveAll(
		file("/p/config.json", { pruneDays: "soon", minEventsToKeep: -1, enabled: "no", dbDir: "" }),
		file("/u/config.json", { pruneDays: 30 }),
	);
	assert.deepEqual([settings.pruneDays, settings.minEventsToKeep, settings.enabled], [30, 2000, true]);
	assert.deepEqual(
		problems.map((problem) => problem.message),
		[
			"/p/config.json: 'pruneDays' must be a whole number, at least 1, not \"soon\".",
			"/p/config.json: 'minEventsToKeep' must be a whole number, at least 0, not -1.",
			"/p/config.json: 'enabled' must be true or false, not \"no\".",
			"/p/config.json: 'dbDir' must be the path of a folder, not \"\".",
		],
	);
});

test("texts of the environment are read as booleans, numbers and paths", () => {
	const variable = (origin: string, values: Record<string, string>): Source => ({
		...file(origin, values),
		textual: true,
	});
	const { settings, problems } = resolveAll(
		variable("WEFT_ENABLED", { enabled: "off" }),
		variable("WEFT_PRUNE_DAYS", { pruneDays: "14" }),
		variable("WEFT_HOME", { dbDir: "data" }),
		variable("WEFT_DEBUG_MODE", { debugMode: "maybe" }),
	);
	assert.deepEqual([settings.enabled, settings.pruneDays, settings.dbDir], [false, 14, "/base/data"]);
	assert.deepEqual(problems, [
		{ origin: "WEFT_DEBUG_MODE", key: "debugMode", message: 'WEFT_DEBUG_MODE: must be true or false, not "maybe".' },
	]);
});

test("a path is relative to the place that names it; ~ is the user's home", () => {
	assert.equal(resolveAll(file("f", { dbDir: "./data" })).settings.dbDir, "/base/data");
	assert.equal(resolveAll(file("f", { dbDir: "~/.pi/agent/lcm" })).settings.dbDir, "/home/me/.pi/agent/lcm");
	assert.equal(resolveAll(file("f", { dbDir: "/abs" })).settings.dbDir, "/abs");
});

test("a list of prices is no list of paths: it is taken as it stands", () => {
	const prices = ["my-model=2/0.2/2.5", "corp/other=1"];
	assert.deepEqual(resolveAll(file("f", { prices })).settings.prices, prices);
	assert.deepEqual(
		Object.keys(readPriceList(prices)),
		prices.map((line) => line.replace(/=.*/, "")),
	);
});

test("keys of the older programs hold as they are spelt there", () => {
	const models = [{ provider: "local", id: "small" }];
	const { settings, problems } = resolveAll(
		file("f", {
			policyMode: "report",
			largFileThresholdTokens: 30_000,
			compactionModels: models,
			handlers: ["./h.ts"],
			prices: ["my-model=2/0.2/2.5"],
		}),
	);
	assert.deepEqual(problems, []);
	assert.deepEqual(
		[settings.policyMode, settings.largFileThresholdTokens, settings.compactionModels, settings.handlers],
		["report", 30_000, models, ["/base/h.ts"]],
	);
	assert.deepEqual(settings.prices, ["my-model=2/0.2/2.5"]);
	const wrong = resolveAll(file("f", { mode: "wovn", compactionModels: ["x"], handlers: "h.ts" }));
	assert.equal(wrong.problems.length, 3);
	assert.match(wrong.problems[0]!.message, /'mode' must be one of woven, warp, lossless, off/);
});

test("case 82: merging ignores __proto__ and constructor", () => {
	const { settings, problems } = resolveAll(
		file("f", JSON.parse('{"__proto__":{"enabled":false,"polluted":1},"constructor":{"prototype":{"polluted":1}}}')),
	);
	assert.equal(settings.enabled, true);
	assert.equal(({} as { polluted?: unknown }).polluted, undefined);
	assert.deepEqual(problems, []);
});

test("any JSON object gives settings of the right types", () => {
	const anyFile = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom(...SETTING_KEYS)), fc.jsonValue());
	fc.assert(
		fc.property(anyFile, (values) => {
			const { settings } = resolveAll(file("f", values));
			assert.deepEqual(Object.keys(settings), SETTING_KEYS);
			assert.ok(typeof settings.enabled === "boolean" && Number.isSafeInteger(settings.pruneDays));
			assert.ok(settings.dbDir === null || settings.dbDir.startsWith("/"));
		}),
	);
});

test("what a person types for a setting becomes the value that a file holds, or is refused with what is possible", () => {
	const chosen = (key: string, given?: string) => readChosen(key, given, "/base", "/home/me").value;
	assert.deepEqual(
		[chosen("pruneDays", "30"), chosen("enabled", "off"), chosen("mode", "warp"), chosen("dbDir", "~/data")],
		[30, false, "warp", "/home/me/data"],
	);
	assert.deepEqual(chosen("compactionModels", '[{"provider":"p","id":"m"}]'), [{ provider: "p", id: "m" }]);
	assert.deepEqual(chosen("prices", '["my-model=2/0.2/2.5"]'), ["my-model=2/0.2/2.5"]);
	assert.equal(chosen("mode"), undefined);
	assert.throws(() => chosen("mode", "fast"), { code: "usage", message: /'mode' must be one of woven, .* not "fast"/ });
	assert.throws(() => chosen("compactionModels", "gpt"), { message: /a list of \{ provider, id \}/ });
	assert.throws(() => chosen("prunedays", "3"), { message: /Did you mean 'pruneDays'\?/ });
});

test("a project's own file cannot send the log elsewhere: of the fleet it may say the project's name alone", () => {
	const theirs = {
		"fleet.url": "postgres://evil/db",
		"fleet.mask": "exact",
		"fleet.exclude": [],
		"fleet.project": "acme/app",
	};
	const { settings, problems } = resolveAll({ ...file("/p/config.json", theirs), isProjects: true });
	assert.deepEqual(
		[settings["fleet.url"], settings["fleet.mask"], settings["fleet.project"]],
		[null, "masked", "acme/app"],
	);
	assert.deepEqual(
		problems.map(({ key }) => key),
		["fleet.url", "fleet.mask", "fleet.exclude"],
	);
	assert.match(problems[0]!.message, /'fleet\.url' does not count in a project's own file/);
	assert.equal(resolveAll(file("/u/config.json", theirs)).settings["fleet.url"], "postgres://evil/db");
});

test("values nested 20,000 deep are refused in a sentence, whatever the setting is", () => {
	const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as unknown;
	const values = Object.fromEntries(SETTING_KEYS.map((key) => [key, deep]));
	const { problems } = resolveAll(file("/u/config.json", values));
	assert.equal(problems.length, SETTING_KEYS.length);
	assert.ok(problems.every(({ message }) => message.length < 300));
});
