import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Value } from "typebox/value";
import { foreignEvent, recordOf } from "../../test/rig/events.ts";
import { EVENT_SCHEMAS } from "../log/event/schema.ts";
import type { AnyPayload } from "../log/event/types.ts";
import { gist } from "./event-gist.ts";

const record = (type: string, payload: AnyPayload) => recordOf(foreignEvent(type, payload));

function message(message: object): AnyPayload {
	return { role: "x", form: "pi", raw: { type: "message", id: "a", parentId: null, timestamp: "", message } };
}

test("says in one line what each kind of event was", () => {
	const events: [string, AnyPayload][] = [
		["SessionStarted", { cwd: "/home/dev/app", parentSession: "old" }],
		["SessionStarted", { cwd: "/home/dev/app", tools: ["read", "bash"] }],
		["UserIntent", { text: "fix the\n  parser" }],
		["ToolCalled", { tool: "read", callId: "c", input: { path: "src/a.ts", limit: 5 } }],
		["ToolCalled", { tool: "mystery", callId: "c", input: { depth: 3 } }],
		["ToolResult", { tool: "read", callId: "c", status: "ok", chars: 9, lines: 1 }],
		["FileRead", { path: "src/a.ts", from: 1, to: null, sliceHash: "" }],
		["FileChanged", { path: "src/a.ts", kind: "edit", added: 2, removed: null, actor: "shell" }],
		[
			"FileChanged",
			{ path: "a.py", kind: "edit", added: 1, removed: 0, actor: "agent", diff: "@@ -1 +1,2 @@\n+def b():" },
		],
		["CommandRun", { command: "npm test", exit: 1, lines: 12, chars: 99, by: "agent" }],
		["CommandRun", { command: "sleep 1", exit: null, lines: 0, chars: 0, by: "user" }],
		["TestStatus", { command: "npm test", status: "fail", failed: ["a", "b"] }],
		["Decision", { text: "use WAL" }],
		["RepoMap", { head: "0123456789abcdef", files: 1200, folders: [], extensions: [] }],
		["Custom", { name: "deploy", data: { to: "staging" } }],
		[
			"Message",
			message({
				role: "user",
				content: [
					{ type: "text", text: "see" },
					{ type: "image", data: "", mimeType: "image/png" },
				],
			}),
		],
		["Entry", { kind: "model_change", raw: { type: "model_change", provider: "p", modelId: "m-1" } }],
		["Fault", { where: "turn_end", code: "locked", message: "busy" }],
		["Pruned", { count: 1500, first: 1, last: 2000, archive: "a.jsonl" }],
		["Seal", { why: "regret", left: 40, tokensBefore: 52_000, tokensAfter: 15_000 }],
		[
			"Request",
			{
				model: "anthropic/claude",
				mode: "woven",
				segments: [
					{ name: "system", tokens: 2_000 },
					{ name: "tail", tokens: 500 },
				],
				kept: 8,
				items: [{ id: "a" }, { id: "b" }],
				reasons: ["mode warp"],
				difference: { segment: "seed", byte: 4_000, tokens: 900 },
			},
		],
		["Request", { segments: [], kept: 0, items: [{ id: "a" }], reasons: [], difference: null }],
		[
			"Verdict",
			{ verdict: "block", rule: "read-first", mode: "report", reason: "Read it first.", tool: "edit", path: "a.ts" },
		],
		["Verdict", { verdict: "refresh", rule: "unchanged", mode: "enforce", reason: "", tool: "read", path: "a.ts" }],
		[
			"Transform",
			{ reason: "before_request", transformerName: "tidy", patch: [{ op: "items_drop" }, { op: "tail_set" }] },
		],
		[
			"Transform",
			{ reason: "turn_end", transformerName: "tidy", patch: [], display: { title: "Old logs out", summary: "3 of 9" } },
		],
		["Summary", { node: "s-1a", depth: 1, model: "deterministic", topic: "the parser" }],
		["Subagent", { child: "s2", task: "look around" }],
		[
			"MemoryWrite",
			{ file: "memory", revision: 3, why: "command", ops: [{ op: "add", text: "tests run with npm test" }] },
		],
		["Job", { job: "consolidate", outcome: "done", model: "a/b" }],
		["FromTheFuture", { any: [1], other: 2 }],
	];
	assert.deepEqual(
		events.map(([type, payload]) => gist(record(type, payload))),
		[
			"in /home/dev/app, forked from old",
			"in /home/dev/app, with read, bash",
			"fix the parser",
			"read src/a.ts",
			"mystery",
			"read: ok, 1 line",
			"src/a.ts:1-",
			"src/a.ts: edit +2 -?, by the shell",
			"a.py: edit +1 -0, adds b",
			"npm test → exit 1, 12 lines",
			"sleep 1 → exit unknown, 0 lines",
			"fail: npm test, 2 failed",
			"use WAL",
			"1,200 files at 0123456789",
			"deploy: to: staging",
			"user: see [image]",
			"model_change: p m-1",
			"turn_end failed (locked): busy",
			"1,500 events, 1 to 2,000, to a.jsonl",
			"regret: 40 messages left the context, 52,000 → 15,000 tokens",
			"10 messages (2 new), about 2,500 tokens, to anthropic/claude, mode woven; 900 tokens written again, from the seed on (mode warp)",
			"1 message (1 new), about 0 tokens",
			"blocked edit a.ts (read-first, only reported): Read it first.",
			"a.ts counts as seen (unchanged)",
			"tidy (before request): drops messages, sets the messages for one request",
			"tidy (turn end): Old logs out: 3 of 9",
			"s-1a (D1, by deterministic): the parser",
			"s2: look around",
			"MEMORY.md, revision 3 (command): 1 new; tests run with npm test",
			"consolidate: done, by a/b",
			"unknown to this version of weft; it holds any, other",
		],
	);
});

test("every event type that this version knows has a line of its own, in words", () => {
	for (const [type, schema] of Object.entries(EVENT_SCHEMAS)) {
		const line = gist(record(type, Value.Create(schema) as AnyPayload));
		assert.doesNotMatch(line, /^unknown to this version/, `${type} has no line in gist.ts`);
		assert.doesNotMatch(line, /[{}[\]]|":/, `${type} is told as JSON: ${line}`);
	}
});

test("never throws, and stays a bounded line, whatever a payload holds", () => {
	const types = [...Object.keys(EVENT_SCHEMAS), "Other", "constructor"];
	fc.assert(
		fc.property(fc.constantFrom(...types), fc.dictionary(fc.string(), fc.jsonValue()), (type, payload) => {
			const line = gist(record(type, payload as AnyPayload));
			assert.ok(line.length <= 400 && !line.includes("\n"));
		}),
	);
	assert.ok(gist(record("UserIntent", { text: "x".repeat(1e6) })).length <= 400);
});
