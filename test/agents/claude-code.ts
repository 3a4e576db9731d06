/** Claude Code 2.1: a transcript of lines, and hooks that call weft's MCP server as the plugin's hooks.json says. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ClaudeCodeLive } from "../../src/agent/claude-code/live.ts";
import { CLAUDE_CODE_PORT } from "../../src/agent/claude-code/port.ts";
import { type AgentEngine, openAgentEngine } from "../../src/agent/live/agent-engine.ts";
import { type AgentDriver, type CallOutcome, runTool, type ScriptedCall, type ToolRun } from "./driver.ts";
import type { AgentWorld } from "./world.ts";

const HOOKS_FILE = join(import.meta.dirname, "../../plugin/claude-code/weft/hooks/hooks.json");
/** Of a command's output. */
const MAX_INLINE_CHARS = 30_000;
const PREVIEW_CHARS = 2_000;
const SESSION = "5e551011-0000-4000-8000-000000000001";

type Fields = Readonly<Record<string, unknown>>;
interface Handler {
	readonly type: string;
	readonly input?: Readonly<Record<string, string>>;
}
type Groups = readonly { readonly matcher?: string; readonly hooks: readonly Handler[] }[];
interface HookOutput {
	readonly permissionDecision?: string;
	readonly permissionDecisionReason?: string;
	readonly updatedInput?: Fields;
	readonly updatedToolOutput?: Fields;
	readonly additionalContext?: string;
}

const HOOKS = (JSON.parse(readFileSync(HOOKS_FILE, "utf8")) as { hooks: Readonly<Record<string, Groups>> }).hooks;

export class ClaudeCodeDriver implements AgentDriver {
	readonly said: string[] = [];
	readonly #world: AgentWorld;
	readonly #transcript: string;
	#opened: AgentEngine | undefined;
	#live: ClaudeCodeLive | undefined;
	#model = "first-model";
	promptTokens = 100;
	#last: string | null = null;
	#lines = 0;

	constructor(world: AgentWorld) {
		this.#world = world;
		this.#transcript = join(world.root, ".claude/projects/-project", `${SESSION}.jsonl`);
		mkdirSync(dirname(this.#transcript), { recursive: true });
	}

	async start(): Promise<void> {
		this.#begin();
		await this.#fire("SessionStart", { source: "startup" }, "startup");
	}

	async prompt(text: string): Promise<string> {
		const answers = await this.#fire("UserPromptSubmit", { prompt: text });
		this.#line("user", text);
		return contextOf(answers);
	}

	async call(call: ScriptedCall): Promise<CallOutcome> {
		const id = `toolu_${this.#lines}`;
		const { name, input } = this.#toolOf(call);
		this.#line("assistant", [{ type: "tool_use", id, name, input }]);
		const of = { tool_name: name, tool_use_id: id };
		const before = await this.#fire("PreToolUse", { ...of, tool_input: input }, name);
		const refusal = before.find(({ permissionDecision }) => permissionDecision === "deny")?.permissionDecisionReason;
		if (refusal !== undefined) {
			const text = `PreToolUse:${name} hook error: ${refusal}`;
			const batch = await this.#batch(of, input, text);
			this.#result(id, text, { isError: true, response: `Error: ${text}` });
			return { refusal, output: "", beside: batch };
		}
		const changed = before.find(({ updatedInput }) => updatedInput)?.updatedInput;
		const given = changed ?? input;
		const limit = given["limit"] as number | undefined;
		const run = runTool(this.#world, call, limit);
		const failed = call.tool === "shell" ? `Exit code ${run.exit}\n${run.output}` : run.output;
		const response = this.#responseOf(call, run);
		const after = run.isError
			? await this.#fire("PostToolUseFailure", { ...of, tool_input: given, error: failed, is_interrupt: false }, name)
			: await this.#fire("PostToolUse", { ...of, tool_input: given, tool_response: response }, name);
		const shown = after.find(({ updatedToolOutput }) => updatedToolOutput)?.updatedToolOutput ?? response;
		const output = run.isError ? failed : call.tool === "shell" ? shownOutput(shown) : run.output;
		const batch = await this.#batch(of, given, output);
		this.#result(id, output, { isError: run.isError, response: run.isError ? `Error: ${failed}` : shown });
		const beside = [contextOf(after), batch].filter((text) => text !== "").join("\n\n");
		// The program's own first line of a failure is its frame.
		return { output: run.isError ? output.replace(/^Exit code -?\d+\n/, "") : output, beside, limit };
	}

	async answer(text: string): Promise<void> {
		this.#line("assistant", [{ type: "text", text }]);
		await this.#fire("Stop", { stop_hook_active: false, last_assistant_message: text });
	}

	async switchModel(model: string): Promise<void> {
		this.#model = model;
	}

	async abort(text: string): Promise<void> {
		this.#line("assistant", [{ type: "text", text }]);
		this.#line("user", [{ type: "text", text: "[Request interrupted by user]" }]);
	}

	async compact(): Promise<string> {
		await this.#fire("PreCompact", { trigger: "manual", custom_instructions: "" });
		const before = this.#last;
		this.#last = null;
		const boundary = { subtype: "compact_boundary", logicalParentUuid: before, content: "Conversation compacted" };
		this.#write("system", { ...boundary, compactMetadata: { trigger: "manual", preTokens: 1_000 } });
		this.#line("user", "This session is being continued. Summary: the work so far.", { isCompactSummary: true });
		const answers = await this.#fire("SessionStart", { source: "compact" }, "compact");
		return contextOf(answers);
	}

	async resume(): Promise<void> {
		await this.#leave();
		this.#begin();
		await this.#fire("SessionStart", { source: "resume" }, "resume");
	}

	async end(): Promise<void> {
		await this.#fire("SessionEnd", { reason: "other" });
		await this.#leave();
	}

	#begin(): void {
		const { project: cwd, env: own } = this.#world;
		const env = { ...own, CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: cwd };
		const warn = (message: string) => this.#live?.notify(message);
		this.#opened = openAgentEngine({ port: CLAUDE_CODE_PORT, cwd, env, warn });
		this.#live = new ClaudeCodeLive({ env, cwd, pid: process.pid, opened: this.#opened });
	}

	async #leave(): Promise<void> {
		await this.#live?.end();
		this.#opened?.close();
	}

	/** Calls every handler that listens, at once, as the program does. */
	async #fire(event: string, fields: Fields, matched = ""): Promise<HookOutput[]> {
		const common = { session_id: SESSION, transcript_path: this.#transcript, cwd: this.#world.project };
		const values: Fields = { ...common, hook_event_name: event, ...fields };
		const groups = (HOOKS[event] ?? []).filter(
			({ matcher }) => matcher === undefined || new RegExp(`^(?:${matcher})$`).test(matched),
		);
		const handlers = groups.flatMap(({ hooks }) => hooks).filter(({ type }) => type === "mcp_tool");
		const answers = await Promise.all(
			handlers.map(({ input = {} }) => {
				const args = Object.entries(input).map(([key, text]) => [key, filledIn(text, values)]);
				return this.#live?.hook(Object.fromEntries(args));
			}),
		);
		return answers.map((text) => this.#read(text ?? ""));
	}

	/** Text that is no JSON is for the summary. */
	#read(text: string): HookOutput {
		if (!text.startsWith("{")) return {};
		const answer = JSON.parse(text) as { systemMessage?: string; hookSpecificOutput?: HookOutput };
		if (answer.systemMessage !== undefined) this.said.push(answer.systemMessage);
		return answer.hookSpecificOutput ?? {};
	}

	async #batch(of: Fields, input: unknown, text: string): Promise<string> {
		return contextOf(
			await this.#fire("PostToolBatch", { tool_calls: [{ ...of, tool_input: input, tool_response: text }] }),
		);
	}

	#toolOf(call: ScriptedCall): { readonly name: string; readonly input: Fields } {
		if (call.tool === "shell") return { name: "Bash", input: { command: call.command, description: "Run it" } };
		const file_path = resolve(this.#world.project, call.path);
		if (call.tool === "read") return { name: "Read", input: { file_path } };
		if (call.tool === "write") return { name: "Write", input: { file_path, content: call.text } };
		const { before: old_string, after: new_string } = call;
		return { name: "Edit", input: { replace_all: false, file_path, old_string, new_string } };
	}

	#responseOf(call: ScriptedCall, { output, text }: ToolRun): Fields {
		if (call.tool === "shell")
			return { stderr: "", interrupted: false, isImage: false, ...this.#cutOutput(output, call.cut) };
		const filePath = resolve(this.#world.project, call.path);
		if (call.tool === "read") {
			const [numLines, totalLines] = [output, this.#world.text(call.path)].map((of) => of.split("\n").length);
			return { type: "text", file: { filePath, content: output, numLines, startLine: 1, totalLines } };
		}
		const originalFile = text?.before ?? null;
		if (call.tool === "write")
			return { type: originalFile === null ? "create" : "update", filePath, content: call.text, originalFile };
		const { before: oldString, after: newString } = call;
		return { filePath, oldString, newString, originalFile, userModified: false, replaceAll: false };
	}

	#cutOutput(output: string, cut: "saved" | "lost" | undefined): Fields {
		if (cut === undefined) return { stdout: output };
		const stdout = output.slice(0, MAX_INLINE_CHARS);
		if (cut === "lost") return { stdout: `${stdout}\n\n... [9000 lines truncated] ...` };
		const folder = join(this.#transcript.replace(/\.jsonl$/, ""), "tool-results");
		mkdirSync(folder, { recursive: true });
		const persistedOutputPath = join(folder, "b1.txt");
		writeFileSync(persistedOutputPath, output);
		return { stdout, persistedOutputPath, persistedOutputSize: Buffer.byteLength(output) };
	}

	#result(id: string, content: string, { isError, response }: { isError: boolean; response: unknown }): void {
		const block = { type: "tool_result", tool_use_id: id, content, ...(isError && { is_error: true }) };
		this.#line("user", [block], { toolUseResult: response });
	}

	#line(role: "user" | "assistant", content: unknown, more: Fields = {}): void {
		const input = { input_tokens: this.promptTokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
		const usage = { ...input, output_tokens: 10 };
		const answered = { id: `msg_${this.#lines}`, type: "message", model: this.#model, usage };
		this.#write(role, { ...more, message: { role, content, ...(role === "assistant" && answered) } });
	}

	#write(type: string, fields: Fields): void {
		const uuid = `00000000-0000-4000-8000-${String(++this.#lines).padStart(12, "0")}`;
		const base = { parentUuid: this.#last, isSidechain: false, type, uuid, timestamp: new Date().toISOString() };
		const of = { cwd: this.#world.project, sessionId: SESSION, version: "2.1.325" };
		appendFileSync(this.#transcript, `${JSON.stringify({ ...base, ...of, ...fields })}\n`);
		this.#last = uuid;
	}
}

/** The program shows only a preview of an output that it has saved. */
function shownOutput({ stdout, persistedOutputPath: path }: Fields): string {
	if (path === undefined) return String(stdout);
	const preview = String(stdout).slice(0, PREVIEW_CHARS);
	return `<persisted-output>\nOutput too large. Full output saved to: ${path}\n\n${preview}\n</persisted-output>`;
}

function contextOf(answers: readonly HookOutput[]): string {
	return answers.flatMap(({ additionalContext }) => additionalContext ?? []).join("\n\n");
}

/** `${name}` becomes the field's text, its JSON where it is none, and nothing where there is no such field. */
function filledIn(text: string, values: Fields): string {
	return text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
		const value = values[name];
		return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
	});
}
