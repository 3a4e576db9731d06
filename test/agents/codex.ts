/**
 * Codex 0.166: a rollout of lines, and a process for each hook, which answers by itself or passes the hook to the resident.
 * Codex reads with shell commands and edits with patches.
 */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { answerOnce, CodexLive } from "../../src/agent/codex/live.ts";
import { type ResidentAddress, residentAddress } from "../../src/agent/resident/address.ts";
import { askResident } from "../../src/agent/resident/client.ts";
import type { HookRequest } from "../../src/agent/resident/hook-request.ts";
import { serveResident } from "../../src/agent/resident/server.ts";
import type { JsonObject } from "../../src/base/json/read.ts";
import { answerHook } from "../../src/show/cli/commands/resident.ts";
import { type AgentDriver, type CallOutcome, patchOf, runTool, type ScriptedCall, type ToolRun } from "./driver.ts";
import type { AgentWorld } from "./world.ts";

/** A hook that answers by itself starts first, so it sees what a command did this much later, at least. */
const PROCESS_START_MS = 40;
/** From each end of an output that Codex cuts. */
const KEPT_CHARS = 20_000;
/** The weft that the hooks' processes run. */
const PROGRAM = realpathSync(import.meta.filename);
const THREAD = "019a0000-0000-7000-8000-000000000001";

type Fields = Readonly<Record<string, unknown>>;
interface HookAnswer {
	readonly decision?: string;
	readonly reason?: string;
	readonly systemMessage?: string;
	readonly hookSpecificOutput?: {
		readonly permissionDecision?: string;
		readonly permissionDecisionReason?: string;
		readonly additionalContext?: string;
	};
}

export class CodexDriver implements AgentDriver {
	readonly said: string[] = [];
	protected readonly world: AgentWorld;
	/** Between the end of a tool and the answer to its hook. */
	protected readonly startMs: number = PROCESS_START_MS;
	readonly #rollout: string;
	#lines = 0;
	#calls = 0;

	constructor(world: AgentWorld) {
		this.world = world;
		const folder = ".codex/sessions/2026/11/17";
		this.#rollout = join(world.root, folder, `rollout-2026-11-17T09-00-00-${THREAD}.jsonl`);
		mkdirSync(dirname(this.#rollout), { recursive: true });
	}

	async start(): Promise<void> {
		const meta = { id: THREAD, session_id: THREAD, cwd: this.world.project, cli_version: "0.166.0" };
		this.#line("session_meta", { ...meta, model_provider: "openai", base_instructions: { text: "You are Codex." } });
		this.#line("turn_context", { model: "first-model" });
	}

	async prompt(text: string): Promise<string> {
		this.#event({ type: "task_started" });
		const answer = await this.#hook("UserPromptSubmit", { prompt: text });
		this.#item({
			type: "message",
			role: "user",
			content: [{ type: "input_text", text }],
			internal_chat_message_metadata_passthrough: { content_item_kinds: ["user.text"] },
		});
		return answer.hookSpecificOutput?.additionalContext ?? "";
	}

	async call(call: ScriptedCall): Promise<CallOutcome> {
		const call_id = `call_${++this.#calls}`;
		const command = commandOf(call);
		const isPatch = call.tool === "edit" || call.tool === "write";
		if (isPatch) this.#item({ type: "custom_tool_call", name: "apply_patch", call_id, input: command });
		else
			this.#item({ type: "function_call", name: "exec_command", call_id, arguments: JSON.stringify({ cmd: command }) });
		this.#answered();
		const of = { tool_name: isPatch ? "apply_patch" : "Bash", tool_input: { command }, tool_use_id: call_id };
		const type = isPatch ? "custom_tool_call_output" : "function_call_output";
		const before = await this.#hook("PreToolUse", of);
		const { permissionDecision, permissionDecisionReason: refusal } = before.hookSpecificOutput ?? {};
		if (permissionDecision === "deny") {
			const output = `Command blocked by PreToolUse hook: ${refusal}. Command: ${command}`;
			this.#item({ type, call_id, output });
			return { refusal: refusal ?? "", output: "", beside: "" };
		}
		const run = runTool(this.world, call);
		const told = isPatch && !run.isError ? "Success. Updated the following files:\nM file\n" : outputOf(call, run);
		await pause(this.startMs);
		const after = await this.#hook("PostToolUse", { ...of, tool_response: told });
		this.#event({ type: "item_completed", item: this.#itemOf(call, call_id, run) });
		const shown = after.decision === "block" ? (after.reason ?? "") : undefined;
		const frame = isPatch
			? `Exit code: ${run.isError ? 1 : 0}\nOutput:\n`
			: `Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code ${run.exit ?? 0}\nOutput:\n`;
		this.#item({ type, call_id, output: shown ?? `${frame}${told}` });
		return { output: shown ?? told, beside: after.hookSpecificOutput?.additionalContext ?? "" };
	}

	async answer(text: string): Promise<void> {
		this.#item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
		this.#answered();
		this.#event({ type: "task_complete", last_agent_message: text });
		await this.#hook("Stop", { last_assistant_message: text });
	}

	async switchModel(model: string): Promise<void> {
		this.#line("turn_context", { model });
	}

	async abort(text: string): Promise<void> {
		this.#item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
		this.#item({
			type: "message",
			role: "user",
			content: [{ type: "input_text", text: "<turn_aborted>The user interrupted the turn.</turn_aborted>" }],
		});
		this.#event({ type: "turn_aborted", reason: "interrupted" });
	}

	async compact(): Promise<string> {
		await this.#hook("PreCompact", { trigger: "manual" });
		const message = "The work so far.";
		const content = [{ type: "input_text", text: `Another language model started to solve this problem: ${message}` }];
		this.#line("compacted", { message, replacement_history: [{ type: "message", role: "user", content }] });
		return "";
	}

	async resume(): Promise<void> {
		await this.#hook("SessionEnd", {});
		this.#line("turn_context", { model: "second-model" });
	}

	async end(): Promise<void> {
		await this.#hook("SessionEnd", {});
	}

	/** A process of its own, as `weft hook codex` is where no resident runs. */
	protected async answerHook(event: JsonObject): Promise<HookAnswer> {
		const { project: folder, env } = this.world;
		return (await answerOnce(event, { env, home: undefined, folder })) ?? {};
	}

	async #hook(hook_event_name: string, fields: Fields): Promise<HookAnswer> {
		const { project: cwd } = this.world;
		const event = { session_id: THREAD, transcript_path: this.#rollout, cwd, hook_event_name, ...fields };
		const answer = await this.answerHook(event);
		if (answer.systemMessage !== undefined) this.said.push(answer.systemMessage);
		return answer;
	}

	#itemOf(call: ScriptedCall, id: string, run: ToolRun): Fields {
		if (call.tool === "shell" || call.tool === "read") {
			const parsed =
				call.tool === "read" ? { type: "read", cmd: commandOf(call), path: call.path } : { type: "unknown" };
			const cwd = `file://${this.world.project}`;
			return { type: "CommandExecution", id, exit_code: run.exit ?? 0, cwd, parsed_cmd: [parsed] };
		}
		const path = resolve(this.world.project, call.path);
		const isAdded = call.tool === "write" || !run.text;
		const change = isAdded
			? { type: "add", content: run.text?.after ?? "" }
			: { type: "update", unified_diff: patchOf(call.path, run.text) };
		return { type: "FileChange", id, status: run.isError ? "failed" : "completed", changes: { [path]: change } };
	}

	#answered(): void {
		const usage = { input_tokens: 100, cached_input_tokens: 0, output_tokens: 10 };
		this.#line("token_usage_record", { response_id: `resp_${this.#lines}`, usage });
	}

	#item(payload: Fields): void {
		this.#line("response_item", { ...payload, id: `item_${this.#lines}` });
	}

	#event(payload: Fields): void {
		this.#line("event_msg", payload);
	}

	#line(type: string, payload: Fields): void {
		const line = { timestamp: new Date().toISOString(), ordinal: this.#lines++, type, payload };
		appendFileSync(this.#rollout, `${JSON.stringify(line)}\n`);
	}
}

/** Every hook goes through the socket of a resident. */
export class CodexResidentDriver extends CodexDriver {
	protected override readonly startMs = 0;
	readonly #stopped = new AbortController();
	#serving: Promise<unknown> | undefined;

	async close(): Promise<void> {
		this.#stopped.abort();
		await this.#serving;
	}

	protected override async answerHook(event: JsonObject): Promise<HookAnswer> {
		const { project: root, home, env } = this.world;
		const address = residentAddress(home, root);
		assert.ok(address);
		this.#serving ??= this.#serve(address);
		const request = { args: [PROGRAM, "hook", "codex"], env, input: Buffer.from(JSON.stringify(event)) };
		for (;;) {
			const reply = await askResident(address, request);
			assert.notEqual(reply.kind, "refused");
			if (reply.kind === "answered") return JSON.parse(reply.text.toString("utf8") || "{}");
			await pause(5);
		}
	}

	async #serve(address: ResidentAddress): Promise<void> {
		const { project: root, home } = this.world;
		mkdirSync(address.folder, { mode: 0o700, recursive: true });
		const live = new CodexLive({ stays: true });
		const served = { home, root, program: PROGRAM };
		const answer = (request: HookRequest) => answerHook(live, request, served);
		const { signal } = this.#stopped;
		assert.ok(await serveResident({ address, answer, isCurrent: () => true, idleMs: 3_600_000, signal }));
		live.close();
	}
}

/** Codex cuts the middle out of an output, and keeps the whole nowhere. */
function outputOf(call: ScriptedCall, { output }: ToolRun): string {
	if (call.tool !== "shell" || call.cut === undefined) return output;
	const kept = `${output.slice(0, KEPT_CHARS)}…60000 tokens truncated…${output.slice(-KEPT_CHARS)}`;
	return `Warning: truncated output (original token count: 80000)\nTotal output lines: 10001\n\n${kept}`;
}

function commandOf(call: ScriptedCall): string {
	if (call.tool === "shell") return call.command;
	if (call.tool === "read") return `cat ${call.path}`;
	const lines = (text: string, mark: string) =>
		text
			.replace(/\n$/, "")
			.split("\n")
			.map((line) => `${mark}${line}`);
	const change =
		call.tool === "write"
			? [`*** Add File: ${call.path}`, ...lines(call.text, "+")]
			: [`*** Update File: ${call.path}`, "@@", ...lines(call.before, "-"), ...lines(call.after, "+")];
	return ["*** Begin Patch", ...change, "*** End Patch"].join("\n");
}
