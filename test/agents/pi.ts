/**
 * Pi: its own session manager, and a stand-in of the rest, which calls the extension's handlers in Pi's order. The extension
 * reads its settings from the environment of the process, which this changes; the run that plays the session restores it.
 */
import { type ExtensionAPI, type ExtensionContext, SessionManager } from "@earendil-works/pi-coding-agent";
import { register } from "../../src/agent/pi/register.ts";
import { type AgentDriver, type CallOutcome, patchOf, runTool, type ScriptedCall, type ToolRun } from "./driver.ts";
import type { AgentWorld } from "./world.ts";

type Fields = Readonly<Record<string, unknown>>;
type Handler = (event: Fields, ctx: ExtensionContext) => unknown;
type Command = { readonly handler: (args: string, ctx: ExtensionContext) => Promise<void> };
type PiMessage = Parameters<SessionManager["appendMessage"]>[0];

const WINDOW_TOKENS = 400_000;
const NOTHING_SPENT = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

export class PiDriver implements AgentDriver {
	readonly said: string[] = [];
	readonly #world: AgentWorld;
	readonly #session: SessionManager;
	readonly #given = new Set<string>();
	#handlers = new Map<string, Handler[]>();
	#commands = new Map<string, Command>();
	#model = "first-model";
	promptTokens = 100;
	#calls = 0;
	#turn = 0;

	constructor(world: AgentWorld) {
		this.#world = world;
		this.#session = SessionManager.inMemory(world.project);
	}

	async start(): Promise<void> {
		for (const name of Object.keys(process.env)) if (/^(?:WEFT|LCM|PI)_/.test(name)) delete process.env[name];
		Object.assign(process.env, this.#world.env, { PI_CODING_AGENT_DIR: this.#world.root });
		this.#handlers = new Map();
		this.#commands = new Map();
		register(this.#api());
		await this.#fire("session_start", { reason: "startup" });
	}

	async prompt(text: string): Promise<string> {
		const [taken] = await this.#fire("input", { text, source: "interactive" });
		const words = (taken as { text?: string } | undefined)?.text ?? text;
		const systemPromptOptions = { sections: {}, toolGuidelines: {} };
		await this.#fire("before_agent_start", { messageType: "user", prompt: words, systemPromptOptions });
		await this.#fire("agent_start", {});
		await this.#say({ role: "user", content: [{ type: "text", text: words }], timestamp: Date.now() });
		return this.#request();
	}

	async call(call: ScriptedCall): Promise<CallOutcome> {
		const toolCallId = `call_${++this.#calls}`;
		const { toolName, input } = toolOf(call);
		await this.#fire("turn_start", { turnIndex: ++this.#turn, timestamp: Date.now() });
		const content = [{ type: "toolCall" as const, id: toolCallId, name: toolName, arguments: input }];
		const answer = await this.#say(this.#assistant(content, "toolUse"));
		await this.#fire("tool_execution_start", { toolCallId, toolName, args: input });
		// A handler may change it in place.
		const given: Record<string, unknown> = structuredClone(input);
		const [judged] = await this.#fire("tool_call", { toolCallId, toolName, input: given });
		const { block, reason = "" } = (judged ?? {}) as { block?: boolean; reason?: string };
		const of = { role: "toolResult", toolCallId, toolName, timestamp: Date.now() } as const;
		if (block) {
			const result = await this.#say({ ...of, content: [{ type: "text", text: reason }], isError: true });
			await this.#endTurn(answer, [result]);
			return { refusal: reason, output: "", beside: "" };
		}
		const limit = given["limit"] as number | undefined;
		const run = runTool(this.#world, call, limit);
		const frame = frameOf(run, this.#world, call, limit);
		const shown = [{ type: "text" as const, text: `${run.output}${frame}` }];
		const isError = run.isError;
		const made = { content: shown, details: detailsOf(call, run), isError };
		const [changed] = await this.#fire("tool_result", { toolCallId, toolName, input: given, ...made });
		const result = { ...made, ...((changed ?? {}) as Partial<typeof made>) };
		await this.#fire("tool_execution_end", { toolCallId, toolName, result, isError });
		const message = await this.#say({ ...of, ...result } as PiMessage);
		await this.#endTurn(answer, [message]);
		// Our notes follow Pi's own words.
		return { output: textsOf(result).replace(frame, () => ""), beside: "", limit };
	}

	async answer(text: string): Promise<void> {
		await this.#fire("turn_start", { turnIndex: ++this.#turn, timestamp: Date.now() });
		const id = await this.#say(this.#assistant([{ type: "text", text }], "stop"));
		await this.#endTurn(id, [], { isLast: true });
		await this.#settle(false);
	}

	async switchModel(model: string): Promise<void> {
		this.#model = model;
		this.#session.appendModelChange("fake", model);
		await this.#fire("model_select", { model: this.#context().model, source: "set" });
	}

	async abort(text: string): Promise<void> {
		await this.#fire("turn_start", { turnIndex: ++this.#turn, timestamp: Date.now() });
		const id = await this.#say(this.#assistant([{ type: "text", text }], "aborted"));
		await this.#endTurn(id, [], { isLast: true, outcome: "aborted" });
		await this.#settle(true);
	}

	async compact(): Promise<string> {
		const branchEntries = this.#session.getBranch();
		const firstKeptEntryId = branchEntries.at(-1)?.id ?? "";
		const preparation = { firstKeptEntryId, messagesToSummarize: [], turnPrefixMessages: [], tokensBefore: 1_000 };
		const signal = new AbortController().signal;
		const of = { preparation, branchEntries, reason: "manual", willRetry: false, signal };
		const [answer] = await this.#fire("session_before_compact", of);
		const ours = (answer as { compaction?: Compacted } | undefined)?.compaction;
		const own = { summary: "The work so far.", firstKeptEntryId, tokensBefore: 1_000, details: undefined };
		const { summary, firstKeptEntryId: kept, tokensBefore, details } = ours ?? own;
		const id = this.#session.appendCompaction(summary, kept, tokensBefore, details, ours !== undefined);
		const compactionEntry = this.#session.getEntry(id);
		await this.#fire("session_compact", { compactionEntry, fromExtension: ours !== undefined, reason: "manual" });
		return ours?.summary ?? "";
	}

	async resume(): Promise<void> {
		await this.#fire("session_shutdown", { reason: "quit" });
		await this.start();
	}

	async end(): Promise<void> {
		await this.#fire("session_shutdown", { reason: "quit" });
	}

	async setMode(mode: string): Promise<void> {
		await this.#commands.get("weft")?.handler(`mode ${mode}`, this.#context());
	}

	/** Before each request of the model. Answers with text of ours that no request before it had. */
	async #request(): Promise<string> {
		const own = this.#session.buildSessionContext().messages;
		const [changed] = await this.#fire("context", { messages: structuredClone(own) });
		const messages = (changed as { messages?: unknown[] } | undefined)?.messages ?? own;
		const payload = { model: this.#model, system: [{ type: "text", text: "You are Pi." }], messages, tools: [] };
		await this.#fire("before_provider_request", { payload });
		await this.#fire("after_provider_response", { status: 200, headers: {} });
		const theirs = new Set(own.map(textsOf));
		const ours = messages.map(textsOf).filter((text) => !theirs.has(text) && !this.#given.has(text));
		for (const text of ours) this.#given.add(text);
		// The user's own words stand behind what is put before them.
		return ours.map((text) => text.replace(/\n\n<user_message>\n[\s\S]*<\/user_message>$/, "")).join("\n\n");
	}

	/** A message is an entry once its `message_end` handlers have run. */
	async #say(message: PiMessage): Promise<string> {
		await this.#fire("message_start", { message });
		const [changed] = await this.#fire("message_end", { message });
		return this.#session.appendMessage((changed as { message?: PiMessage } | undefined)?.message ?? message);
	}

	async #endTurn(messageEntryId: string, toolResultEntryIds: readonly string[], how: TurnEnd = {}): Promise<void> {
		const { isLast = false, outcome = "completed" } = how;
		const of = { turnIndex: this.#turn, messageEntryId, toolResultEntryIds, outcome, entries: [], continue: !isLast };
		const [answer] = await this.#fire("turn_end", of);
		for (const entry of (answer as { entries?: readonly Draft[] } | undefined)?.entries ?? []) {
			if (entry.type === "custom") this.#session.appendCustomEntry(entry.customType, entry.data);
			else if (entry.type === "compaction")
				this.#session.appendCompaction(entry.summary, entry.firstKeptEntryId, 0, entry.details, true);
		}
		if (!isLast) await this.#request();
	}

	async #settle(aborted: boolean): Promise<void> {
		await this.#fire("agent_end", { messages: [] });
		await this.#fire("agent_settled", { aborted });
	}

	#assistant(content: AssistantContent, stopReason: "stop" | "toolUse" | "aborted"): PiMessage {
		const counts = { input: this.promptTokens, output: 10, cacheRead: 0, cacheWrite: 0 };
		const usage = { ...counts, totalTokens: this.promptTokens + 10, cost: NOTHING_SPENT };
		const of = { api: "anthropic-messages" as const, provider: "fake", model: this.#model, usage };
		return { role: "assistant", content, ...of, stopReason, timestamp: Date.now() };
	}

	async #fire(type: string, fields: Fields): Promise<unknown[]> {
		const answers: unknown[] = [];
		for (const handler of this.#handlers.get(type) ?? []) {
			const answer = await handler({ type, ...fields }, this.#context());
			if (answer !== undefined) answers.push(answer);
		}
		return answers;
	}

	/** What weft uses of it. */
	#api(): ExtensionAPI {
		const heard = new Map<string, ((data: unknown) => void)[]>();
		const api = {
			on: (type: string, handler: Handler) => {
				this.#handlers.set(type, [...(this.#handlers.get(type) ?? []), handler]);
				return () => {};
			},
			registerTool: () => {},
			registerCommand: (name: string, command: Command) => void this.#commands.set(name, command),
			appendEntry: (customType: string, data: unknown) => void this.#session.appendCustomEntry(customType, data),
			getActiveTools: () => [],
			getAllTools: () => [],
			setActiveTools: () => {},
			events: {
				on: (name: string, hear: (data: unknown) => void) => heard.set(name, [...(heard.get(name) ?? []), hear]),
				emit: (name: string, data: unknown) => heard.get(name)?.forEach((hear) => void hear(data)),
			},
		};
		return api as unknown as ExtensionAPI;
	}

	#context(): ExtensionContext {
		const context = {
			cwd: this.#world.project,
			hasUI: true,
			mode: "rpc",
			ui: {
				notify: (text: string, level: string) => void (level === "warning" && this.said.push(text)),
				setStatus: () => {},
				setWidget: () => {},
			},
			sessionManager: this.#session,
			model: {
				id: this.#model,
				provider: "fake",
				api: "anthropic-messages",
				contextWindow: WINDOW_TOKENS,
				maxTokens: 8_000,
				cost: NOTHING_SPENT,
			},
			modelRegistry: {
				find: () => undefined,
				hasConfiguredAuth: () => false,
				complete: async () => ({ stopReason: "error", errorMessage: "There is no model here.", content: [] }),
			},
			isIdle: () => true,
			isProjectTrusted: () => false,
			getContextUsage: () => undefined,
			getSystemPrompt: () => "You are Pi.",
			compact: ({ onError }: { onError?: (error: Error) => void }) => onError?.(new Error("Nothing to compact")),
		};
		return context as unknown as ExtensionContext;
	}
}

type AssistantContent = Extract<PiMessage, { role: "assistant" }>["content"];
interface TurnEnd {
	readonly isLast?: boolean;
	readonly outcome?: "completed" | "aborted";
}
interface Compacted {
	readonly summary: string;
	readonly firstKeptEntryId: string;
	readonly tokensBefore: number;
	readonly details?: unknown;
}
type Draft =
	| { readonly type: "custom"; readonly customType: string; readonly data: unknown }
	| ({ readonly type: "compaction" } & Omit<Compacted, "tokensBefore">);

type ToolInput = Extract<AssistantContent[number], { type: "toolCall" }>["arguments"];

function toolOf(call: ScriptedCall): { readonly toolName: string; readonly input: ToolInput } {
	if (call.tool === "shell") return { toolName: "bash", input: { command: call.command } };
	if (call.tool === "read") return { toolName: "read", input: { path: call.path } };
	if (call.tool === "write") return { toolName: "write", input: { path: call.path, content: call.text } };
	return { toolName: "edit", input: { path: call.path, edits: [{ oldText: call.before, newText: call.after }] } };
}

function detailsOf(call: ScriptedCall, run: ToolRun): object | undefined {
	return call.tool === "edit" && run.text ? { patch: patchOf(call.path, run.text), diff: "" } : undefined;
}

/** Pi's own words behind an output: the status of a command that failed, or how to read on. */
function frameOf({ exit }: ToolRun, world: AgentWorld, call: ScriptedCall, limit: number | undefined): string {
	if (exit !== undefined && exit !== 0) return `\n\nCommand exited with code ${exit}`;
	if (call.tool !== "read" || limit === undefined) return "";
	const more = world.text(call.path).split("\n").length - limit;
	return more > 0 ? `\n\n[${more} more lines in file. Use offset=${limit + 1} to continue.]` : "";
}

function textsOf(message: unknown): string {
	const content = (message as { content?: unknown } | undefined)?.content;
	if (typeof content === "string") return content;
	const blocks = (content ?? []) as readonly { readonly type?: string; readonly text?: string }[];
	return blocks.map(({ text }) => text ?? "").join("");
}
