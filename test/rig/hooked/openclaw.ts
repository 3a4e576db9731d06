/** OpenClaw by its plugin's hooks. The host hands a turn's messages over when the turn is done. */
import type { AgentMessage } from "../../../src/agent/openclaw/contract.ts";
import { createContextEngine } from "../../../src/agent/openclaw/live.ts";
import { closeGuards, judgeCall, lookAtResult } from "../../../src/agent/openclaw/plugin-guard.ts";
import { type Engine, openEngine } from "../../../src/engine.ts";
import {
	type AgentTrait,
	HookedAgent,
	type HookedPlace,
	type OwnCall,
	type OwnOutput,
	type OwnVerdict,
	type ToolCall,
} from "../hooked-agent.ts";
import { runPiTool } from "./pi.ts";

export class HookedOpenClaw extends HookedAgent {
	readonly traits = new Set<AgentTrait>([
		"remembers texts",
		"unifies line ends",
		"edits pieces",
		"reads by a tool",
		"shows failed edits",
	]);
	readonly session = `oc-${this.number}`;
	#turn: AgentMessage[] = [];
	#stamp = 0;
	#engine: Engine | undefined;

	constructor(place: HookedPlace, cwd: string) {
		super(place, cwd);
		this.#turn.push({ role: "user", content: "Begin.", timestamp: this.#time() });
	}

	/** Beside the one that the hooks open. */
	get engine(): Engine {
		const { home, env } = this.place;
		this.#engine ??= openEngine({ cwd: this.cwd, home, host: "openclaw", env });
		return this.#engine;
	}

	async another(): Promise<HookedAgent> {
		return new HookedOpenClaw(this.place, this.cwd);
	}

	/** The guard closes when no call comes for a while. */
	async restart(): Promise<void> {
		closeGuards();
	}

	async close(): Promise<void> {
		closeGuards();
		this.#engine?.close();
	}

	/** The turn before is over: its messages are handed over, and the new prompt with them. */
	async user(text: string): Promise<void> {
		this.#turn.push({ role: "user", content: text, timestamp: this.#time() });
		const { cwd } = this;
		const { home, env } = this.place;
		const engine = createContextEngine({ cwd, home, env, warn: () => {} });
		await engine.ingestBatch({ sessionId: this.session, messages: this.#turn });
		await engine.dispose();
		this.#turn = [];
	}

	protected own({ tool, input }: ToolCall) {
		return { tool: tool === "bash" ? "exec" : tool, input };
	}

	protected run(call: OwnCall): OwnOutput {
		return runPiTool(call, this.cwd);
	}

	protected async before({ tool: toolName, callId: toolCallId, input: params }: OwnCall): Promise<OwnVerdict> {
		const answer = judgeCall(this.#options(), { toolName, params, toolCallId }, { sessionId: this.session });
		if (answer && "block" in answer) return { block: answer.blockReason };
		return { input: answer?.params };
	}

	protected async after(call: OwnCall, { text, isError, details }: OwnOutput): Promise<string> {
		const { tool: toolName, callId: toolCallId, input: args } = call;
		const result = { content: [{ type: "text", text }], details };
		const event = { toolName, toolCallId, args, isError, result };
		const change = await lookAtResult(this.#options(), event, { sessionId: this.session });
		const [block] = (change?.result["content"] ?? result.content) as { text: string }[];
		return block?.text ?? "";
	}

	protected async sayCalls(calls: readonly OwnCall[]): Promise<void> {
		const content = calls.map(({ callId: id, tool: name, input }) => ({
			type: "toolCall",
			id,
			name,
			arguments: input,
		}));
		this.#turn.push({ role: "assistant", content, stopReason: "toolUse", timestamp: this.#time() });
	}

	protected async sayResult({ callId, tool }: OwnCall, { text, isError, details }: OwnOutput): Promise<void> {
		this.#turn.push({
			role: "toolResult",
			toolCallId: callId,
			toolName: tool,
			content: [{ type: "text", text }],
			isError,
			details,
			timestamp: this.#time(),
		});
	}

	#options() {
		const { home, env } = this.place;
		return { cwd: this.cwd, home, env, now: () => this.now() };
	}

	/** No two messages have the same. */
	#time(): number {
		return this.now() + ++this.#stamp;
	}
}
