/**
 * A host that treats a context engine as OpenClaw 2026.9 does, in process and without a network: an engine for every turn,
 * the turn under way withheld from `assemble` and put behind its answer, call ids written anew for the provider, a transcript
 * with a cursor and a fence, an outbox, and a provider that refuses what is over the window. Each fact in it was seen in
 * the real host, which `npm run test:openclaw` runs.
 */
import type {
	AgentMessage,
	AssembleResult,
	CommitTurnParams,
	CompactResult,
	ContextEngine,
	TranscriptAnchor,
} from "../contract.ts";
import type { TranscriptPage, TranscriptQuery } from "../transcript-pages.ts";

/** Makes the engine of a turn, as a plugin's factory does. */
export type MakeEngine = (host: HostModel) => Promise<ContextEngine> | ContextEngine;

export interface HostOptions {
	readonly make: MakeEngine;
	/** Tokens of the model's window. */
	readonly window?: number;
	/** Tokens of system prompt and tools. */
	readonly overhead?: number;
	/** Names of the tools that the agent has; undefined: the host does not say. */
	readonly tools?: readonly string[];
	readonly sessionId?: string;
	/** What the session is called, without the agent: `whatsapp:direct:alice`. Undefined: the session's id. */
	readonly peer?: string;
	/** Given each request that leaves, in place of the list `requests`, which grows with the session. */
	readonly onRequest?: (request: Request) => void;
}

export interface Step {
	/** What the tool answers. */
	readonly result: string;
}

export interface TurnOptions {
	/**
	 * aborted, failed: the turn never reaches `commitTurn`; its rows are in the transcript all the same. undelivered: it was
	 * answered, and does not reach it either. The host does that where it writes a marker of its own behind the answer, as
	 * it does for Anthropic's cache: it then takes the turn for one without an end.
	 */
	readonly outcome?: "ok" | "aborted" | "failed" | "undelivered";
	readonly isHeartbeat?: boolean;
	/** How often `commitTurn` fails before the engine is asked; the host keeps the turn and delivers it again. */
	readonly lostCommits?: number;
	/** Another engine makes the context of this turn: ours is not asked and gets no commit. */
	readonly legacy?: boolean;
	/** The words of the model's answer. */
	readonly answer?: string;
}

export interface Request {
	readonly messages: readonly AgentMessage[];
	/** As the provider counts. */
	readonly tokens: number;
	readonly refused: boolean;
	readonly system: string;
	/** How many of the messages came from the engine. */
	readonly assembled: number;
}

interface HostRow {
	readonly entryId: string;
	message: AgentMessage;
}

const AGENT_ID = "main";
const MODEL = { modelId: "fake-1", provider: "fake" } as const;
const SAFE_COMPACTIONS = 3;
const RESERVE_TOKENS = 16_000;
const SUMMARY_CHARS = 400;

export class HostModel {
	readonly requests: Request[] = [];
	readonly compactions: CompactResult[] = [];
	/** What went wrong as the user sees it. */
	readonly errors: string[] = [];
	rows: HostRow[] = [];
	generation = 1;
	now = Date.UTC(2026, 2, 3, 12);
	/** What the cursor answers in place of a page. */
	cursorSays: "page" | "missing" | "unavailable" = "page";
	/** How many rows the cursor has handed out. */
	rowsRead = 0;
	/** The newest turn that was delivered, as the engine got it. */
	delivered: CommitTurnParams | undefined;
	readonly #options: Required<Pick<HostOptions, "make" | "window" | "overhead" | "sessionId">> & HostOptions;
	/** Index of the first row that the agent still sees. */
	#visibleFrom = 0;
	readonly #hidden = new Set<number>();
	#fence: number | undefined;
	#summary: AgentMessage | undefined;
	#turns = 0;
	#calls = 0;
	#outbox: CommitTurnParams[] = [];

	constructor(options: HostOptions) {
		this.#options = { window: 64_000, overhead: 5_000, sessionId: "s1", ...options };
	}

	get ids() {
		const { sessionId, peer = sessionId } = this.#options;
		return { sessionId, sessionKey: `agent:main:${peer}` };
	}

	get target() {
		const { ids } = this;
		const sessionTarget = { agentId: AGENT_ID, ...ids, storePath: "/host/agent.sqlite" };
		return { ...ids, sessionFile: ids.sessionKey, sessionTarget };
	}

	/** A compaction names the agent in place of the file. */
	get compactTarget() {
		const { sessionFile: _, ...target } = this.target;
		return { ...target, agentId: AGENT_ID };
	}

	/** Of bootstrap, maintain and commitTurn, as far as an engine reads it. */
	get runtimeContext() {
		const { window } = this.#options;
		return { modelContextWindow: window, tokenBudget: window, ...MODEL };
	}

	get outbox(): number {
		return this.#outbox.length;
	}

	/** The text of the model's answer; undefined: the turn failed. */
	async turn(prompt: string, steps: readonly Step[] = [], options: TurnOptions = {}): Promise<string | undefined> {
		const nth = ++this.#turns;
		const first = this.rows.length;
		const engine = options.legacy ? undefined : await this.#options.make(this);
		try {
			if (engine) await this.#deliver(engine);
			const run = new Run(this, engine, first);
			if (!(await run.preflight())) return this.#fail("Preflight compaction required but failed");
			this.add({ role: "user", content: prompt, idempotencyKey: `t${nth}:user` });
			this.#fence = first;
			const queue = [...steps];
			for (;;) {
				const sent = await run.ask(prompt);
				if (!sent) {
					this.#say([], 0, "error");
					return this.#fail("Agent run failed");
				}
				if (options.outcome === "failed" && queue.length < steps.length) return this.#fail("provider failed");
				const step = queue.shift();
				if (!step) break;
				this.#call(step, sent, nth);
				if (options.outcome === "aborted" && queue.length === 0) return undefined;
			}
			const answer = options.answer ?? `done ${nth}`;
			this.#say([{ type: "text", text: answer }], run.lastTokens, "stop");
			this.#fence = undefined;
			if (!engine || options.outcome === "undelivered") return answer;
			// No two turns of a host have the same key.
			const key = `${this.ids.sessionId}-turn-${nth}`;
			this.#outbox.push({
				...this.ids,
				sessionTarget: this.target.sessionTarget,
				advancementKey: key,
				admission: { ...this.#anchor(first), logicalTurnId: key, role: "user" },
				terminal: this.#anchor(this.rows.length - 1),
				messages: this.rows.slice(first).map(({ message }) => structuredClone(message)),
				isHeartbeat: options.isHeartbeat ?? false,
				runtimeContext: this.runtimeContext,
			});
			if (!options.lostCommits) await this.#deliver(engine);
			if (this.#outbox.length === 0)
				await engine.maintain({
					...this.target,
					runtimeContext: { ...this.runtimeContext, allowDeferredCompactionExecution: true },
				});
			return answer;
		} finally {
			this.#fence = undefined;
			await engine?.dispose();
		}
	}

	/** A reset keeps the id, the rows and the generation: the agent sees none of them any more. */
	reset(): void {
		this.now += 1_000;
		this.#visibleFrom = this.rows.length;
		this.#summary = undefined;
	}

	/** Compaction that the user asks for, between turns. */
	async compact(): Promise<CompactResult> {
		const engine = await this.#options.make(this);
		const runtimeContext = { forceReason: "manual" };
		const answer = await engine.compact({
			...this.compactTarget,
			tokenBudget: this.#options.window,
			force: true,
			compactionTarget: "threshold",
			runtimeContext,
		});
		await engine.dispose();
		return answer;
	}

	/** The host's own compaction: what it shows begins with a summary, then the newest rows. The transcript stays. */
	compactItself(keptTokens: number): CompactResult {
		const tokensBefore = this.count(this.visible(this.rows.length));
		let at = this.rows.length;
		for (let left = keptTokens; at > this.#visibleFrom; at--) {
			left -= Math.ceil(JSON.stringify(this.rows[at - 1]?.message).length / 4);
			if (left < 0) break;
		}
		// A result needs its call.
		while (at < this.rows.length && this.rows[at]?.message.role !== "user") at++;
		if (at <= this.#visibleFrom) return { ok: true, compacted: false, reason: "Nothing to compact" };
		const newest = this.rows.slice(0, at).findLast(({ message }) => message.role === "user")?.message["content"];
		this.#summary = {
			role: "user",
			content: `Summary of what was said before. Asked last: ${String(newest).slice(0, SUMMARY_CHARS)}`,
		};
		this.#visibleFrom = at;
		return {
			ok: true,
			compacted: true,
			result: { tokensBefore, tokensAfter: this.count(this.visible(this.rows.length)) },
		};
	}

	/** The host rewrites its transcript: the rows get new ids, long results are cut. */
	rewrite(most: number): void {
		this.generation++;
		this.rows = this.rows.map(({ message }, at) => {
			const [block] = message.role === "toolResult" ? (message["content"] as { type: string; text: string }[]) : [];
			const text = block && block.text.length > most ? `${block.text.slice(0, most)}[cut]` : undefined;
			const cut = text === undefined ? message : { ...message, content: [{ type: "text", text }] };
			return { entryId: `g${this.generation}-${at}`, message: cut };
		});
	}

	/** Rows are replaced by these messages, at an engine's wish: they get new ids, and the transcript is another one. */
	rewriteRows(messages: ReadonlyMap<string, AgentMessage>): void {
		this.generation++;
		this.rows = this.rows.map(({ entryId, message }) => {
			const replaced = messages.get(entryId);
			return replaced ? { entryId: `g${this.generation}-${entryId}`, message: replaced } : { entryId, message };
		});
	}

	readTranscript = async ({ cursor, maxBytes = 1_000_000 }: TranscriptQuery): Promise<TranscriptPage> => {
		if (this.cursorSays !== "page") return { kind: this.cursorSays };
		const [generation, position] = cursor === undefined ? [this.generation, 0] : cursor.split(" ").map(Number);
		if (generation !== this.generation) return { kind: "reset", cursor: `${this.generation} 0` };
		if (this.#fence !== undefined && position! > this.#fence) throw new Error("crossed the admission fence");
		const end = this.#fence ?? this.rows.length;
		const entries: { entryId: string; message: AgentMessage }[] = [];
		let bytes = 0;
		let at = position!;
		for (; at < end; at++) {
			const row = this.rows[at]!;
			bytes += JSON.stringify(row.message).length;
			if (bytes > maxBytes) break;
			entries.push(structuredClone(row));
		}
		this.rowsRead += entries.length;
		const next = entries.length === 0 && at < end ? { requiredBytes: bytes } : {};
		return { kind: "page", cursor: `${this.generation} ${at}`, hasMore: at < end, entries, ...next };
	};

	async unfenced<Answer>(work: () => Promise<Answer>): Promise<Answer> {
		const fence = this.#fence;
		this.#fence = undefined;
		try {
			return await work();
		} finally {
			this.#fence = fence;
		}
	}

	/** What the agent sees of the rows from one index to another, as the host hands it over. */
	visible(to: number): AgentMessage[] {
		const seen = this.rows.slice(0, to).filter((_, at) => at >= this.#visibleFrom && !this.#hidden.has(at));
		const own = this.#summary && to >= this.#visibleFrom ? [this.#summary] : [];
		return merged([...own, ...seen.map(({ message }) => forProvider(message)).filter((each) => !isWordless(each))]);
	}

	/** Rows that the host leaves out of what it shows, as it does with heartbeats. */
	hide(from: number, to: number): void {
		for (let at = from; at < to; at++) this.#hidden.add(at);
	}

	add(message: Record<string, unknown> & { readonly role: string }): void {
		this.now += 1_000;
		this.rows.push({
			entryId: `row-${this.rows.length}`,
			message: { ...message, timestamp: this.now, __openclaw: { runId: `run-${this.#turns}` } },
		});
	}

	leave(request: Request): void {
		const { onRequest } = this.#options;
		if (onRequest) onRequest(request);
		else this.requests.push(request);
	}

	count(messages: readonly AgentMessage[]): number {
		return this.#options.overhead + Math.ceil(JSON.stringify(messages).length / 4);
	}

	/** A row as the real host names it in a delivered turn. */
	#anchor(at: number): TranscriptAnchor {
		const { sessionTarget } = this.target;
		const key = this.rows[at]?.message["idempotencyKey"];
		return {
			...sessionTarget,
			generation: String(this.generation),
			entryId: this.rows[at]?.entryId,
			rawSeq: at + 1,
			effectiveParentId: this.rows[at - 1]?.entryId ?? null,
			activeMessagePosition: at,
			...(typeof key === "string" && { idempotencyKey: key }),
		};
	}

	/** The model asks for a tool, and gets its answer. */
	#call({ result }: Step, tokens: number, nth: number): void {
		const id = `call_${++this.#calls}`;
		const path = `part-${nth}-${this.#calls}.txt`;
		this.#say([{ type: "toolCall", id, name: "read", arguments: { path } }], tokens, "toolUse");
		const content = [{ type: "text", text: result }];
		this.add({ role: "toolResult", toolCallId: id, toolName: "read", content, isError: false });
	}

	#say(content: unknown, tokens: number, stopReason: string): void {
		const usage = { input: tokens, output: 20, cacheRead: 0, cacheWrite: 0 };
		const model = { api: "openai-completions", provider: "fake", model: "fake-1" };
		this.add({ role: "assistant", content, ...model, usage, stopReason, responseId: `r${this.rows.length}` });
	}

	async #deliver(engine: ContextEngine): Promise<void> {
		while (this.#outbox.length > 0) {
			await engine.commitTurn(structuredClone(this.#outbox[0]!));
			this.delivered = this.#outbox.shift();
		}
	}

	#fail(error: string): undefined {
		this.errors.push(error);
		return undefined;
	}

	get options() {
		return this.#options;
	}
}

/** One run of the agent: attempts, each after a compaction, and the requests that leave. */
class Run {
	readonly #host: HostModel;
	readonly #engine: ContextEngine | undefined;
	/** Index of the first row of the turn under way; after a compaction everything so far is history. */
	#pendingFrom: number;
	#history: readonly AgentMessage[] | undefined;
	#addition = "";
	#goOn: AgentMessage | undefined;
	#compactions = 0;
	lastTokens = 0;

	constructor(host: HostModel, engine: ContextEngine | undefined, first: number) {
		this.#host = host;
		this.#engine = engine;
		this.#pendingFrom = first;
	}

	/** Before a turn the host counts its whole transcript, and asks for less where that is over the window. */
	async preflight(): Promise<boolean> {
		const { window } = this.#host.options;
		const raw = this.#host.count(this.#host.visible(this.#host.rows.length));
		if (!this.#engine || raw < window - RESERVE_TOKENS / 2) return true;
		const answer = await this.#compact("preflight_required", raw);
		return answer.compacted || /nothing to compact|already under target|already compacted/i.test(answer.reason ?? "");
	}

	/** Tokens of the request that was answered; undefined: nothing helped. */
	async ask(prompt: string): Promise<number | undefined> {
		for (;;) {
			const rows = this.#host.rows.slice(this.#pendingFrom).map(({ message }) => forProvider(message));
			const pending = [...(this.#goOn ? [this.#goOn] : []), ...rows];
			if (!this.#history) await this.#begin(prompt);
			const assembled = this.#engine?.info.ownsCompaction ? await this.#loop(prompt, pending) : undefined;
			const history = assembled?.messages ?? this.#history!;
			const messages = [...history, ...pending];
			const tokens = this.#host.count(messages) + Math.ceil(this.#addition.length / 4);
			const refused = tokens > this.#host.options.window;
			const sent = { messages: structuredClone(messages), tokens, refused, system: this.#addition };
			this.#host.leave({ ...sent, assembled: history.length });
			this.lastTokens = tokens;
			if (!refused) return tokens;
			if (!this.#engine || ++this.#compactions > SAFE_COMPACTIONS) return undefined;
			const { compacted } = await this.#compact("overflow", tokens);
			if (!compacted) return undefined;
			this.#goOnAfterCompaction();
		}
	}

	/** Words that nobody has answered yet stand in the prompt then, and no more in the history. */
	#goOnAfterCompaction(): void {
		const { rows } = this.#host;
		const newest = rows.at(-1)!.message;
		const isUser = newest.role === "user";
		this.#pendingFrom = rows.length;
		this.#history = undefined;
		this.#goOn = isUser ? { ...newest, content: `${QUEUED}\n${newest["content"]}\n\nContinue the task.` } : undefined;
	}

	async #begin(prompt: string): Promise<void> {
		const host = this.#host;
		// The user's row is written some time before anybody is asked.
		host.now += 200;
		const given = host.visible(this.#pendingFrom - (this.#goOn ? 1 : 0));
		this.#history = given;
		if (!this.#engine) return;
		if (host.rows.length > 1) {
			await this.#engine.bootstrap({
				...host.target,
				runtimeContext: { tokenBudget: host.options.window, provider: MODEL.provider },
			});
			await this.#engine.maintain({ ...host.target, runtimeContext: host.runtimeContext });
		}
		const budget = host.options.window - RESERVE_TOKENS - Math.ceil(host.options.overhead / 3);
		const answer = await this.#assemble(given, prompt, budget);
		this.#history = answer.messages;
		this.#addition = answer.systemPromptAddition ?? "";
	}

	/** Before each model call; the history that the engine gets is its own last answer. */
	async #loop(prompt: string, pending: readonly AgentMessage[]): Promise<AssembleResult> {
		const tokens = Math.ceil(pending.reduce((sum, message) => sum + JSON.stringify(message.content).length, 0) / 4);
		const answer = await this.#assemble(this.#history!, prompt, Math.max(1, this.#host.options.window - tokens));
		return answer;
	}

	async #assemble(given: readonly AgentMessage[], prompt: string, tokenBudget: number): Promise<AssembleResult> {
		const { tools } = this.#host.options;
		const messages = structuredClone(given);
		const availableTools = tools && new Set(tools);
		return this.#engine!.assemble({
			...this.#host.ids,
			messages,
			prompt,
			tokenBudget,
			model: "fake-1",
			...(availableTools && { availableTools }),
			runtimeSettings: { limits: { promptTokenBudget: tokenBudget, maxOutputTokens: 16_000 } },
		});
	}

	async #compact(why: "overflow" | "preflight_required", currentTokenCount: number): Promise<CompactResult> {
		// There the cursor is not fenced: the turn under way can be read.
		const answer = await this.#host.unfenced(() =>
			this.#engine!.compact({
				...this.#host.compactTarget,
				tokenBudget: this.#host.options.window,
				currentTokenCount,
				force: true,
				compactionTarget: "budget",
				runtimeContext: why === "overflow" ? { trigger: why } : { forceReason: why },
			}),
		);
		this.#host.compactions.push(answer);
		return answer;
	}
}

const QUEUED =
	"[Queued user message from a previous active turn; preserved as context only. Continue with the active prompt below.]";

/** Where the provider refused, the host writes an answer without words. It shows none of them. */
function isWordless({ role, content }: AgentMessage): boolean {
	return role === "assistant" && Array.isArray(content) && content.length === 0;
}

/** The user's messages in a row become one, with the time of the last. */
function merged(messages: readonly AgentMessage[]): AgentMessage[] {
	const blocks = ({ content }: AgentMessage) =>
		typeof content === "string" ? [{ type: "text", text: content }] : (content as object[]);
	const made: AgentMessage[] = [];
	for (const message of messages) {
		const before = made.at(-1);
		const isRow = before?.role === "user" && message.role === "user";
		if (isRow) made[made.length - 1] = { ...message, content: [...blocks(before), ...blocks(message)] };
		else made.push(message);
	}
	return made;
}

/** Some providers take letters and digits only: the host writes ids anew for all of them. */
function forProvider(message: AgentMessage): AgentMessage {
	const plain = (id: unknown) => String(id).replace(/[^a-zA-Z0-9]/g, "");
	const copy = structuredClone(message) as Record<string, unknown> & { role: string };
	if (copy.role === "toolResult") copy["toolCallId"] = plain(copy["toolCallId"]);
	if (copy.role === "assistant") {
		copy["content"] = (copy["content"] as Record<string, unknown>[]).map((block) =>
			block["type"] === "toolCall" ? { ...block, id: plain(block["id"]) } : block,
		);
	}
	return copy;
}
