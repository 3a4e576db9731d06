import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model, TranscriptContext } from "@earendil-works/pi-ai";
import { stream as streamAnthropic } from "@earendil-works/pi-ai/api/anthropic-messages";
import { stream as streamOpenai } from "@earendil-works/pi-ai/api/openai-completions";
import { convertToLlm } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import type { JsonObject } from "../base/json/read.ts";
import { checkRequest } from "./validity.ts";
import { readWire, shownText, viewMessage } from "./view.ts";
import { type TargetModel, toPlain, toWire } from "./wire.ts";

const ANTHROPIC = { api: "anthropic-messages", provider: "fake", model: "m" } as const;
const OPENAI = { api: "openai-completions", provider: "fake", model: "m" } as const;

function modelOf({ api, provider, model, hasImages = true }: TargetModel) {
	return {
		id: model,
		name: model,
		api,
		provider,
		baseUrl: "http://127.0.0.1:9",
		reasoning: false,
		input: hasImages ? ["text", "image"] : ["text"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 100_000,
		maxTokens: 1_000,
	};
}

/** The messages of the request that the real Pi would send; nothing leaves the process. */
async function sentByPi(messages: readonly object[], target: TargetModel): Promise<unknown> {
	const context = {
		messages: convertToLlm(structuredClone(messages) as Parameters<typeof convertToLlm>[0]),
	} as unknown as TranscriptContext;
	let sent: unknown = "no request was made";
	const options = {
		apiKey: "sk-fake",
		cacheRetention: "none",
		onPayload: (payload: unknown) => {
			sent = (payload as { messages: unknown }).messages;
			throw new Error("seen");
		},
	} as const;
	const stream =
		target.api === "anthropic-messages"
			? streamAnthropic(modelOf(target) as Model<"anthropic-messages">, context, options)
			: streamOpenai(modelOf(target) as Model<"openai-completions">, context, options);
	const { errorMessage } = await stream.result();
	assert.equal(errorMessage, "seen");
	return sent;
}

async function equalsPi(messages: readonly object[], target: TargetModel): Promise<void> {
	const to = target.api === "anthropic-messages" ? "anthropic" : "openai";
	const [ours, theirs] = [toWire(messages, "pi", to, target), await sentByPi(messages, target)];
	assert.deepEqual(JSON.parse(JSON.stringify(ours)), JSON.parse(JSON.stringify(theirs)));
	assert.equal(JSON.stringify(ours), JSON.stringify(theirs), "byte for byte");
}

const TARGETS: readonly TargetModel[] = [
	ANTHROPIC,
	OPENAI,
	{ ...ANTHROPIC, hasImages: false },
	{ ...OPENAI, hasImages: false, provider: "openai" },
];

const image = { type: "image", data: "AAAA", mimeType: "image/png" };
const text = (words: string) => ({ type: "text", text: words });
const call = (id: string, more: object = {}) => ({
	type: "toolCall",
	id,
	name: "read",
	arguments: { path: id },
	...more,
});
const user = (content: unknown) => ({ role: "user", content, timestamp: 1 });
const answer = (content: readonly object[], more: object = {}) => ({
	role: "assistant",
	content,
	...ANTHROPIC,
	stopReason: "stop",
	timestamp: 1,
	...more,
});
const result = (toolCallId: string, content: readonly object[], isError = false) => ({
	role: "toolResult",
	toolCallId,
	toolName: "read",
	content,
	isError,
	timestamp: 1,
});
const bash = (more: object) => ({
	role: "bashExecution",
	command: "ls",
	output: "a",
	exitCode: 0,
	timestamp: 1,
	...more,
});

const CONVERSATIONS: Readonly<Record<string, readonly object[]>> = {
	"every role": [
		{ role: "compactionSummary", summary: "It was long.", tokensBefore: 9, timestamp: 1 },
		{ role: "branchSummary", summary: "Tried a.", fromId: "x", timestamp: 1 },
		{ role: "custom", customType: "t", content: "a note", display: true, timestamp: 1 },
		{ role: "custom", customType: "t", content: [text("a note"), image], display: true, timestamp: 1 },
		bash({}),
		bash({ output: "", exitCode: 2 }),
		bash({ cancelled: true, exitCode: undefined }),
		bash({ truncated: true, fullOutputPath: "/tmp/x" }),
		bash({ excludeFromContext: true }),
		user("go"),
		answer([{ type: "thinking", thinking: "hm", thinkingSignature: "sig" }, text("I look."), call("a"), call("b")]),
		result("a", [text("one"), text("two")]),
		result("b", [text("bad")], true),
		user([text("and "), text(" "), image]),
	],
	"what is empty": [user(""), user("  "), user([]), user([text("")]), answer([]), answer([text(" ")]), user("x")],
	"failed answers, lost results, results of nothing": [
		user("go"),
		answer([call("a")]),
		answer([call("x")], { stopReason: "aborted" }),
		result("a", [text("late")]),
		answer([call("b"), call("c")]),
		result("c", [text("c")]),
		user("on"),
		result("nothing", [text("?")]),
		answer([text("half")], { stopReason: "error" }),
		answer([call("d")]),
	],
	"pictures in results": [
		user("go"),
		answer([call("a"), call("b"), call("c")]),
		result("a", [image]),
		result("b", [image, text("see"), image]),
		result("c", []),
		user("so?"),
	],
	"thinking of this model and of others": [
		user("go"),
		answer([{ type: "thinking", thinking: "unsigned" }, text("x")]),
		answer([{ type: "thinking", thinking: "", thinkingSignature: "sig" }, text("x")]),
		answer([{ type: "thinking", thinking: "", redacted: true, thinkingSignature: "data" }, text("x")]),
		answer([{ type: "thinking", thinking: "  " }, text("x")]),
		answer([{ type: "thinking", thinking: "other", thinkingSignature: "sig" }, text("x")], { model: "other" }),
		answer([{ type: "thinking", thinking: "", redacted: true, thinkingSignature: "data" }], { model: "other" }),
		answer([{ type: "thinking", thinking: "r", thinkingSignature: "reasoning_content" }, text("x")], OPENAI),
		answer(
			[{ type: "thinking", thinking: "r", thinkingSignature: '[{"type":"reasoning.text","text":"r"}]' }, text("x")],
			OPENAI,
		),
		answer([call("t", { thoughtSignature: '{"type":"reasoning.encrypted","id":"i","data":"d"}' })], OPENAI),
		result("t", [text("ok")]),
		user("so?"),
	],
	"ids of other providers, halves of characters": [
		user("go \ud83d on \u{1f648}"),
		answer([call("call_1|fc_2+/="), call("plain.id"), call(`c|${"x".repeat(400)}`), call("y".repeat(70))], {
			model: "other",
		}),
		result("call_1|fc_2+/=", [text("\udc00 one")]),
		result("plain.id", [text("two")]),
		result(`c|${"x".repeat(400)}`, [text("three")]),
		result("y".repeat(70), [text("four")]),
		answer([text("done \ud83d")]),
	],
};

for (const [name, messages] of Object.entries(CONVERSATIONS)) {
	test(`as the real Pi sends it: ${name}`, async () => {
		for (const target of TARGETS) await equalsPi(messages, target);
	});
}

test("any conversation goes out as the real Pi sends it", async () => {
	const words = fc.oneof(fc.constantFrom("", " ", "hello", "\ud83d"), fc.string({ unit: "binary", maxLength: 8 }));
	const texts = words.map(text);
	const id = fc.constantFrom("a", "b", "c|d", "e.f", "call_long|".padEnd(60, "x"));
	const from = fc.constantFrom({}, OPENAI, { model: "other" }, { api: undefined });
	const signature = fc.constantFrom(
		undefined,
		"",
		" ",
		"sig",
		"reasoning",
		"[]",
		'[{"type":"reasoning.summary","summary":"s"}]',
	);
	const thinking = fc.tuple(words, signature, fc.boolean()).map(([thought, thinkingSignature, redacted]) => ({
		type: "thinking",
		thinking: thought,
		thinkingSignature,
		...(redacted ? { redacted } : {}),
	}));
	const seen = fc.array(fc.oneof(texts, fc.constant(image)), { maxLength: 3 });
	const message = fc.oneof(
		fc.oneof(words, seen).map(user),
		fc.oneof(words, seen).map((content) => ({ role: "custom", customType: "t", content, display: true, timestamp: 1 })),
		words.map((summary) => ({ role: "compactionSummary", summary, tokensBefore: 1, timestamp: 1 })),
		words.map((summary) => ({ role: "branchSummary", summary, fromId: "x", timestamp: 1 })),
		fc
			.record({
				command: words,
				output: words,
				exitCode: fc.constantFrom(0, 1, null),
				excludeFromContext: fc.boolean(),
			})
			.map(bash),
		fc
			.tuple(
				fc.array(
					fc.oneof(
						texts,
						thinking,
						id.map((each) => call(each)),
					),
					{ maxLength: 4 },
				),
				from,
				fc.constantFrom("stop", "toolUse", "aborted", "error"),
			)
			.map(([content, more, stopReason]) => answer(content, { ...more, stopReason })),
		fc.tuple(id, seen, fc.boolean()).map(([of, content, isError]) => result(of, content, isError)),
	);
	await fc.assert(fc.asyncProperty(fc.array(message, { maxLength: 10 }), fc.constantFrom(...TARGETS), equalsPi), {
		numRuns: 300,
	});
});

test("without a target every answer keeps its thinking", () => {
	const thought = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
	const [, said] = toWire([user("go"), answer([thought, text("x")], { model: "any" }), user("on")], "pi", "anthropic");
	assert.deepEqual(said?.["content"], [{ type: "thinking", thinking: "hm", signature: "sig" }, text("x")]);
});

test("what goes out of a sound conversation is one that a provider takes, and says what its view shows", () => {
	const messages = CONVERSATIONS["every role"]!;
	for (const [to, target] of [
		["anthropic", ANTHROPIC],
		["openai", OPENAI],
	] as const) {
		const sent = toWire(messages, "pi", to, target);
		assert.deepEqual(checkRequest(sent, to), []);
		const words = sent.map((message) => shownText(readWire(message, to))).join("\n");
		for (const message of messages.slice(0, 3)) assert.ok(words.includes(shownText(readWire(message, "pi"))));
	}
});

test("messages in a provider's own form go out as they are, without what the host adds or does not send", () => {
	const lines: readonly JsonObject[] = [
		{ role: "user", content: "go" },
		{ role: "assistant", id: "msg_1", model: "m", content: [text("x")], usage: {} },
		{ role: "assistant", model: "<synthetic>", content: [text("API error")] },
	];
	assert.deepEqual(toWire(lines, "anthropic", "anthropic"), [lines[0], { role: "assistant", content: [text("x")] }]);
	const chat = [{ role: "system", content: "Be brief." }, lines[0]];
	assert.deepEqual(toWire(chat, "openai", "openai"), chat);
	assert.throws(() => toWire(chat, "openai", "anthropic"), { code: "unknown-format" });
});

test("an entry that is a message without saying so goes out in the user's name", () => {
	const raw = {
		type: "branch_summary",
		id: "e",
		summary: "Tried a.",
		fromId: "x",
		timestamp: "1970-01-01T00:00:00.001Z",
	};
	const view = viewMessage({ form: "pi", raw });
	assert.deepEqual(toPlain(view, "pi"), { role: "user", content: [text(view.shown!)], timestamp: 1 });
	assert.equal(
		toPlain(viewMessage({ form: "pi", raw: { message: { role: "oracle", content: "x" } } }), "pi"),
		undefined,
	);
});

test("whatever it is given, it does not throw", () => {
	fc.assert(
		fc.property(fc.array(fc.anything()), fc.constantFrom("anthropic", "openai"), (content, to) => {
			for (const role of ["user", "assistant", "toolResult", "custom"])
				assert.ok(Array.isArray(toWire([{ role, content }, content, { role, content: content[0] }], "pi", to)));
		}),
	);
});
