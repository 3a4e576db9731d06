/** OpenClaw: a context engine for each turn. It hands its messages over and takes what `assemble` makes of them; tools are its own. */

import type { AgentMessage, ContextEngine } from "../../src/agent/openclaw/contract.ts";
import { createContextEngine } from "../../src/agent/openclaw/live.ts";
import { closeGuards, judgeCall, lookAtResult } from "../../src/agent/openclaw/plugin-guard.ts";
import { asInteger } from "../../src/base/json/read.ts";
import { type AgentDriver, type CallOutcome, patchOf, runTool, type ScriptedCall } from "./driver.ts";
import type { AgentWorld } from "./world.ts";

const SESSION = { sessionId: "s1", sessionKey: "agent:main:s1" };
const BUDGET_TOKENS = 400_000;

type Fields = Readonly<Record<string, unknown>>;

export class OpenClawDriver implements AgentDriver {
	readonly said: string[] = [];
	readonly #world: AgentWorld;
	#engine: ContextEngine | undefined;
	readonly #messages: AgentMessage[] = [];
	readonly #given: string[] = [];
	/** How many there were before the turn. */
	#before = 0;
	#model = "first-model";
	#calls = 0;
	#now = 0;

	constructor(world: AgentWorld) {
		this.#world = world;
	}

	async start(): Promise<void> {}

	async prompt(text: string): Promise<string> {
		const engine = this.#open();
		await engine.bootstrap({ ...SESSION, sessionFile: SESSION.sessionKey });
		this.#before = this.#messages.length;
		const asked = {
			...SESSION,
			messages: this.#messages,
			prompt: text,
			tokenBudget: BUDGET_TOKENS,
			model: this.#model,
		};
		const { messages } = await engine.assemble(asked);
		this.#add({ role: "user", content: text });
		// What was given before stays where it is: the new is asked for.
		const ours = messages.filter((message) => !this.#messages.includes(message)).map(textOf);
		const fresh = ours.filter((text) => !this.#given.some((earlier) => text.includes(earlier)));
		this.#given.push(...fresh);
		return fresh.join("\n\n");
	}

	async call(call: ScriptedCall): Promise<CallOutcome> {
		const id = `call_${++this.#calls}`;
		const { name, input } = toolOf(call);
		this.#answered([{ type: "toolCall", id, name, arguments: input }], "toolUse");
		const { project: cwd, env } = this.#world;
		const options = { cwd, env };
		const decision = judgeCall(options, { toolName: name, toolCallId: id, params: { ...input } }, SESSION);
		if (decision && "block" in decision) {
			const { blockReason: refusal } = decision;
			const content = [{ type: "text", text: refusal }];
			this.#add({ role: "toolResult", toolCallId: id, toolName: name, content, isError: true });
			return { refusal, output: "", beside: "" };
		}
		const limit = asInteger(decision?.params["limit"]);
		const run = runTool(this.#world, call, limit);
		const status = run.exit === undefined || run.exit === 0 ? "" : `\n\nCommand exited with code ${run.exit}`;
		const patch =
			call.tool === "edit" && run.text ? { details: { patch: patchOf(call.path, run.text), diff: "" } } : {};
		const result = { content: [{ type: "text", text: `${run.output}${status}` }], ...patch };
		const event = { toolName: name, toolCallId: id, args: { ...input }, isError: run.isError, result };
		const { content } = ((await lookAtResult(options, event, SESSION))?.result ?? result) as typeof result;
		this.#add({ role: "toolResult", toolCallId: id, toolName: name, content, isError: run.isError, ...patch });
		return { output: content.map(({ text }) => text).join("\n"), beside: "", limit };
	}

	async answer(text: string): Promise<void> {
		this.#answered([{ type: "text", text }], "stop");
		await this.#endTurn();
	}

	async switchModel(model: string): Promise<void> {
		this.#model = model;
	}

	async abort(text: string): Promise<void> {
		this.#answered([{ type: "text", text }], "aborted");
		await this.#endTurn();
	}

	/** The agent's own compaction makes nothing of ours. */
	async compact(): Promise<string> {
		const engine = this.#open();
		const { compacted, result } = await engine.compact({ ...SESSION, force: true, tokenBudget: BUDGET_TOKENS });
		await this.#close();
		const seed = compacted ? (result?.summary ?? "") : "";
		if (seed !== "") this.#given.push(seed);
		return seed;
	}

	async resume(): Promise<void> {
		closeGuards();
	}

	async end(): Promise<void> {
		closeGuards();
		await this.#close();
	}

	#open(): ContextEngine {
		const { project: cwd, env } = this.#world;
		const warn = (message: string) => void this.said.push(message);
		const delegate = async () => ({ ok: true, compacted: false });
		this.#engine = createContextEngine({ cwd, env, warn, delegate });
		return this.#engine;
	}

	async #endTurn(): Promise<void> {
		const of = { ...SESSION, messages: this.#messages, prePromptMessageCount: this.#before };
		await this.#engine?.afterTurn({ ...of, tokenBudget: BUDGET_TOKENS });
		await this.#engine?.maintain({ ...SESSION, runtimeContext: { allowDeferredCompactionExecution: true } });
		await this.#close();
	}

	async #close(): Promise<void> {
		await this.#engine?.dispose();
		this.#engine = undefined;
	}

	#answered(content: readonly Fields[], stopReason: string): void {
		this.#add({ role: "assistant", content, api: "fake", provider: "fake", model: this.#model, stopReason });
	}

	#add(message: AgentMessage): void {
		this.#now = Math.max(this.#now + 1, Date.now());
		this.#messages.push({ ...message, timestamp: this.#now });
	}
}

function toolOf(call: ScriptedCall): { readonly name: string; readonly input: Fields } {
	if (call.tool === "shell") return { name: "exec", input: { command: call.command } };
	if (call.tool === "read") return { name: "read", input: { path: call.path } };
	if (call.tool === "write") return { name: "write", input: { path: call.path, content: call.text } };
	return { name: "edit", input: { path: call.path, edits: [{ oldText: call.before, newText: call.after }] } };
}

function textOf({ content }: AgentMessage): string {
	if (typeof content === "string") return content;
	return ((content ?? []) as readonly { readonly text?: string }[]).map(({ text }) => text ?? "").join("\n");
}
