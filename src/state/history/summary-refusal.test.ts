import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseSummary } from "./summary-writer.ts";

const limits = { sourceTokens: 1_000, maxTokens: 200 };

test("52: a good summary that talks of a 401, of failures and of apologies in the code is accepted", () => {
	for (const text of [
		"The upload failed with 401 Unauthorized because the token had expired; `refreshToken` now runs first.",
		'Fixed: the form said "I apologize" twice. Changed src/form.ts.',
		"## Login\n- `auth.ts` answered 403 Forbidden\n- the user decided to keep the cookie",
		"Sorry-page: the 500 page was redesigned.",
		"Read the tool results of grep and bash; nothing was changed.",
	]) {
		assert.equal(refuseSummary(text, limits), undefined, text);
	}
});

test("56: apologies, disclaimers and role-play are refused; factual text that mentions tools is not", () => {
	for (const text of [
		"I apologize, but I cannot summarise this.",
		"I'm sorry, I can't help with that.",
		"Sorry, something went wrong.",
		"I don't have access to the previous conversation.",
		"Unfortunately, I was not given any text.",
		"As an AI language model, I cannot …",
		"[tool_use: read src/a.ts]",
		"Let me check that file first.",
		"Sure! Here is what I will do.",
		"I'll run the tests now.",
		"Okay, let me do that for you.",
		"No content provided.",
	]) {
		assert.match(refuseSummary(text, limits)?.reason ?? "accepted", /apology|role/, text);
	}
	assert.equal(refuseSummary("The agent used the read and bash tools to find the cause.", limits), undefined);
	assert.equal(refuseSummary("The user asked: let the button be green. Done in app.css.", limits), undefined);
});

test("empty, longer than the source and far too long texts are refused, each with its reason", () => {
	assert.deepEqual(refuseSummary(" \n\t", limits), { reason: "it is empty", isFault: true });
	const longer = { reason: "it is longer than its source (1094 tokens of 1000)", isFault: true };
	assert.deepEqual(refuseSummary("word ".repeat(700), limits), longer);
	const long = { reason: "it is too long (625 tokens, 200 were allowed)", isFault: true };
	assert.deepEqual(refuseSummary("word ".repeat(400), limits), long);
});

test("a text longer than a tiny source, and within its limit, is not the model's fault", () => {
	const tiny = { sourceTokens: 30, maxTokens: 200 };
	const refused = { reason: "it is longer than its source (78 tokens of 30)", isFault: false };
	assert.deepEqual(refuseSummary("word ".repeat(50), tiny), refused);
});
