import assert from "node:assert/strict";
import { test } from "node:test";
import { summariserChain } from "./models.ts";
import type { Summariser } from "./summariser.ts";
import { HISTORY_DEFAULTS } from "./types.ts";

const model = (name: string): Summariser => ({ name, summarise: async () => ({ text: "" }) });

test("the wanted models that the host has, in order, then the session's own, none twice", () => {
	const wanted = HISTORY_DEFAULTS.compactionModels;
	assert.deepEqual(
		wanted.map(({ provider, id }) => `${provider}/${id}`),
		["cerebras/zai-glm-4.7", "anthropic/claude-haiku-4-5"],
	);
	const find = ({ provider, id }: { provider: string; id: string }) =>
		provider === "anthropic" ? model(`${provider}/${id}`) : undefined;
	const names = (session?: Summariser) => summariserChain(wanted, find, session).map(({ name }) => name);
	assert.deepEqual(names(), ["anthropic/claude-haiku-4-5"]);
	assert.deepEqual(names(model("openai/big")), ["anthropic/claude-haiku-4-5", "openai/big"]);
	assert.deepEqual(names(model("anthropic/claude-haiku-4-5")), ["anthropic/claude-haiku-4-5"]);
});
