/** The note that the session's own model leaves itself at a seal, in the real Pi, on the wire. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { WEFT_EXTENSION } from "../rig/pi.ts";
import { startPiRpc } from "../rig/pi-rpc.ts";
import { makePiWorkspace } from "../rig/workspace.ts";
import { readLog } from "./log.ts";

const NOTE = "The weir gate sticks at 40 cm because of silt, not because of the motor.";
const isNote = ({ body }: ModelRequest) => body.includes("Write a note to yourself");
const messagesOf = ({ json }: ModelRequest) =>
	json["messages"] as readonly { readonly role: string; readonly content: unknown }[];
/** Without the marks for the cache, which move. */
const bare = (value: unknown) => JSON.stringify(value, (key, each) => (key === "cache_control" ? undefined : each));

test("with the user's leave the session's model writes a note before the messages leave, from its cached context", async () => {
	using workspace = makePiWorkspace({
		files: { "log.txt": Array.from({ length: 4_000 }, (_, n) => `${n} silt at the weir gate\n`).join("") },
	});
	let calls = 0;
	const script = (request: ModelRequest): ModelAnswer => {
		if (isNote(request)) return { text: NOTE, usage: { input: 40, output: 30, cacheRead: 20_000 } };
		if (!("tools" in request.json)) return { text: "no" };
		const last = messagesOf(request).at(-1);
		if (JSON.stringify(last?.content).includes("tool_result")) return { text: "Read." };
		return {
			toolCalls: [{ id: `c${++calls}`, name: "read", args: { path: "log.txt", offset: calls * 300, limit: 290 } }],
		};
	};
	const env = { WEFT_MEMORY_MODELS: "session", WEFT_MAX_READ_LINES: "500" };
	await using rpc = await startPiRpc({ workspace, script, extensions: [WEFT_EXTENSION], env, contextWindow: 32_000 });
	for (let n = 0; n < 14 && !rpc.requests.some(isNote); n++) await rpc.prompt(`Look at part ${n} of the log.`);
	const at = rpc.requests.findIndex(isNote);
	assert.ok(at > 0, "a seal was due");
	const note = rpc.requests[at]!;
	const before = rpc.requests.slice(0, at).findLast(({ json }) => "tools" in json)!;
	const [sent, asked] = [messagesOf(before), messagesOf(note)];
	assert.equal(bare(asked.slice(0, sent.length)), bare(sent), "the messages as they were sent");
	assert.equal(bare([note.json["system"], note.json["tools"]]), bare([before.json["system"], before.json["tools"]]));
	assert.equal(asked.at(-1)?.role, "user");

	await rpc.prompt("Go on.");
	const next = rpc.requests.findLast((request) => "tools" in request.json && !isNote(request))!;
	assert.ok(readLog(workspace, { types: ["Seal"] }).length > 0);
	assert.match(
		next.body,
		/## Note of scripted\/anthropic-messages at this point \(not checked, e-\w+\)\\n- The weir gate sticks/,
	);
	const [ops] = readLog(workspace, { types: ["ThreadOps"] });
	assert.deepEqual([ops?.payload["note"], ops?.payload["by"]], [NOTE, "scripted/anthropic-messages"]);
	const job = readLog(workspace, { types: ["Job"] }).find(({ payload }) => payload["job"] === "seal-note");
	assert.equal(job?.payload["outcome"], "done");
	assert.equal(readLog(workspace, { types: ["Fault"] }).length, 0);
});

test("without the user's leave no note is asked for, and a note that is an excuse is left out", async () => {
	for (const choice of ["none", "session"]) {
		using workspace = makePiWorkspace({
			files: { "log.txt": "silt\n" },
			piSettings: { compaction: { keepRecentTokens: 30 } },
		});
		const script = (request: ModelRequest): ModelAnswer =>
			isNote(request) ? { text: "I'm sorry, I cannot do that." } : { text: `Answer. ${"words ".repeat(300)}` };
		const env = { WEFT_MEMORY_MODELS: choice };
		await using rpc = await startPiRpc({ workspace, script, extensions: [WEFT_EXTENSION], env });
		for (let n = 0; n < 6; n++) await rpc.prompt(`Say ${n}.`);
		await rpc.command("compact");
		await rpc.prompt("Go on.");
		assert.equal(rpc.requests.some(isNote), choice === "session");
		assert.equal(readLog(workspace, { types: ["Seal"] }).length, 1);
		assert.ok(!rpc.requests.at(-1)!.body.includes("Note of scripted"));
		assert.deepEqual(
			readLog(workspace, { types: ["ThreadOps"] }).filter(({ payload }) => "note" in payload),
			[],
		);
	}
});
