import assert from "node:assert/strict";
import { test } from "node:test";
import { PiTranslator } from "./pi/translate.ts";

const OUTPUT = `FAILED tests/test_sum.py::test_sum - assert 3 == 4
========================= 1 failed, 2 passed in 0.10s =========================

Command exited with code 1`;

function entry(id: string, message: object): [object, string, string] {
	const value = { type: "message", id, timestamp: "2026-03-01T10:00:00.000Z", message };
	return [value, JSON.stringify(value), id];
}

test("a test run is told beside its command, with what failed; any other command is not", () => {
	const translator = new PiTranslator({ type: "session", id: "s", version: 3, cwd: "/p" });
	const call = (id: string, command: string) => ({ type: "toolCall", id, name: "bash", arguments: { command } });
	translator.translate(
		...entry("a", { role: "assistant", content: [call("t", "cd x && pytest -q tests"), call("l", "ls")] }),
	);
	const result = (toolCallId: string, text: string, isError: boolean) =>
		({ role: "toolResult", toolCallId, toolName: "bash", content: [{ type: "text", text }], isError }) as const;
	const [ran, listed] = [entry("b", result("t", OUTPUT, true)), entry("c", result("l", "a\nb", false))].map((each) =>
		translator.translate(...each),
	);
	const status = ran!.find((event) => event.type === "TestStatus");
	assert.deepEqual(status?.payload, {
		command: "pytest tests",
		status: "fail",
		failed: ["tests/test_sum.py::test_sum"],
		firstError: "AssertionError: assert 3 == 4",
	});
	assert.deepEqual([status?.entry, status?.cause], ["b/t", { message: "b" }]);
	assert.ok(!listed!.some((event) => event.type === "TestStatus"));
});
