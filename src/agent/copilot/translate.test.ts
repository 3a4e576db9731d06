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
