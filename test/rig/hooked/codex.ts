/** Codex by its hooks and its rollout file. It reads by commands and changes files by patches of whole lines. */
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CodexLive } from "../../../src/agent/codex/live.ts";
import { asObject, asText, type JsonObject } from "../../../src/base/json/read.ts";
import { type Engine, openEngine } from "../../../src/engine.ts";
import {
	type AgentTrait,
	editsOf,
	HookedAgent,
	type HookedPlace,
	type OwnCall,
	type OwnOutput,
	type OwnVerdict,
	shell,
	type ToolCall,
} from "../hooked-agent.ts";
import { applyPatch, type PatchedFile } from "./apply-patch.ts";

const PROCESS_MS = 30;

/** `stays` false: a process for each hook, without a resident. */
export class HookedCodex extends HookedAgent {
	readonly traits: ReadonlySet<AgentTrait>;
	readonly session = `019a0000-0000-7000-8000-${String(this.number).padStart(12, "0")}`;
	readonly #stays: boolean;
	readonly #transcript: string;
	#live: CodexLive;
	#engine: Engine | undefined;
	/** Text of the hook before a call, which the model gets beside the result. */
	readonly #beside = new Map<string, string>();

	constructor(place: HookedPlace, cwd: string, { stays = true } = {}) {
		super(place, cwd);
		this.#stays = stays;
		this.traits = new Set(stays ? ["shows failed edits", "remembers texts"] : ["shows failed edits"]);
		this.#live = new CodexLive({ stays });
		this.#transcript = join(place.own, `sessions/rollout-2026-01-01T00-00-00-${this.session}.jsonl`);
		mkdirSync(dirname(this.#transcript), { recursive: true });
		this.#line("session_meta", { id: this.session, cwd, cli_version: "0.166.0" });
	}

	/** Beside the one that the hooks open. */
	get engine(): Engine {
		const { home, env } = this.place;
		this.#engine ??= openEngine({ cwd: this.cwd, home, host: "codex", env });
		return this.#engine;
	}

	async another(): Promise<HookedAgent> {
		return new HookedCodex(this.place, this.cwd, { stays: this.#stays });
	}

	async restart(): Promise<void> {
		this.#live.close();
		this.#live = new CodexLive({ stays: this.#stays });
	}

	async close(): Promise<void> {
		this.#live.close();
		this.#engine?.close();
	}

	async user(text: string): Promise<void> {
		const content = [{ type: "input_text", text }];
		this.#line("response_item", { type: "message", role: "user", content });
		await this.#hook("UserPromptSubmit", { prompt: text });
	}

	protected own({ tool, input }: ToolCall): Pick<OwnCall, "tool" | "input"> {
		const path = String(input["path"] ?? "");
		const { offset = 1, limit } = input as { offset?: number; limit?: number };
		if (tool === "read" && limit === undefined && offset === 1) return run(`cat '${path}'`);
		if (tool === "read") return run(`sed -n '${offset},${limit === undefined ? "$" : offset + limit - 1}p' '${path}'`);
		if (tool === "grep") return run(`grep -n '${input["pattern"]}' '${path}'`);
		if (tool === "bash") return run(String(input["command"]));
		if (tool === "write") return { tool: "apply_patch", input: { patch: addFile(path, String(input["content"])) } };
		if (tool === "edit") return { tool: "apply_patch", input: { patch: this.#patchOf({ tool, input }, path) } };
		if (tool === "apply_patch") return { tool, input: { patch: input["input"] } };
		return { tool: `mcp__more__${tool}`, input };
	}

	/** Whole lines of the text that the model believes, or the edit's own lines. */
	#patchOf(call: ToolCall, path: string): string {
		const believed = this.believed(path) ?? (existsSync(this.path(path)) ? this.text(path) : "");
		const hunks = editsOf(call).map(({ oldText, newText }) => {
			const at = believed.indexOf(oldText);
			const from = at < 0 ? 0 : believed.lastIndexOf("\n", at - 1) + 1;
			const end = at < 0 ? -1 : lineEnd(believed, at + oldText.length);
			const old = at < 0 ? oldText : believed.slice(from, end);
			const next = old.replace(oldText, () => newText);
			return ["@@", ...linesIn(old).map((line) => `-${line}`), ...linesIn(next).map((line) => `+${line}`)].join("\n");
		});
		return `*** Begin Patch\n*** Update File: ${path}\n${hunks.join("\n")}\n*** End Patch`;
	}

	protected run({ tool, input, of }: OwnCall): OwnOutput {
		if (of.says !== undefined) return { text: of.says, isError: false };
		if (tool === "exec_command") {
			const { stdout, stderr, status } = shell(String(input["cmd"]), this.cwd);
			return { text: stdout + stderr, isError: status !== 0, details: status };
		}
		if (tool !== "apply_patch") return { text: `${tool} is done.`, isError: false };
		const changed = applyPatch(String(input["patch"]), (path) => this.path(path));
		const names = changed.map(({ path, kind }) => `${kind === "add" ? "A" : "M"} ${relative(this.cwd, path)}`);
		const text = `Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\n${names.join("\n")}\n`;
		return { text, isError: false, details: changed };
	}

	protected async before(call: OwnCall): Promise<OwnVerdict> {
		const answer = asObject((await this.#hook("PreToolUse", hookCall(call)))?.["hookSpecificOutput"]);
		if (answer?.["permissionDecision"] === "deny") return { block: asText(answer["permissionDecisionReason"]) ?? "" };
		const beside = asText(answer?.["additionalContext"]);
		if (beside !== undefined) this.#beside.set(call.callId, beside);
		return {};
	}

	/** A patch that fails fires no hook. */
	protected async after(call: OwnCall, { text: output, isError }: OwnOutput): Promise<string> {
		const given = this.#beside.get(call.callId);
		const text = given === undefined ? output : `${output}\n\n${given}`;
		if (isError && call.tool === "apply_patch") return text;
		const answer = await this.#hook("PostToolUse", { ...hookCall(call), tool_response: output });
		if (answer?.["decision"] === "block") return asText(answer["reason"]) ?? "";
		const beside = asText(asObject(answer?.["hookSpecificOutput"])?.["additionalContext"]);
		return beside === undefined ? text : `${text}\n\n${beside}`;
	}

	protected async sayCalls(calls: readonly OwnCall[]): Promise<void> {
		for (const { callId: call_id, tool: name, input } of calls) {
			if (name === "apply_patch")
				this.#line("response_item", { type: "custom_tool_call", call_id, name, input: input["patch"] });
			else this.#line("response_item", { type: "function_call", call_id, name, arguments: JSON.stringify(input) });
		}
	}

	protected async sayResult(call: OwnCall, output: OwnOutput): Promise<void> {
		this.#sayOutput(call, output);
		// A process takes longer to start than the file system's clock ticks.
		if (!this.#stays) await setTimeout(PROCESS_MS);
	}

	#sayOutput({ callId: call_id, tool }: OwnCall, { text, details }: OwnOutput): void {
		const [output = ""] = text.split("\n\n[weft] ");
		if (tool === "apply_patch" && Array.isArray(details)) {
			const changes = Object.fromEntries((details as PatchedFile[]).map(({ path, ...change }) => [path, change.noted]));
			this.#done({ type: "FileChange", id: call_id, status: "completed", changes });
		}
		if (tool === "apply_patch") {
			this.#line("response_item", { type: "custom_tool_call_output", call_id, output });
			return;
		}
		if (typeof details === "number") this.#done({ type: "CommandExecution", id: call_id, exit_code: details });
		const head = "Chunk ID: 1\nWall time: 0.0000 seconds\nProcess exited with code";
		const whole = typeof details === "number" ? `${head} ${details}\nOutput:\n${output}` : output;
		this.#line("response_item", { type: "function_call_output", call_id, output: whole });
	}

	#done(item: object): void {
		this.#line("event_msg", { type: "item_completed", item });
	}

	#line(type: string, payload: object): void {
		const timestamp = new Date(this.now()).toISOString();
		appendFileSync(this.#transcript, `${JSON.stringify({ timestamp, type, payload })}\n`);
	}

	async #hook(hook_event_name: string, more: JsonObject): Promise<JsonObject | undefined> {
		const { cwd, session: session_id } = this;
		const event = { session_id, transcript_path: this.#transcript, cwd, hook_event_name, ...more };
		return this.#live.answer(event, { env: this.place.env, home: this.place.home, folder: cwd });
	}
}

const run = (cmd: string) => ({ tool: "exec_command", input: { cmd } });

/** A hook names the shell `Bash`, and hands a patch over as a command. */
function hookCall({ tool, callId: tool_use_id, input }: OwnCall): JsonObject {
	if (tool === "exec_command") return { tool_name: "Bash", tool_use_id, tool_input: { command: input["cmd"] } };
	if (tool === "apply_patch") return { tool_name: tool, tool_use_id, tool_input: { command: input["patch"] } };
	return { tool_name: tool, tool_use_id, tool_input: input };
}

const linesIn = (text: string) => text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");

function lineEnd(text: string, at: number): number {
	if (text[at - 1] === "\n") return at;
	const end = text.indexOf("\n", at);
	return end < 0 ? text.length : end + 1;
}

function addFile(path: string, content: string): string {
	const lines = linesIn(content).map((line) => `+${line}`);
	return `*** Begin Patch\n*** Add File: ${path}\n${lines.join("\n")}\n*** End Patch`;
}
