/** The user's own handlers: what their patches change of the prompt, the tools, the options and the messages is on the wire. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { openEngine } from "../../src/engine.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import type { ModelAnswer, ModelRequest } from "../rig/answer.ts";
import { runPi, WEFT_EXTENSION } from "../rig/pi.ts";
import { startPiRpc } from "../rig/pi-rpc.ts";
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

function configure(workspace: PiWorkspace, text: string, name = "handler.mjs"): void {
	const folder = join(workspace.userHome, ".config", "weft");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, name), text);
	writeFileSync(join(folder, "config.json"), JSON.stringify({ handlers: [`./${name}`] }));
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

/** The three examples of the context-engineering document, and what else a patch may ask for. */
const DOCUMENTED = `
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

let asked = 0;

export default function (pi: HookAPI) {
	pi.on("context", async (event) => {
		if (event.reason !== "before_request") return;
		if (!(event.state.envelope.meta.signal instanceof AbortSignal)) throw new Error("no signal");
		const note = { role: "user", content: "[note " + ++asked + "]", timestamp: Date.now() };
		return {
			transformerName: "note",
			patch: [
				{
					op: "messages_cached_replace",
					scope: "cached",
					messages: [...event.state.envelope.messages.cached, note],
					invalidateCacheReason: "one more note",
				},
			],
		};
	});
	pi.on("context", async (event) => {
		if (event.reason !== "ephemeral") return;
		const once = { role: "user", content: "[only now]", timestamp: Date.now() };
		return { patch: [{ op: "messages_uncached_append", scope: "uncached", messages: [once] }] };
	});
	pi.on("context", async (event) => {
		if (event.reason !== "turn_end") return;
		const text = "\\n\\n# House\\n\\nKeep keys to yourself.";
		const invalidateCacheReason = "the rules of the house";
		return {
			transformerName: "house-rules",
			patch: [{ op: "system_part_set", scope: "cached", partName: "house", text, invalidateCacheReason }],
		};
	});
	pi.on("context", async (event) => {
		if (event.reason !== "before_request") return;
		const { tools } = event.state.envelope;
		if (tools.length === 2) return;
		const invalidateCacheReason = "fewer tools";
		const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
		const bash = tools.find(({ name }) => name === "bash");
		const read = { name: "read", description: "Reads one file.", parameters };
		return {
			transformerName: "narrow",
			patch: [
				{ op: "tools_replace", scope: "cached", tools: [read, bash], invalidateCacheReason },
				{ op: "options_set", scope: "cached", reasoning: "low", invalidateCacheReason },
			],
		};
	});
}
`;

for (const api of ["anthropic-messages", "openai-completions"] as const) {
	test(`the document's examples are on the wire and in the session file: ${api}`, async () => {
		using workspace = makePiWorkspace({ files: { "a.txt": "a\n" } });
		configure(workspace, DOCUMENTED, "handler.ts");
		const args = ["--thinking", "high"];
		const options = { workspace, extensions: [WEFT_EXTENSION], api, args };
		const run = await runPi({ ...options, script: SCRIPT, prompts: ["Look.", "Again?"] });
		assert.deepEqual([run.stdout.trim(), run.stderr], ["again", ""]);
		assert.deepEqual(readLog(workspace, { types: ["Fault"] }), []);
		const more = [...args, "--session", run.sessionFile!];
		const resumed = await runPi({ ...options, args: more, script: SCRIPT.slice(2), prompts: ["Once more."] });
		const requests = [...run.requests, ...resumed.requests];
		assert.equal(requests.length, 4);
		for (const [at, request] of requests.entries()) {
			const said = spoken(request);
			assert.equal(said.at(-1), "[only now]");
			assert.match(said.at(-2)!, /^\[note \d+\]$/);
			assert.equal(said.filter((text) => text.startsWith("[note ")).length, at + 1, `request ${at}`);
			assert.equal(said.filter((text) => text === "[only now]").length, 1);
			assert.equal(/# House\n\nKeep keys to yourself\.$/.test(promptOf(request)), at > 0, `request ${at}`);
			assert.deepEqual(toolsOf(request), [
				{ name: "read", description: "Reads one file.", required: ["path"] },
				{ name: "bash", required: ["command"] },
			]);
			const thinking = request.json["thinking"] as { budget_tokens: number } | undefined;
			assert.deepEqual(
				api === "anthropic-messages" ? thinking?.budget_tokens : request.json["reasoning_effort"],
				api === "anthropic-messages" ? 2048 : "low",
			);
		}
		const lasting = (events: readonly EventRecord[]) =>
			events
				.filter(({ payload }) => payload["reason"] !== "ephemeral")
				.map(({ entry, payload }) => [entry, payload] as const);
		assert.deepEqual(
			lasting(await importedLog(workspace, run.sessionFile!, ["Transform"])),
			lasting(readLog(workspace, { types: ["Transform"] })),
		);
		const entries = readFileSync(run.sessionFile!, "utf8")
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line) as { type: string; customType?: string; data?: Record<string, unknown> })
			.filter(({ type }) => type === "custom");
		const named = (type: string) => entries.filter(({ customType }) => customType === type).map(({ data }) => data!);
		assert.deepEqual(
			named("context_transform").map(({ transformerName }) => transformerName),
			["note", "narrow", "house-rules", "note", "note", "note"],
		);
		assert.deepEqual(
			named("ephemeral").map(({ messages }) => (messages as { content: string }[]).map(({ content }) => content)),
			requests.map(() => ["[only now]"]),
		);
	});
}

/** What a log has of a session that is imported from its file alone. */
async function importedLog({ project, userHome }: PiWorkspace, file: string, types: string[]): Promise<EventRecord[]> {
	const engine = openEngine({ cwd: project, host: "test", home: join(userHome, "imported"), env: {} });
	try {
		await importFile(file, { readers: READERS, logFor: () => engine.log });
		return [...engine.log.read({ types })];
	} finally {
		engine.close();
	}
}

/** Texts of the user's role, in either format; results of tools are not words. */
function spoken({ json }: ModelRequest): string[] {
	const messages = json["messages"] as readonly { role: string; content: unknown }[];
	return messages.flatMap(({ role, content }) => {
		if (role !== "user") return [];
		if (typeof content === "string") return [content];
		return (content as { type: string; text?: string }[]).flatMap(({ type, text }) => (type === "text" ? [text!] : []));
	});
}

function promptOf(request: ModelRequest): string {
	if (request.json["system"] !== undefined) return systemText(request);
	const [first] = request.json["messages"] as readonly { content: unknown }[];
	return textIn(first!.content);
}

function toolsOf({ json }: ModelRequest): object[] {
	return (json["tools"] as Record<string, unknown>[]).map((tool) => {
		const fields = (tool["function"] ?? tool) as Record<string, unknown>;
		const schema = (fields["parameters"] ?? fields["input_schema"]) as { required?: unknown };
		const { name, description } = fields;
		return { name, ...(name === "read" ? { description } : {}), required: schema.required };
	});
}

test("a mistake of a handler stops the transforms of that request and is told once, by name", async () => {
	using workspace = makePiWorkspace({ files: { "a.txt": "a\n" } });
	configure(
		workspace,
		`export default (weft) => {
			weft.on("context", (event) => {
				if (event.reason !== "before_request") return;
				const messages = [...event.state.envelope.messages.cached, { role: "user", content: "[kept]" }];
				return { patch: [{ op: "messages_cached_replace", scope: "cached", messages }] };
			});
			weft.on("context", (event) => {
				if (event.reason !== "ephemeral") return;
				return { patch: [{ op: "tools_remove", scope: "cached", toolNames: ["bash"] }] };
			});
			weft.on("message", () => { throw new Error("cannot read it"); });
		};`,
	);
	const run = await runPi({ workspace, extensions: [WEFT_EXTENSION], script: SCRIPT, prompts: ["Look."] });
	assert.equal(run.stdout.trim(), "done");
	assert.deepEqual(run.stderr.trimEnd().split("\n").sort(), [
		'weft: the handler handler.mjs failed (ephemeral): Context patch op "tools_remove" modifies cached content but did not provide invalidateCacheReason. The request goes out without the changes of handlers.',
		"weft: the handler handler.mjs failed (message): cannot read it. The message stays as it was.",
	]);
	for (const request of run.requests) assert.ok(!spoken(request).includes("[kept]"));
	assert.deepEqual(readLog(workspace, { types: ["Transform"] }), []);
	assert.equal(readLog(workspace, { types: ["Fault"] }).length, 2);
});

test("a handler that throws changes nothing, and its failure is in the log once", async () => {
	using workspace = makePiWorkspace({ files: { "a.txt": "a\n" } });
	configure(
		workspace,
		'export default (weft) => weft.on("context", () => { throw new Error("no handler of mine"); });',
	);
	const run = await runPi({ workspace, extensions: [WEFT_EXTENSION], script: SCRIPT, prompts: ["Look."] });
	assert.equal(run.stdout.trim(), "done");
	assert.deepEqual(run.stderr.match(/handler\.mjs failed \(\w+\): no handler of mine/g), [
		"handler.mjs failed (before_request): no handler of mine",
		"handler.mjs failed (turn_end): no handler of mine",
	]);
	assert.equal(textIn(messagesOf(run.requests[0]!)[0]!.content), "Look.");
	const faults = readLog(workspace, { types: ["Fault"] }).map(({ payload }) => payload["message"]);
	assert.deepEqual(new Set(faults), new Set(["no handler of mine"]));
	assert.ok(faults.length <= 3, `${faults.length} faults`);
});

test("a request that a redacting handler could not change does not leave", async () => {
	using workspace = makePiWorkspace({ files: { "a.txt": "a\n" } });
	configure(
		workspace,
		`export default (weft) => {
			weft.on("context", ({ reason }) => { if (reason === "before_request") throw new Error("no rules"); }, { redacts: true });
		};`,
	);
	const run = await runPi({ workspace, extensions: [WEFT_EXTENSION], script: SCRIPT, prompts: ["My secret is 4711."] });
	assert.match(run.stderr, /handler handler\.mjs failed \(before_request\): no rules\. The request was not sent\./);
	for (const request of run.requests) assert.doesNotMatch(JSON.stringify(request.json), /4711/);
	const [fault] = readLog(workspace, { types: ["Fault"] });
	assert.equal(fault?.payload["message"], "no rules");
});

test("what a handler replaced stays replaced after a seal that keeps only some of it", async () => {
	const files = Object.fromEntries(
		[..."abcdef"].map((name) => [`${name}.txt`, `secret-${name} ${"words ".repeat(900)}\n`]),
	);
	using workspace = makePiWorkspace({ files, piSettings: { compaction: { keepRecentTokens: 30 } } });
	configure(
		workspace,
		`let isDone = false;
		export default (weft) => weft.on("context", ({ reason, state }) => {
			const results = state.envelope.messages.cached.filter(({ role }) => role === "toolResult");
			if (reason !== "before_request" || isDone || results.length < 6) return;
			isDone = true;
			const content = [{ type: "text", text: "(replaced)" }];
			const replaced = (message) =>
				({ op: "item_replace", scope: "cached", id: message.id, message: { ...message, content }, invalidateCacheReason: "r" });
			return { patch: results.map(replaced) };
		});`,
	);
	const reads = [..."abcdef"].map((name) => ({
		toolCalls: [{ id: `r_${name}`, name: "read", args: { path: `${name}.txt` } }],
	}));
	const answers: readonly ModelAnswer[] = reads.flatMap((call) => [call, { text: "Read." }]);
	const script = (_request: ModelRequest, index: number): ModelAnswer => answers[index] ?? { text: "Yes." };
	await using rpc = await startPiRpc({
		workspace,
		script,
		extensions: [WEFT_EXTENSION],
		env: { WEFT_PROFILE: "full" },
	});
	for (const _ of reads) await rpc.prompt("Next.");
	await rpc.command("compact");
	await rpc.prompt("Go on.");
	const last = JSON.stringify(
		messagesOf(rpc.requests.at(-1)!).filter(({ content }) => JSON.stringify(content).includes("tool_result")),
	);
	assert.equal(readLog(workspace, { types: ["Seal"] }).length, 1);
	assert.match(last, /\(replaced\)/);
	assert.doesNotMatch(last, /secret-/);
	assert.deepEqual(readLog(workspace, { types: ["Fault"] }), []);
});

test("nor does it leave if the handler cannot be loaded, or throws something without a text", async () => {
	const start =
		'export default (weft) => { weft.on("context", () => { throw Object.create(null); }, { redacts: true });';
	for (const text of [`${start} };`, `${start} throw new Error("no network"); };`]) {
		using workspace = makePiWorkspace({ files: { "a.txt": "a\n" } });
		configure(workspace, text);
		const prompts = ["My secret is 4711."];
		const run = await runPi({ workspace, extensions: [WEFT_EXTENSION], script: SCRIPT, prompts });
		assert.match(run.stderr, /The request was not sent\./);
		for (const request of run.requests) assert.doesNotMatch(JSON.stringify(request.json), /4711/);
	}
});

test("a tool that a handler removed is refused if the model calls it anyway", async () => {
	using workspace = makePiWorkspace({ files: { "a.txt": "a\n" } });
	configure(workspace, HANDLER);
	const write = { id: "w", name: "write", args: { path: "b.txt", content: "b" } };
	const script = [{ toolCalls: [write] }, { text: "done" }];
	const run = await runPi({ workspace, extensions: [WEFT_EXTENSION], script, prompts: ["Write it."] });
	assert.equal(run.stdout.trim(), "done");
	const answered = JSON.stringify(run.requests[1]?.json);
	assert.match(answered, /The tool write is not available: a handler removed it\. It was not run\./);
	assert.equal(existsSync(join(workspace.project, "b.txt")), false);
});
