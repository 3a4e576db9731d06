import assert from "node:assert/strict";
import { test } from "node:test";
import { UNKNOWN_PRICES } from "../../base/tokens/prices.ts";
import type { LivePi } from "./live.ts";
import { afterSent, lentModels, summarisers } from "./side-models.ts";

const model = (provider: string, id: string) => ({ provider, id, maxTokens: 1_000 });

function session(options: {
	readonly configured: readonly string[];
	readonly answer?: object;
	readonly own?: object | undefined;
}) {
	const asked: { readonly model: string; readonly content: string; readonly maxTokens: number }[] = [];
	const modelRegistry = {
		find: (provider: string, id: string) => (provider === "missing" ? undefined : model(provider, id)),
		hasConfiguredAuth: ({ provider }: { provider: string }) => options.configured.includes(provider),
		complete: async (
			{ provider, id }: { provider: string; id: string },
			{ messages }: { messages: readonly { content: string }[] },
			{ maxTokens }: { maxTokens: number },
		) => {
			asked.push({ model: `${provider}/${id}`, content: messages[0]!.content, maxTokens });
			return (
				options.answer ?? { content: [{ type: "text", text: "a summary" }], usage: { input: 1 }, stopReason: "stop" }
			);
		},
	};
	const compactionModels = [
		{ provider: "missing", id: "x" },
		{ provider: "first", id: "a" },
		{ provider: "second", id: "b" },
	];
	const own = "own" in options ? options.own : model("own", "c");
	const live = { ctx: { modelRegistry, model: own }, engine: { settings: { compactionModels } } };
	return { live: live as unknown as LivePi, asked };
}

const request = (prompt: string) => ({ prompt, maxTokens: 5_000, source: {} as never });

test("the named models that the user has access to come first, then the session's own, each once", () => {
	const names = (configured: readonly string[], own?: object) =>
		summarisers(session({ configured, ...(own ? { own } : {}) }).live).map(({ name }) => name);
	assert.deepEqual(names(["second"]), ["second/b", "own/c"]);
	assert.deepEqual(names([]), ["own/c"]);
	assert.deepEqual(names(["first", "second"], model("first", "a")), ["first/a", "second/b"]);
	assert.deepEqual(summarisers(session({ configured: [], own: undefined }).live), []);
});

test("a call takes what the user asks along, and no more tokens than the model can write", async () => {
	const { live, asked } = session({ configured: [] });
	const [own] = summarisers(live, " Keep the names. ");
	assert.deepEqual(await own!.summarise(request("Summarise.")), { text: "a summary", usage: { input: 1 } });
	assert.deepEqual(asked, [
		{ model: "own/c", content: "Summarise.\n\nThe user asks of this summary: Keep the names.", maxTokens: 1_000 },
	]);
});

test("a failure that Pi tells as an answer is a rejection with its words", async () => {
	const answer = { content: [], stopReason: "error", errorMessage: "overloaded" };
	const [own] = summarisers(session({ configured: [], answer }).live);
	await assert.rejects(own!.summarise(request("Summarise.")), /overloaded/);
});

test("Pi lends the named models that the user has access to, and the session's own", () => {
	const { live } = session({ configured: ["second"] });
	const pi = { ...live, hasChosenModels: true, pricesOf: () => UNKNOWN_PRICES } as unknown as LivePi;
	const { named, isChosen, own } = lentModels(pi);
	assert.deepEqual([named.map(({ name }) => name), isChosen, own?.name], [["second/b"], true, "own/c"]);
});

test("a question after a request that left keeps every byte of it, and its limit where the model thinks", () => {
	const mark = { cache_control: { type: "ephemeral" } };
	const sent = {
		model: "m",
		max_tokens: 9,
		system: [{ text: "s", ...mark }],
		messages: [{ role: "user", content: "a" }],
	};
	const more = {
		max_tokens: 1,
		messages: [
			{ role: "assistant", content: "b" },
			{ role: "user", content: [{ text: "c", ...mark }] },
		],
	};
	const tail = [
		{ role: "assistant", content: "b" },
		{ role: "user", content: [{ text: "c" }] },
	];
	const messages = [...sent.messages, ...tail];
	assert.deepEqual(afterSent(sent, more, 400), { ...sent, max_tokens: 400, messages });
	const thinking = { type: "enabled", budget_tokens: 5 };
	assert.deepEqual(afterSent({ ...sent, thinking }, more, 400), { ...sent, thinking, messages });
	assert.deepEqual(afterSent({ input: ["a"], max_output_tokens: 9 }, { input: [{ role: "developer" }, "b"] }, 400), {
		input: ["a", "b"],
		max_output_tokens: 400,
	});
	assert.throws(() => afterSent({ prompt: "a" }, more, 400), /no list of messages/);
});
