/** The user's own handlers: what their patches change of the prompt, the tools, the options and the messages is on the wire. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ModelAnswer } from "../rig/answer.ts";
import { runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { makePiWorkspace, type PiWorkspace } from "../rig/workspace.ts";
import { readLog } from "./log.ts";
import { headOf, marksOf, messagesOf, systemText, textIn } from "./wire.ts";

const HANDLER = `
export default function (weft) {
	weft.on("context", (event) => {
		const { system, tools } = event.state.envelope;
		if (event.reason === "ephemeral") {
			const messages = [{ role: "user", content: "Said for this request alone." }];
			return { patch: [{ op: "tail_set", scope: "uncached", messages }] };
		}
		if (event.reason !== "before_request" || system.parts.some(({ name }) => name === "policy")) return;
		const invalidateCacheReason = "the policy of the house";
		return {
			transformerName: "house",
			patch: [
				{ op: "system_part_set", scope: "cached", partName: "policy", text: "\\n\\nBe kind.", invalidateCacheReason },
				{ op: "tools_remove", scope: "cached", toolNames: ["write"], invalidateCacheReason },
				{ op: "options_set", scope: "cached", maxTokens: 1234, invalidateCacheReason },
			],
		};
	});
	weft.on("message", ({ message }) => {
		if (message.role !== "user") return;
		return { message: { ...message, content: [{ type: "text", text: "Changed by the handler." }] } };
	});
}
`;

function configure(workspace: PiWorkspace, text: string): void {
	const folder = join(workspace.userHome, ".config", "weft");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "handler.mjs"), text);
	writeFileSync(join(folder, "config.json"), JSON.stringify({ handlers: ["./handler.mjs"] }));
}

const SCRIPT: readonly ModelAnswer[] = [
	{ toolCalls: [{ id: "ls", name: "bash", args: { command: "ls" } }] },
	{ text: "done" },
	{ text: "again" },
];

test("patches of system, tools, options and messages reach the wire, last, and hold in a new process", async () => {
	using workspace = makePiWorkspace({ files: { "a.txt": "a\n" } });
	configure(workspace, HANDLER);
	const options = { workspace, extensions: [WEFT_EXTENSION] };
	const run = await runPi({ ...options, script: SCRIPT, prompts: ["Look."] });
	assert.deepEqual([run.stdout.trim(), run.stderr], ["done", ""]);
	const more = ["--session", run.sessionFile!];
	const resumed = await runPi({ ...options, script: SCRIPT.slice(2), prompts: ["Once more."], args: more });
	for (const request of [...run.requests, ...resumed.requests]) {
		assert.match(systemText(request), /\n\nBe kind\.$/);
		const tools = (request.json["tools"] as { name: string }[]).map(({ name }) => name);
		assert.deepEqual([tools.includes("write"), tools.includes("read")], [false, true]);
		assert.equal(request.json["max_tokens"], 1234);
		assert.deepEqual(marksOf(request), ["system", "tools", `messages.${messagesOf(request).length - 2}`]);
		assert.equal(textIn(messagesOf(request).at(-1)!.content), "Said for this request alone.");
		assert.equal(textIn(messagesOf(request)[0]!.content), "Changed by the handler.");
	}
	const [first, second] = run.requests.map((request) => messagesOf(request).slice(0, -1));
	assert.deepEqual(second!.slice(0, first!.length), first);
	assert.equal(headOf(run.requests[0]!), headOf(run.requests[1]!));
	const lasting = readLog(workspace, { types: ["Transform"] }).filter(
		({ payload }) => payload["reason"] !== "ephemeral",
	);
	assert.deepEqual(
		lasting.map(({ payload }) => payload["transformerName"]),
		["house"],
	);
	assert.deepEqual(readLog(workspace, { types: ["Fault"] }), []);
});

test("a handler that throws changes nothing, and its failure is in the log once", async () => {
	using workspace = makePiWorkspace({ files: { "a.txt": "a\n" } });
	configure(
		workspace,
		'export default (weft) => weft.on("context", () => { throw new Error("no handler of mine"); });',
	);
	const run = await runPi({ workspace, extensions: [WEFT_EXTENSION], script: SCRIPT, prompts: ["Look."] });
	assert.deepEqual([run.stdout.trim(), run.stderr], ["done", ""]);
	assert.equal(textIn(messagesOf(run.requests[0]!)[0]!.content), "Look.");
	const faults = readLog(workspace, { types: ["Fault"] }).map(({ payload }) => payload["message"]);
	assert.deepEqual(new Set(faults), new Set(["no handler of mine"]));
	assert.ok(faults.length <= 3, `${faults.length} faults`);
});
