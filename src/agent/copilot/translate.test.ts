import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json/read.ts";
import { CopilotTranslator } from "./translate.ts";

test("a truncation keeps what is left, never a result without its call, and counts on from there", () => {
	const translator = new CopilotTranslator("s1");
	let n = 0;
	const take = (type: string, data: JsonObject = {}) => {
		const event = { type, data, id: `e${++n}`, timestamp: new Date(n).toISOString() };
		return translator.translate(event, JSON.stringify(event));
	};
	const truncate = (messagesRemovedDuringTruncation: number) =>
		take("session.truncation", { messagesRemovedDuringTruncation }).flatMap(({ payload, raw }) =>
			(payload as JsonObject)["kind"] === "compaction" ? [(JSON.parse(raw!) as JsonObject)["firstKeptEntryId"]] : [],
		);
	const said = (content: string) => take("user.message", { content });
	const called = () =>
		take("assistant.message", { toolRequests: [{ toolCallId: `c${n}`, name: "bash", arguments: {} }] });
	const answered = () => take("tool.execution_complete", { toolCallId: `c${n - 1}`, success: true });
	said("first"); // e1
	called(); // e2
	answered(); // e3
	said("second"); // e4
	assert.deepEqual(truncate(2), ["e4"]); // e5
	said("third"); // e6
	assert.deepEqual(truncate(1), ["e6"]); // e7
	// More than there are.
	assert.deepEqual(truncate(9), [undefined]); // e8
	said("fourth"); // e9
	said("fifth"); // e10
	assert.deepEqual(truncate(1), ["e10"]);
});

test("a command's exit is known from the line after its output, where the entry has no other", () => {
	const translator = new CopilotTranslator("s1");
	let n = 0;
	const take = (type: string, data: JsonObject) => {
		const event = { type, data, id: `e${++n}`, timestamp: new Date(n).toISOString() };
		return translator.translate(event, JSON.stringify(event));
	};
	const exitOf = (data: JsonObject) => {
		const request = { toolCallId: `c${n}`, name: "bash", arguments: { command: "npm test" } };
		take("assistant.message", { toolRequests: [request] });
		const events = take("tool.execution_complete", { toolCallId: request.toolCallId, success: true, ...data });
		return /"exit":(\d+|null)/.exec(JSON.stringify(events))?.[1];
	};
	assert.equal(exitOf({ result: { content: "1 failed\n<shellId: 3 completed with exit code 2>" } }), "2");
	assert.equal(exitOf({ result: { content: "<shellId: 4 completed with exit code 0>" } }), "0");
	assert.equal(exitOf({ result: { content: "still running" } }), "null");
	const told = { result: { content: "done" }, shellExecution: { exitCode: 1 } };
	assert.equal(exitOf(told), "1");
});
