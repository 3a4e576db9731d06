/**
 * How long does an agent wait for the seed that replaces its summary? Measured from its request to the first byte, in sessions
 * of 120 requests and 200,000 tokens, for Claude Code's and Codex's wire. Compared with the minimum for a request of that size:
 * reading its JSON once and writing it once.
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { MessageSource } from "./corpus.ts";

const TURNS = 120;
/** Of a result: about 1,700 tokens. */
const RESULT_CHARS = 6_600;
const CLAUDE_ASKS =
	"CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a detailed summary of the conversation so far.";
const CODEX_ASKS = "You are performing a CONTEXT CHECKPOINT COMPACTION. Write a summary for another model.";

export const SEALED_AGENTS = ["claude", "codex"] as const;
export type SealedAgent = (typeof SEALED_AGENTS)[number];

export interface AgentRequest {
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer;
}

/** A session of an agent: the requests of its loop, its own file, and the request for a summary at the end. */
export function* sessionOf(agent: SealedAgent, folder: string, cwd: string, seed: number): Generator<AgentRequest> {
	const host = agent === "claude" ? new ClaudeHost(folder, cwd) : new CodexHost(folder, cwd);
	const source = new MessageSource(seed);
	for (let turn = 0; turn < TURNS; turn++) {
		yield host.request(false);
		let result = "";
		while (result.length < RESULT_CHARS) result += `${source.text()}\n`;
		host.goOn(`call_${seed}_${turn}`, `src/part-${turn % 30}.ts`, result);
	}
	yield host.request(true);
}

const TASK = "Go through all of it, one file after the other, and repair what is broken.";

class ClaudeHost {
	readonly #id = randomUUID();
	readonly #file: string;
	readonly #cwd: string;
	readonly #messages: { readonly role: string; readonly content: unknown }[] = [];
	#tip: string | null = null;

	constructor(folder: string, cwd: string) {
		this.#file = join(folder, "claude", "projects", "-project", `${this.#id}.jsonl`);
		this.#cwd = cwd;
		mkdirSync(dirname(this.#file), { recursive: true });
		this.#say("user", TASK);
	}

	request(isSummary: boolean): AgentRequest {
		// The newest call and its result stay.
		const messages = isSummary ? this.#messages.slice(0, -2) : this.#messages;
		const asked = isSummary
			? [...messages, { role: "user", content: [{ type: "text", text: CLAUDE_ASKS }] }]
			: messages;
		const body = { model: "claude-x", messages: asked, tools: [{ name: "Bash" }], stream: true };
		const headers = { "user-agent": "claude-cli/2.1.325 (external, cli)", "x-claude-code-session-id": this.#id };
		return { path: "/v1/messages?beta=true", headers, body: Buffer.from(JSON.stringify(body)) };
	}

	goOn(id: string, path: string, result: string): void {
		this.#say("assistant", [{ type: "tool_use", id, name: "Bash", input: { command: `cat ${path}` } }]);
		this.#say("user", [{ type: "tool_result", tool_use_id: id, content: result }]);
	}

	#say(role: string, content: unknown): void {
		const message = { role, content };
		const uuid = randomUUID();
		const of = { sessionId: this.#id, cwd: this.#cwd, timestamp: new Date() };
		const line = { type: role, uuid, parentUuid: this.#tip, message, ...of };
		appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
		this.#messages.push(message);
		this.#tip = uuid;
	}
}

class CodexHost {
	readonly #id = randomUUID();
	readonly #file: string;
	readonly #items: object[] = [];

	constructor(folder: string, cwd: string) {
		this.#file = join(folder, "codex", "sessions", "2026", "01", "01", `rollout-2026-01-01T00-00-00-${this.#id}.jsonl`);
		mkdirSync(dirname(this.#file), { recursive: true });
		this.#line("session_meta", { id: this.#id, cwd, cli_version: "0.166.0" });
		this.#line("turn_context", { model: "gpt-5.5" });
		this.#say({ type: "message", role: "user", content: [{ type: "input_text", text: TASK }] });
	}

	request(isSummary: boolean): AgentRequest {
		const asked = { type: "message", role: "user", content: [{ type: "input_text", text: CODEX_ASKS }] };
		const input = isSummary ? [...this.#items, asked] : this.#items;
		const tools = isSummary ? [] : [{ type: "function", name: "exec_command" }];
		const headers = {
			"user-agent": "codex_cli_rs/0.166.0",
			"session-id": this.#id,
			"thread-id": this.#id,
			"x-codex-turn-metadata": JSON.stringify({ request_kind: isSummary ? "compaction" : "turn" }),
		};
		const body = { model: "gpt-5.5", stream: true, store: false, tools, input };
		return { path: "/v1/responses", headers, body: Buffer.from(JSON.stringify(body)) };
	}

	goOn(call_id: string, path: string, result: string): void {
		const called = { type: "function_call", name: "exec_command", call_id };
		this.#say({ ...called, arguments: JSON.stringify({ cmd: `cat ${path}` }) });
		const usage = { input_tokens: 1_000, cached_input_tokens: 0, cache_write_input_tokens: 0, output_tokens: 20 };
		this.#line("token_usage_record", { response_id: `resp_${call_id}`, usage });
		const output = `Chunk ID: 1\nWall time: 0.0100 seconds\nProcess exited with code 0\nOutput:\n${result}`;
		this.#say({ type: "function_call_output", call_id, output });
	}

	#say(item: object): void {
		this.#items.push(item);
		this.#line("response_item", item);
	}

	#line(type: string, payload: object): void {
		appendFileSync(this.#file, `${JSON.stringify({ timestamp: new Date(), type, payload })}\n`);
	}
}
