import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "../../log/event/types.ts";
import { messageReader } from "../../state/work/translate-message.ts";
import { ClaudeCodeTranslator } from "../claude-code/translate.ts";
import { PiTranslator } from "../pi/translate.ts";

/** A session in no host's form. */
type Said =
	| { readonly user: string }
	| { readonly call: string; readonly tool: string; readonly input: object }
	| { readonly result: string; readonly tool: string; readonly text: string; readonly isError?: true }
	/** By the user, by hand. */
	| { readonly ran: string; readonly output: string };

const FAILED = `FAILED tests/test_sum.py::test_sum - assert 3 == 4
========================= 1 failed, 2 passed in 0.10s =========================

Command exited with code 1`;
const SESSION: readonly Said[] = [
	{ user: "Fix the sum" },
	{ call: "t1", tool: "bash", input: { command: "cd x && pytest -q tests" } },
	{ result: "t1", tool: "bash", text: FAILED, isError: true },
	{ call: "t2", tool: "read", input: { path: "/p/sum.py" } },
	{ result: "t2", tool: "read", text: "def total(a, b):\n    return a\n" },
	{ call: "t3", tool: "edit", input: { path: "/p/sum.py", oldText: "return a", newText: "return a + b" } },
	{ result: "t3", tool: "edit", text: "ok" },
	{ call: "t4", tool: "write", input: { path: "/p/notes.md", content: "done\n" } },
	{ result: "t4", tool: "write", text: "ok" },
	{ call: "t5", tool: "bash", input: { command: "ls" } },
	{ result: "t5", tool: "bash", text: "sum.py" },
	{ ran: "pytest -q", output: "3 passed in 0.10s" },
];
const AT = "2026-03-01T10:00:00.000Z";

function asPiMessage(said: Said) {
	if ("user" in said) return { role: "user", content: said.user };
	if ("ran" in said) return { role: "bashExecution", command: said.ran, output: said.output, cancelled: true };
	if ("call" in said) {
		const block = { type: "toolCall", id: said.call, name: said.tool, arguments: said.input };
		return { role: "assistant", content: [block] };
	}
	const content = [{ type: "text", text: said.text }];
	return {
		role: "toolResult",
		toolCallId: said.result,
		toolName: said.tool,
		content,
		isError: said.isError === true,
	};
}

function asAnthropicMessages(said: Said): object[] {
	const user = (content: unknown) => ({ role: "user", content });
	if ("user" in said) return [user(said.user)];
	if ("ran" in said) {
		return [user(`<bash-input>${said.ran}</bash-input>`), user(`<bash-stdout>${said.output}</bash-stdout>`)];
	}
	if ("call" in said) {
		return [{ role: "assistant", content: [{ type: "tool_use", id: said.call, name: said.tool, input: said.input }] }];
	}
	const { result, text, isError } = said;
	return [user([{ type: "tool_result", tool_use_id: result, content: text, is_error: isError === true }])];
}

function throughPi(): NewEvent[] {
	const translator = new PiTranslator({ type: "session", id: "s", version: 3, cwd: "/p" });
	return SESSION.flatMap((said, at) => {
		const entry = { type: "message", id: `m${at}`, parentId: null, timestamp: AT, message: asPiMessage(said) };
		return translator.translate(entry, JSON.stringify(entry), "?");
	});
}

function throughReader(): NewEvent[] {
	const read = messageReader({ session: "s", host: "plain", cwd: "/p", now: () => Date.parse(AT) });
	return SESSION.flatMap((said, at) => read(asPiMessage(said), `m${at}`));
}

function throughClaudeCode(): NewEvent[] {
	const translator = new ClaudeCodeTranslator({ session: "s" });
	const base = { sessionId: "s", cwd: "/p", timestamp: AT, isSidechain: false, parentUuid: null };
	return SESSION.flatMap((said, at) =>
		asAnthropicMessages(said).flatMap((message, part, all) => {
			const uuid = part < all.length - 1 ? `m${at}:${part}` : `m${at}`;
			const line = { ...base, type: message && "role" in message ? message.role : "", uuid, message };
			return translator.translate(line, JSON.stringify(line));
		}),
	);
}

/** As the log stores them, without the host's name. */
function derivedBy(events: readonly NewEvent[]): unknown[] {
	const kept = events.filter(({ type }) => !["SessionStarted", "Message"].includes(type));
	return JSON.parse(JSON.stringify(kept.map(({ host, ...event }) => event)));
}

test("the same messages give the same derived events through every host", () => {
	const pi = derivedBy(throughPi());
	assert.deepEqual(derivedBy(throughReader()), pi);
	assert.deepEqual(derivedBy(throughClaudeCode()), pi);
	assert.deepEqual(
		pi.map((event) => `${(event as NewEvent).type} ${(event as NewEvent).entry}`),
		[
			"UserIntent m0",
			"ToolCalled m1/t1",
			"ToolResult m2/t1",
			"CommandRun m2/t1",
			"TestStatus m2/t1",
			"ToolCalled m3/t2",
			"ToolResult m4/t2",
			"FileRead m4/t2",
			"ToolCalled m5/t3",
			"ToolResult m6/t3",
			"FileChanged m6/t3",
			"ToolCalled m7/t4",
			"ToolResult m8/t4",
			"FileChanged m8/t4",
			"ToolCalled m9/t5",
			"ToolResult m10/t5",
			"CommandRun m10/t5",
			"CommandRun m11",
			"TestStatus m11",
		],
	);
});

test("a test run is told after its command, with what failed; any other command is not", () => {
	const [failed, passed] = throughReader().filter((event) => event.type === "TestStatus");
	assert.deepEqual(failed, {
		session: "s",
		host: "plain",
		ts: Date.parse(AT),
		type: "TestStatus",
		entry: "m2/t1",
		cause: { message: "m2" },
		payload: {
			command: "pytest tests",
			status: "fail",
			failed: ["tests/test_sum.py::test_sum"],
			firstError: "AssertionError: assert 3 == 4",
		},
	});
	assert.deepEqual(passed?.payload, { command: "pytest", status: "pass", failed: [] });
});
