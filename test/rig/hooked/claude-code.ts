/** Claude Code by its hooks and its transcript. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { structuredPatch } from "diff";
import { ClaudeCodeLive } from "../../../src/agent/claude-code/live.ts";
import { CLAUDE_CODE_PORT } from "../../../src/agent/claude-code/port.ts";
import { openAgentEngine } from "../../../src/agent/live/agent-engine.ts";
import { asObject, asText, type JsonObject, parseObject } from "../../../src/base/json/read.ts";
import type { Engine } from "../../../src/engine.ts";
import {
	type AgentTrait,
	applyEdits,
	editsOf,
	HookedAgent,
	type HookedPlace,
	linesOf,
	matches,
	type OwnCall,
	type OwnOutput,
	type OwnVerdict,
	shell,
	type ToolCall,
} from "../hooked-agent.ts";
import { applyPatch } from "./apply-patch.ts";

const NAMES: Readonly<Record<string, string>> = {
	read: "Read",
	edit: "Edit",
	write: "Write",
	bash: "Bash",
	grep: "Grep",
	task: "Task",
};

export class HookedClaudeCode extends HookedAgent {
	readonly traits = new Set<AgentTrait>([
		"remembers texts",
		"unifies line ends",
		"edits pieces",
		"reads by a tool",
		"shows failed edits",
	]);
	readonly session = `claude-${this.number}`;
	protected override readonly isOneEditACall = true;
	readonly #transcript: string;
	#opened: ReturnType<typeof openAgentEngine>;
	#live: ClaudeCodeLive;
	#last: string | null = null;
	#lines = 0;

	constructor(place: HookedPlace, cwd: string) {
		super(place, cwd);
		this.#transcript = join(place.own, `projects/p/${this.session}.jsonl`);
		mkdirSync(dirname(this.#transcript), { recursive: true });
		({ opened: this.#opened, live: this.#live } = this.#open());
		this.#line("user", "Begin.");
	}

	get engine(): Engine {
		return this.#opened.engine()!;
	}

	async another(): Promise<HookedAgent> {
		return new HookedClaudeCode(this.place, this.cwd);
	}

	async restart(): Promise<void> {
		this.#opened.close();
		({ opened: this.#opened, live: this.#live } = this.#open());
	}

	async close(): Promise<void> {
		this.#opened.close();
	}

	async user(text: string): Promise<void> {
		this.#line("user", text);
		await this.#hook("UserPromptSubmit", { prompt: text });
	}

	protected own({ tool, input }: ToolCall): Pick<OwnCall, "tool" | "input"> {
		const { path, edits, ...rest } = input;
		const name = NAMES[tool] ?? (tool === "apply_patch" ? tool : `mcp__more__${tool}`);
		if (tool === "grep") return { tool: name, input: { ...rest, path, output_mode: "content", "-n": true } };
		if (path === undefined) return { tool: name, input };
		const [edit] = editsOf({ tool, input });
		const change = edit && {
			old_string: edit.oldText,
			new_string: edit.newText,
			...(edit.replaceAll && { replace_all: true }),
		};
		return { tool: name, input: { file_path: this.path(String(path)), ...rest, ...change } };
	}

	protected run({ tool, input, of }: OwnCall): OwnOutput {
		const filePath = String(input["file_path"]);
		switch (tool) {
			case "Read": {
				if (of.says !== undefined)
					return this.#shown(filePath, of.says, { lines: of.says.split("\n"), offset: 1, total: 1 });
				const text = readFileSync(filePath, "utf8");
				return this.#shown(filePath, text, linesOf(text, input));
			}
			case "Write": {
				const isNew = !existsSync(filePath);
				writeFileSync(filePath, String(input["content"]));
				return { text: "The file has been written.", isError: false, details: { type: isNew ? "create" : "update" } };
			}
			case "Edit": {
				const text = readFileSync(filePath, "utf8");
				const next = applyEdits(text, editsOf(of));
				writeFileSync(filePath, next);
				const { hunks } = structuredPatch(filePath, filePath, text, next);
				return { text: "The file has been updated.", isError: false, details: { structuredPatch: hunks } };
			}
			case "Grep": {
				const path = this.path(String(input["path"]));
				const found = matches(readFileSync(path, "utf8"), String(input["pattern"]));
				const content = found.map(({ at, line }) => `${at}:${line}`).join("\n");
				return { text: content, isError: false, details: { mode: "content", content, numLines: found.length } };
			}
			case "Bash": {
				const { stdout, stderr, status } = shell(String(input["command"]), this.cwd);
				if (status === 0)
					return { text: [stdout, stderr].filter(Boolean).join("\n"), isError: false, details: { stdout, stderr } };
				return { text: `Exit code ${status}\n${stdout}${stderr}`, isError: true };
			}
			default:
				if (tool === "apply_patch") applyPatch(String(input["input"]), (path) => this.path(path));
				return { text: `${tool} is done.`, isError: false, details: `${tool} is done.` };
		}
	}

	#shown(
		filePath: string,
		text: string,
		{ lines, offset, total }: { lines: readonly string[]; offset: number; total: number },
	): OwnOutput {
		const numbered = lines.map((line, at) => `${offset + at}\t${line}`).join("\n");
		const file = {
			filePath,
			content: lines.join("\n"),
			numLines: lines.length,
			startLine: offset,
			totalLines: total,
		};
		return { text: text === "" ? "" : numbered, isError: false, details: { type: "text", file } };
	}

	protected async before({ tool, callId, input }: OwnCall): Promise<OwnVerdict> {
		const answer = await this.#hook("PreToolUse", { tool, call: callId, input });
		if (answer["permissionDecision"] === "deny") return { block: asText(answer["permissionDecisionReason"]) ?? "" };
		return { input: asObject(answer["updatedInput"]) };
	}

	protected async after({ tool, callId, input }: OwnCall, { text, isError, details }: OwnOutput): Promise<string> {
		const of = { tool, call: callId, input };
		// A failed edit fires no hook of its own, but the one after the batch.
		const calls = [{ tool_name: tool, tool_use_id: callId, tool_input: input, tool_response: `Error: ${text}` }];
		const answer =
			isError && tool === "Edit"
				? await this.#hook("PostToolBatch", { calls })
				: isError
					? await this.#hook("PostToolUseFailure", { ...of, error: text })
					: await this.#hook("PostToolUse", { ...of, ...(asChange(tool, details) ?? { response: details }) });
		const output = asObject(answer["updatedToolOutput"]);
		const beside = asText(answer["additionalContext"]);
		return [asText(output?.["stdout"]) ?? asText(output?.["content"]) ?? text, ...(beside ? [beside] : [])].join(
			"\n\n",
		);
	}

	protected async sayCalls(calls: readonly OwnCall[]): Promise<void> {
		const id = `msg${this.#lines}`;
		for (const { callId, tool: name, input } of calls)
			this.#line("assistant", [{ type: "tool_use", id: callId, name, input }], { id, model: "claude-x" });
	}

	protected async sayResult({ callId }: OwnCall, { text, isError, details }: OwnOutput): Promise<void> {
		const [content] = text.split("\n\n[weft] ");
		const result = { type: "tool_result", tool_use_id: callId, content, is_error: isError };
		this.#line("user", [result], {}, { toolUseResult: isError ? `Error: ${text}` : details });
	}

	#open() {
		const env = { ...this.place.env, CLAUDE_CODE_SESSION_ID: this.session, CLAUDE_CONFIG_DIR: this.place.own };
		const { cwd } = this;
		const now = () => this.now();
		const opened = openAgentEngine({ port: CLAUDE_CODE_PORT, cwd, env, home: this.place.home, warn: () => {}, now });
		return { opened, live: new ClaudeCodeLive({ env, cwd, pid: process.pid, opened }) };
	}

	async #hook(event: string, fields: Readonly<Record<string, unknown>>): Promise<JsonObject> {
		const texts = Object.entries(fields).map(([key, value]) => [
			key,
			typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
		]);
		const { session, cwd } = this;
		const of = { event, session, transcript: this.#transcript, cwd, agent: "" };
		const answer = parseObject(await this.#live.hook({ ...of, ...Object.fromEntries(texts) }));
		return asObject(answer?.["hookSpecificOutput"]) ?? {};
	}

	#line(role: "user" | "assistant", content: unknown, of: object = {}, more: object = {}): void {
		const uuid = `u${this.number}-${++this.#lines}`;
		const line = {
			type: role,
			uuid,
			parentUuid: this.#last,
			sessionId: this.session,
			cwd: this.cwd,
			timestamp: new Date(this.now()).toISOString(),
			isSidechain: false,
			message: { role, content, ...of },
			...more,
		};
		appendFileSync(this.#transcript, `${JSON.stringify(line)}\n`);
		this.#last = uuid;
	}
}

/** Of a change the hook passes on these fields alone. */
function asChange(tool: string, details: unknown): object | undefined {
	const { type, structuredPatch: patch } = asObject(details) ?? {};
	return tool === "Edit" || tool === "Write" ? { ...(type !== undefined && { type }), patch: patch ?? [] } : undefined;
}
