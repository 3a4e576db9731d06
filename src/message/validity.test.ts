import assert from "node:assert/strict";
import { test } from "node:test";
import { checkRequest } from "./validity.ts";
import type { Form } from "./view.ts";

/** The same little conversation in each form: a request, a turn with two parallel calls, their results. */
const FORMS = {
	anthropic: {
		user: (text: string): object => ({ role: "user", content: text }),
		assistant: (text: string, ...ids: string[]): object => ({
			role: "assistant",
			content: [
				...(text === "" ? [] : [{ type: "text", text }]),
				...ids.map((id) => ({ type: "tool_use", id, name: "read", input: {} })),
			],
		}),
		results: (...ids: string[]): object[] => [
			{ role: "user", content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: `result ${id}` })) },
		],
	},
	openai: {
		user: (text: string): object => ({ role: "user", content: text }),
		assistant: (text: string, ...ids: string[]): object => ({
			role: "assistant",
			content: text === "" ? null : text,
			...(ids.length > 0
				? { tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })) }
				: {}),
		}),
		results: (...ids: string[]): object[] =>
			ids.map((id) => ({ role: "tool", tool_call_id: id, content: `result ${id}` })),
	},
	pi: {
		user: (text: string): object => ({ role: "user", content: text, timestamp: 1 }),
		assistant: (text: string, ...ids: string[]): object => ({
			role: "assistant",
			content: [
				...(text === "" ? [] : [{ type: "text", text }]),
				...ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: {} })),
			],
			api: "messages",
			provider: "p",
			model: "m",
		}),
		results: (...ids: string[]): object[] =>
			ids.map((id) => ({
				role: "toolResult",
				toolCallId: id,
				toolName: "read",
				content: [{ type: "text", text: `result ${id}` }],
				isError: false,
			})),
	},
} as const;

const NAMES = Object.keys(FORMS) as Form[];

function broken(messages: readonly unknown[], format: Form, options = {}): [rule: string, at: number][] {
	return checkRequest(messages, format, options).map(({ rule, at }) => [rule, at]);
}

for (const name of NAMES) {
	const { user, assistant, results } = FORMS[name];
	const check = (...messages: object[]) => broken(messages, name);

	test(`${name}: a sound request has no violation`, () => {
		assert.deepEqual(
			check(
				user("go"),
				assistant("I look.", "a", "b"),
				...results("a", "b"),
				assistant("Done."),
				user("thanks"),
				assistant("", "c"),
				...results("c"),
			),
			[],
		);
	});

	test(`${name}: parallel results may come in any order, but all together`, () => {
		assert.deepEqual(check(user("go"), assistant("", "a", "b"), ...results("b", "a")), []);
		assert.deepEqual(check(user("go"), assistant("", "a", "b"), ...results("a")), [["call-without-result", 1]]);
		assert.deepEqual(
			check(user("go"), assistant("", "a", "b"), ...results("a"), user("wait"), ...results("b")).map(([rule]) => rule),
			["call-without-result", "result-without-call"],
		);
	});

	test(`${name}: an empty request, one that begins with an answer, one that ends with one`, () => {
		assert.deepEqual(check(), [["no-messages", 0]]);
		assert.deepEqual(check(assistant("Hello."), user("go")), [["first-not-user", 0]]);
		assert.deepEqual(
			check(...results("a"), user("go")).map(([rule]) => rule),
			["first-not-user", "result-without-call"],
		);
	});

	test(`case 59, ${name}: a prompt never ends with the assistant`, () => {
		assert.deepEqual(check(user("go"), assistant("Done.")), [["ends-with-assistant", 1]]);
	});

	test(`${name}: a call without a result, a result without a call, a second result`, () => {
		assert.deepEqual(check(user("go"), assistant("", "a"), user("again")), [["call-without-result", 1]]);
		assert.deepEqual(check(user("go"), ...results("a")), [["result-without-call", 1]]);
		assert.deepEqual(
			check(user("go"), assistant("", "a"), ...results("a"), ...results("a")).map(([rule]) => rule),
			["duplicate-result"],
		);
	});

	test(`${name}: an id that is used twice, and one that is missing`, () => {
		assert.deepEqual(check(user("go"), assistant("", "a"), ...results("a"), assistant("", "a"), ...results("a")), [
			["duplicate-call-id", 3],
		]);
		assert.ok(check(user("go"), assistant("", ""), ...results("")).some(([rule]) => rule === "call-without-id"));
	});

	test(`${name}: messages without content, and roles that nobody knows`, () => {
		assert.deepEqual(check(user("go"), assistant("Done."), user("")), [["empty-content", 2]]);
		assert.deepEqual(check(user("go"), assistant(""), user("go on")), [["empty-content", 1]]);
		assert.deepEqual(check(user("go"), { role: "oracle", content: "soon" }), [["unknown-role", 1]]);
	});

	test(`${name}: system text among the messages`, () => {
		assert.deepEqual(check(user("go"), { role: "system", content: "Be brief." }, user("now")), [["system-text", 1]]);
	});

	test(`${name}: the budget`, () => {
		const messages = [user("x".repeat(3_200))];
		assert.deepEqual(broken(messages, name, { budget: 1_010 }), []);
		assert.deepEqual(broken(messages, name, { budget: 900 }), [["over-budget", 0]]);
	});

	test(`${name}: assistant messages are whole, and the open turn is as the host has it`, () => {
		const original = [user("go"), assistant("I look.", "a"), ...results("a")];
		assert.deepEqual(broken(original, name, { original }), []);
		const cut = [user("go"), assistant("", "a"), ...results("a")];
		assert.deepEqual(
			broken(cut, name, { original }).map(([rule]) => rule),
			["assistant-changed", "open-turn-changed"],
		);
		const gone = [user("go"), user("state")];
		assert.deepEqual(
			broken(gone, name, { original }).map(([rule]) => rule),
			["open-turn-changed"],
		);
		const old = [user("task"), assistant("One.", "x"), ...results("x"), ...original];
		assert.deepEqual(
			broken([user("seed"), ...original.slice(1)], name, { original: old }),
			[],
			"older turns may leave",
		);
		assert.deepEqual(
			broken([...original, user("now")], name, { original, trailing: 1 }),
			[],
			"what is said last is ours",
		);
	});
}

test("a note after the text of the newest result leaves the open turn untouched", () => {
	const result = (text: string): object => ({
		role: "toolResult",
		toolCallId: "a",
		toolName: "read",
		content: [{ type: "text", text }],
	});
	const head = [FORMS.pi.user("go"), FORMS.pi.assistant("", "a")];
	const original = [...head, result("file text")];
	assert.deepEqual(broken([...head, result("file text\n[changed on disk since]")], "pi", { original }), []);
	assert.deepEqual(broken([...head, result("file")], "pi", { original }), [["open-turn-changed", 1]]);
});

test("openai: leading system text is where it belongs", () => {
	assert.deepEqual(
		broken(
			[
				{ role: "system", content: "Be brief." },
				{ role: "developer", content: "x" },
				{ role: "user", content: "go" },
			],
			"openai",
		),
		[],
	);
});

test("pi: its other roles speak in the user's name; aborted answers and hidden commands are not sent", () => {
	const messages = [
		{ role: "compactionSummary", summary: "Was short." },
		{ role: "assistant", content: [{ type: "toolCall", id: "a", name: "read", arguments: {} }], stopReason: "aborted" },
		{ role: "bashExecution", command: "ls", output: "", excludeFromContext: true },
		{ role: "custom", content: "note" },
		{ role: "bashExecution", command: "ls", output: "" },
	];
	assert.deepEqual(broken(messages, "pi"), []);
});

test("pi: messages of another host keep their own blocks", () => {
	const call = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] };
	const result = { role: "toolResult", toolCallId: "a", content: "text", isError: false };
	assert.deepEqual(broken([{ role: "user", content: "go" }, call, result], "pi"), []);
	assert.deepEqual(
		broken([{ role: "user", content: "go" }, call], "pi").map(([rule]) => rule),
		["ends-with-assistant", "call-without-result"],
	);
});

test("anthropic: results stand first, tools of the provider need none, neighbours are joined", () => {
	const { user, assistant, results } = FORMS.anthropic;
	const late = {
		role: "user",
		content: [
			{ type: "text", text: "see" },
			{ type: "tool_result", tool_use_id: "a", content: "x" },
		],
	};
	assert.deepEqual(broken([user("go"), assistant("", "a"), late], "anthropic"), [["result-not-first", 2]]);
	const server = {
		role: "assistant",
		content: [
			{ type: "server_tool_use", id: "s", name: "web_search", input: {} },
			{ type: "web_search_tool_result", tool_use_id: "s", content: [] },
		],
	};
	assert.deepEqual(broken([user("go"), server, user("and?")], "anthropic"), []);
	assert.deepEqual(
		broken(
			[user("go"), assistant("I look."), assistant("", "a"), assistant("", "b"), ...results("a"), ...results("b")],
			"anthropic",
		),
		[],
	);
});

test("thinking goes with its answer, with its signature, and with the model that it came from", () => {
	const thought = { type: "thinking", thinking: "hm", signature: "sig" };
	const anthropic = (...content: object[]): object[] => [
		{ role: "user", content: "go" },
		{ role: "assistant", content },
		{ role: "user", content: "so?" },
	];
	assert.deepEqual(broken(anthropic(thought, { type: "text", text: "Done." }), "anthropic"), []);
	assert.deepEqual(broken(anthropic(thought), "anthropic"), [["thinking-alone", 1]]);
	const apart = [
		{ role: "assistant", content: [thought] },
		{ role: "assistant", content: [{ type: "text", text: "Done." }] },
	];
	assert.deepEqual(
		broken([{ role: "user", content: "go" }, ...apart, { role: "user", content: "so?" }], "anthropic"),
		[],
	);
	assert.deepEqual(
		broken(anthropic({ type: "thinking", thinking: "hm" }, { type: "text", text: "Done." }), "anthropic"),
		[["thinking-unsigned", 1]],
	);
	const pi = (more: object): object[] => [
		{ role: "user", content: "go" },
		{
			role: "assistant",
			content: [
				{ type: "thinking", thinking: "hm", thinkingSignature: "sig" },
				{ type: "text", text: "Done." },
			],
			...more,
		},
		{ role: "user", content: "so?" },
	];
	assert.deepEqual(broken(pi({ api: "a", provider: "p", model: "m" }), "pi"), []);
	assert.deepEqual(broken(pi({}), "pi"), [], "reduced to role and content");
	for (const more of [
		{ provider: "p", model: "m" },
		{ api: "a", model: "m" },
		{ api: "a", provider: "p" },
	]) {
		assert.deepEqual(broken(pi(more), "pi"), [["thinking-identity", 1]]);
	}
});

test("whatever it is given, it does not throw", () => {
	for (const name of NAMES) {
		for (const odd of [
			null,
			1,
			"x",
			[],
			{ role: 5 },
			{ role: "user", content: [null, 1, "x", [], { type: 3 }] },
			{ role: "assistant", tool_calls: [null, { function: 1 }] },
		]) {
			assert.ok(Array.isArray(checkRequest([odd, odd], name)));
		}
	}
});

test("thinking behind another prefix, and where it is off, is refused; by the rule an answer of the agent may lack it", () => {
	const thinking = { type: "thinking", thinking: "hm", signature: "s" };
	const call = { type: "tool_use", id: "a", name: "read", input: {} };
	const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "text" }] };
	const own = [{ role: "user", content: "go" }, { role: "assistant", content: [thinking, call] }, result];
	const without = [own[0], { role: "assistant", content: [call] }, result];
	assert.deepEqual(broken(own, "anthropic", { misplaced: new Set([1]) }), [["thinking-misplaced", 1]]);
	assert.deepEqual(broken(own, "anthropic", { thinking: "off" }), [["thinking-off", 1]]);
	assert.deepEqual(broken(without, "anthropic", { original: own, thinking: "bound" }), []);
	assert.deepEqual(broken(without, "anthropic", { original: own, thinking: "off" }), []);
	assert.deepEqual(
		broken(without, "anthropic", { original: own, thinking: "manual" }).map(([rule]) => rule),
		["open-turn-changed"],
	);
	assert.deepEqual(
		broken(without, "anthropic", { original: own }).map(([rule]) => rule),
		["assistant-changed", "open-turn-changed"],
	);
});
