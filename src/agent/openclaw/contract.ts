/**
 * OpenClaw's contract of a context engine, in our own words: the older one, and what today's hosts add. It is copied here
 * because the package that declares it is not a dependency. Hosts pass more fields than they declare; weft ignores those.
 */

/** A message of the host: Pi's seven roles, with fields of the host. weft stores it and returns it whole. */
export interface AgentMessage {
	readonly role: string;
	readonly [field: string]: unknown;
}

export interface ContextEngineInfo {
	readonly id: string;
	readonly name: string;
	readonly version?: string;
	/** True: the host leaves compaction to the engine, and asks it before each model call. */
	readonly ownsCompaction?: boolean;
	readonly turnMaintenanceMode?: "foreground" | "background";
	/** Capabilities that the host must have; without them it refuses with the message. */
	readonly hostRequirements?: Readonly<
		Record<
			string,
			{ readonly requiredCapabilities: readonly string[]; readonly unsupportedMessage?: string | undefined }
		>
	>;
	/** Without both, today's hosts use their own engine instead, with only a warning. */
	readonly transcriptSemantics?: {
		readonly currentTurnFence?: "before-current-turn-entry-v1";
		readonly turnAdvancementIdempotency?: "atomic-idempotent-v1";
	};
}

export interface SessionParams {
	readonly sessionId: string;
	readonly sessionKey?: string | undefined;
	/** A path in older hosts; the session's key in today's. */
	readonly sessionFile?: string | undefined;
	/** Where the host keeps the session. The path differs from call to call, so it does not identify the session. */
	readonly sessionTarget?: SessionTarget | undefined;
	readonly runtimeSettings?: RuntimeSettings | undefined;
	readonly runtimeContext?: RuntimeContext | undefined;
	readonly abortSignal?: AbortSignal | undefined;
}

export interface SessionTarget {
	readonly agentId?: string | undefined;
	readonly storePath?: string | undefined;
	readonly [field: string]: unknown;
}

export interface RuntimeSettings {
	readonly limits?:
		| {
				readonly promptTokenBudget?: number | null | undefined;
				readonly maxOutputTokens?: number | null | undefined;
		  }
		| undefined;
	readonly [field: string]: unknown;
}

export interface RuntimeContext {
	/** Tokens of the model's window. */
	readonly tokenBudget?: number | undefined;
	readonly modelContextWindow?: number | undefined;
	readonly currentTokenCount?: number | undefined;
	readonly promptCache?: PromptCache | undefined;
	/** The host needs a smaller context now: the compaction must not wait for a model. */
	readonly trigger?: "overflow" | "budget" | "timeout_recovery" | undefined;
	readonly forceReason?: string | undefined;
	/** True: deferred work may run now. */
	readonly allowDeferredCompactionExecution?: boolean | undefined;
	readonly rewriteTranscriptEntries?: (request: TranscriptRewriteRequest) => Promise<TranscriptRewriteResult>;
	/** The agent's own model. Absent in `assemble` and `commitTurn`. */
	readonly llm?: { readonly complete: (request: CompletionRequest) => Promise<HostCompletion> };
	readonly [field: string]: unknown;
}

export interface PromptCache {
	/** Only of the last call. */
	readonly lastCallUsage?: CallUsage | undefined;
	readonly lastCacheTouchAt?: number | undefined;
	/** When the provider's cache expires; ms since the epoch. */
	readonly expiresAt?: number | undefined;
	readonly retention?: "none" | "short" | "long" | "in_memory" | "24h" | undefined;
	/** What the host believes to have seen. */
	readonly observation?:
		| {
				readonly broke: boolean;
				readonly previousCacheRead?: number | undefined;
				readonly cacheRead?: number | undefined;
				readonly changes?: readonly { readonly code: string; readonly detail: string }[] | undefined;
		  }
		| undefined;
}

export interface CallUsage {
	readonly input?: number | undefined;
	readonly output?: number | undefined;
	readonly cacheRead?: number | undefined;
	readonly cacheWrite?: number | undefined;
}

export interface CompletionRequest {
	readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
	readonly purpose?: string;
	readonly maxTokens?: number;
}

export interface HostCompletion {
	readonly text: string;
	readonly stopReason?: string;
	readonly usage?: unknown;
}

export interface TranscriptRewriteRequest {
	readonly replacements: readonly { readonly entryId: string; readonly message: AgentMessage }[];
}

export interface TranscriptRewriteResult {
	readonly changed: boolean;
	readonly bytesFreed: number;
	readonly rewrittenEntries: number;
	readonly reason?: string;
}

export interface BootstrapResult {
	readonly bootstrapped: boolean;
	readonly importedMessages?: number;
	readonly reason?: string;
}

export interface IngestParams extends SessionParams {
	readonly message: AgentMessage;
	readonly isHeartbeat?: boolean;
}

export interface IngestBatchParams extends SessionParams {
	readonly messages: readonly AgentMessage[];
	readonly isHeartbeat?: boolean;
}

export interface AfterTurnParams extends IngestBatchParams {
	/** How many of the messages are older than the prompt. */
	readonly prePromptMessageCount: number;
	readonly autoCompactionSummary?: string;
	readonly tokenBudget?: number;
}

/** A row of the host's transcript. */
export interface TranscriptAnchor {
	readonly agentId?: string | undefined;
	readonly sessionId?: string | undefined;
	readonly sessionKey?: string | undefined;
	readonly storePath?: string | undefined;
	/** Changes when the transcript is rewritten. */
	readonly generation?: string | undefined;
	readonly entryId?: string | undefined;
	readonly rawSeq?: number | undefined;
	readonly effectiveParentId?: string | null | undefined;
	readonly activeMessagePosition?: number | undefined;
	readonly idempotencyKey?: string | undefined;
}

export interface CommitTurnParams extends IngestBatchParams {
	/** The same in every delivery of a turn, from any process. */
	readonly advancementKey: string;
	/** The user's row that began the turn. `activeMessagePosition`: how many messages come before it. */
	readonly admission?: (TranscriptAnchor & { readonly logicalTurnId?: string; readonly role?: "user" }) | undefined;
	/** The last row of the turn. */
	readonly terminal?: TranscriptAnchor | undefined;
}

export interface AssembleParams extends SessionParams {
	readonly messages: readonly AgentMessage[];
	readonly tokenBudget?: number;
	readonly availableTools?: ReadonlySet<string>;
	/** off: do not name sources to the user. Undefined: as useful. */
	readonly citationsMode?: "auto" | "on" | "off" | undefined;
	readonly model?: string;
	/** The user's newest words if they are not among the messages yet. After an overflow it is the host's own text. */
	readonly prompt?: string;
}

export interface AssembleResult {
	readonly messages: readonly AgentMessage[];
	readonly estimatedTokens: number;
	/** preassembly_may_overflow: the host also checks the size of its own history. */
	readonly promptAuthority?: "assembled" | "preassembly_may_overflow";
	/** The host reads it only from the first call of an attempt. */
	readonly systemPromptAddition?: string;
}

export interface CompactParams extends SessionParams {
	readonly agentId?: string | undefined;
	readonly tokenBudget?: number;
	readonly force?: boolean;
	/** Tokens of the whole prompt, sometimes of more. Never the size of the messages alone. */
	readonly currentTokenCount?: number;
	readonly compactionTarget?: "budget" | "threshold";
	readonly customInstructions?: string;
}

export interface CompactResult {
	readonly ok: boolean;
	/** False: nothing changed. */
	readonly compacted: boolean;
	readonly reason?: string;
	readonly result?: {
		readonly summary?: string;
		readonly firstKeptEntryId?: string;
		readonly tokensBefore: number;
		readonly tokensAfter?: number;
		readonly details?: unknown;
	};
}

export interface SubagentSpawnParams {
	readonly parentSessionKey: string;
	readonly childSessionKey: string;
	/** fork: the child starts with its parent's messages. */
	readonly contextMode?: "isolated" | "fork";
	readonly parentSessionId?: string;
	readonly childSessionId?: string;
	readonly ttlMs?: number;
}

export interface SubagentSpawnPreparation {
	/** The child could not be started. */
	readonly rollback: () => Promise<void>;
}

export type SubagentEndReason = "deleted" | "completed" | "swept" | "released";

export interface ContextEngine {
	readonly info: ContextEngineInfo;
	/** Called before each turn of a session that has a transcript, and before each retry. */
	bootstrap(params: SessionParams): Promise<BootstrapResult>;
	maintain(params: SessionParams): Promise<TranscriptRewriteResult>;
	/** Older hosts use these three. Today's use them only for runs outside of the conversation. */
	ingest(params: IngestParams): Promise<{ readonly ingested: boolean }>;
	ingestBatch(params: IngestBatchParams): Promise<{ readonly ingestedCount: number }>;
	afterTurn(params: AfterTurnParams): Promise<void>;
	/** Rejects on failure: the host then keeps the turn and delivers it again. */
	commitTurn(params: CommitTurnParams): Promise<{ readonly status: "committed" | "duplicate" }>;
	/** Called several times a turn; each answer comes back as the messages of the next call. */
	assemble(params: AssembleParams): Promise<AssembleResult>;
	compact(params: CompactParams): Promise<CompactResult>;
	prepareSubagentSpawn(params: SubagentSpawnParams): Promise<SubagentSpawnPreparation | undefined>;
	onSubagentEnded(params: { readonly childSessionKey: string; readonly reason: SubagentEndReason }): Promise<void>;
	dispose(): Promise<void>;
}

/** The agent's id in a session's key: `agent:main:…` names the agent main. */
export function agentOf(sessionKey: string | undefined): string | undefined {
	return /^agent:([^:]+):/.exec(sessionKey ?? "")?.[1];
}
