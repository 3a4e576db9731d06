import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MISSING_RESULT } from "./dialect/form.ts";
import { repairRequest } from "./repair.ts";
import { checkRequest } from "./validity.ts";
import type { Form } from "./view.ts";

const user = (text: string): object => ({ role: "user", content: text });
const call = (id: string, more: object = {}): object => ({
	role: "assistant",
	content: [{ type: "toolCall", id, name: "read", arguments: { path: id } }],
	api: "a",
	provider: "p",
	model: "m",
	timestamp: 7,
	...more,
});
const result = (id: string, text: string, isError = false): object => ({
	role: "toolResult",
	toolCallId: id,
	toolName: "read",
	content: [{ type: "text", text }],
	isError,
});

/** What a repaired request in Pi's form says, shortly. */
function outline(messages: readonly unknown[]): string[] {
	return messages.map((message) => {
		const { role, content, toolCallId } = message as { role: string; content: unknown; toolCallId?: string };
		const blocks = Array.isArray(content)
			? (content as { type: string; text?: string; id?: string }[])
			: [{ type: "text", text: content as string }];
		const said = blocks
			.map((block) => (block.type === "toolCall" ? `call ${block.id}` : (block.text ?? block.type)))
			.join(",");
		return `${role}${toolCallId === undefined ? "" : ` ${toolCallId}`}: ${said}`;
	});
}

function repaired(...messages: object[]): string[] {
	const once = repairRequest(messages, "pi");
	assert.deepEqual(repairRequest(messages, "pi"), once, "the same twice");
	assert.deepEqual(checkRequest(once.messages, "pi"), []);
	return outline(once.messages);
}

test("what is valid comes back untouched", () => {
	const messages = [user("go"), call("a"), result("a", "text")];
	assert.equal(repairRequest(messages, "pi").messages, messages);
});

test("case 59: a prompt does not end with the assistant", () => {
	assert.deepEqual(repaired(user("go"), { ...call("a"), content: [{ type: "text", text: "Done." }] }), ["user: go"]);
});

test("case 60: a missing result becomes a constant error, identical twice", () => {
	const messages = [user("go"), call("a"), user("again")];
	assert.deepEqual(repaired(...messages), [
		"user: go",
		"assistant: call a",
		`toolResult a: ${MISSING_RESULT}`,
		"user: again",
	]);
	assert.deepEqual(repairRequest(messages, "pi").messages[2], {
		role: "toolResult",
		toolCallId: "a",
		toolName: "read",
		content: [{ type: "text", text: MISSING_RESULT }],
		isError: true,
		timestamp: 7,
	});
	assert.doesNotMatch(MISSING_RESULT, /\d/);
});

test("case 61: a result that comes after other turns is moved next to its call", () => {
	const aborted = { ...call("x"), stopReason: "aborted" };
	assert.deepEqual(repaired(user("go"), call("a"), aborted, user("shown only"), result("a", "text")), [
		"user: go",
		"assistant: call a",
		"toolResult a: text",
		"user: shown only",
	]);
});

test("case 61: a real result beats a stand-in, whichever comes first, and an error that quotes one is real", () => {
	const standIn = result("a", "No result provided", true);
	const sound = ["user: go", "assistant: call a", "toolResult a: text"];
	assert.deepEqual(repaired(user("go"), call("a"), standIn, result("a", "text")), sound);
	assert.deepEqual(repaired(user("go"), call("a"), result("a", "text"), standIn), sound);
	const quoting = result("a", `failed: ${MISSING_RESULT}`, true);
	assert.deepEqual(repaired(user("go"), call("a"), standIn, quoting).at(-1), `toolResult a: failed: ${MISSING_RESULT}`);
});

test("case 62: a result stored before its call is kept", () => {
	assert.deepEqual(repaired(user("go"), result("a", "early"), call("a")), [
		"user: go",
		"assistant: call a",
		"toolResult a: early",
	]);
});

test("case 63: a call id used again is renamed, and both pairs stay", () => {
	assert.deepEqual(repaired(user("go"), call("a"), result("a", "one"), call("a"), result("a", "two")), [
		"user: go",
		"assistant: call a",
		"toolResult a: one",
		"assistant: call a_2",
		"toolResult a_2: two",
	]);
	assert.deepEqual(
		repaired(
			user("go"),
			call("a"),
			result("a", "1"),
			call("a_2"),
			result("a_2", "2"),
			call("a"),
			result("a", "3"),
		).slice(-2),
		["assistant: call a_3", "toolResult a_3: 3"],
	);
});

test("case 64: an aborted turn cannot claim an id", () => {
	const aborted = { ...call("a"), stopReason: "aborted" };
	assert.deepEqual(repaired(user("go"), aborted, call("a"), result("a", "text")), [
		"user: go",
		"assistant: call a",
		"toolResult a: text",
	]);
	assert.deepEqual(repaired(user("go"), { ...call("a"), stopReason: "error" }, result("a", "left over"), user("on")), [
		"user: go",
		"user: on",
	]);
});

test("case 65: arguments stand where the form has them, and a missing id comes from the result after it", () => {
	const anthropic = repairRequest(
		[
			{ role: "user", content: "go" },
			{ role: "assistant", content: [{ type: "tool_use", name: "read", arguments: { path: "x" } }] },
			{ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "text" }] },
		],
		"anthropic",
	);
	assert.deepEqual(anthropic.messages[1], {
		role: "assistant",
		content: [{ type: "tool_use", name: "read", id: "t1", input: { path: "x" } }],
	});
	assert.deepEqual(checkRequest(anthropic.messages, "anthropic"), []);
	const openai = repairRequest(
		[
			{ role: "user", content: "go" },
			{
				role: "assistant",
				content: null,
				tool_calls: [{ type: "function", function: { name: "read", input: { path: "x" } } }],
			},
		],
		"openai",
	);
	const [made] = (openai.messages[1] as { tool_calls: { id: string; function: object }[] }).tool_calls;
	assert.match(made!.id, /^call_[0-9a-f]{16}$/);
	assert.deepEqual(made!.function, { name: "read", arguments: '{"path":"x"}' });
	assert.deepEqual(openai.messages[2], { role: "tool", tool_call_id: made!.id, content: MISSING_RESULT });
	const pi = repairRequest(
		[
			user("go"),
			{ ...call(""), content: [{ type: "toolCall", name: "read", input: { path: "x" } }] },
			result("t9", "text"),
		],
		"pi",
	);
	assert.deepEqual((pi.messages[1] as { content: object[] }).content, [
		{ type: "toolCall", name: "read", id: "t9", arguments: { path: "x" } },
	]);
});

test("case 66: a signature is kept only with the full identity of its model", () => {
	const thought = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
	const answer = (more: object): object => ({
		...call("a"),
		content: [thought, { type: "toolCall", id: "a", name: "read", arguments: {} }],
		...more,
	});
	const content = (message: object): unknown =>
		(repairRequest([user("go"), message, result("a", "x")], "pi").messages[1] as { content: object[] }).content[0];
	assert.deepEqual(content(answer({})), thought);
	assert.deepEqual(content(answer({ provider: undefined })), { type: "thinking", thinking: "hm" });
});

test("anthropic: results apart from their call are gathered into one message before the user's text", () => {
	const { messages } = repairRequest(
		[
			{ role: "user", content: "go" },
			{ role: "assistant", content: ["a", "b"].map((id) => ({ type: "tool_use", id, name: "read", input: {} })) },
			{
				role: "user",
				content: [
					{ type: "text", text: "see" },
					{ type: "tool_result", tool_use_id: "b", content: "B" },
				],
			},
			{ role: "assistant", content: [{ type: "text", text: "On." }] },
			{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "A" }] },
		],
		"anthropic",
	);
	assert.deepEqual(messages.slice(2, 4), [
		{
			role: "user",
			content: [
				{ type: "tool_result", tool_use_id: "a", content: "A" },
				{ type: "tool_result", tool_use_id: "b", content: "B" },
			],
		},
		{ role: "user", content: [{ type: "text", text: "see" }] },
	]);
	assert.deepEqual(checkRequest(messages, "anthropic"), []);
});

test("any shuffled history that begins with the user is valid after repair, and repairing again changes nothing", () => {
	const id = fc.constantFrom("a", "b", "c", "a_2", "");
	const piece = fc.oneof(
		fc.constant(user("text")),
		fc.constant(user("")),
		fc
			.tuple(fc.array(id, { maxLength: 3 }), fc.constantFrom("toolUse", "aborted", "stop"))
			.map(([ids, stopReason]) => ({
				...call("a"),
				stopReason,
				content: [
					{ type: "text", text: "so" },
					...ids.map((each) => ({ type: "toolCall", id: each, name: "read", arguments: {} })),
				],
			})),
		fc.tuple(id, fc.constantFrom("real", "No result provided")).map(([each, text]) => result(each, text)),
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
			const { messages } = repairRequest([user("go"), ...pieces], "pi");
			assert.deepEqual(checkRequest(messages, "pi"), []);
			assert.deepEqual(repairRequest(messages, "pi"), { messages, repairs: [] });
		}),
		{ numRuns: 500 },
	);
});

test("the same holds for the other forms", () => {
	const id = fc.constantFrom("a", "b", "");
	const forms: Readonly<Record<Exclude<Form, "pi">, { call(ids: string[]): object; result(of: string): object }>> = {
		anthropic: {
			call: (ids) => ({
				role: "assistant",
				content: [
					{ type: "text", text: "so" },
					...ids.map((each) => ({ type: "tool_use", id: each, name: "read", input: {} })),
				],
			}),
			result: (of) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: of, content: "real" }] }),
		},
		openai: {
			call: (ids) => ({
				role: "assistant",
				content: "so",
				tool_calls: ids.map((each) => ({ id: each, function: { name: "read", arguments: "{}" } })),
			}),
			result: (of) => ({ role: "tool", tool_call_id: of, content: "real" }),
		},
	};
	for (const name of ["anthropic", "openai"] as const) {
		const form = forms[name];
		const piece = fc.oneof(
			fc.constant(user("text")),
			fc.array(id, { maxLength: 3 }).map(form.call),
			id.map(form.result),
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
				const { messages } = repairRequest([user("go"), ...pieces], name);
				assert.deepEqual(checkRequest(messages, name), []);
			}),
			{ numRuns: 300 },
		);
	}
});
