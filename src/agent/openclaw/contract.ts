/**
 * OpenClaw's contract of a context engine, in our own words: the older one, and what today's hosts add to it. Written down
 * here because the package that declares it is not a dependency of ours. Hosts pass more than they declare: whatever is not
 * named here is ignored.
 */

/** A message as the host has it: Pi's seven roles, with fields of the host's own. It is stored and given back whole. */
export interface AgentMessage {
	readonly role: string;
	readonly [field: string]: unknown;
}

export interface ContextEngineInfo {
	readonly id: string;
	readonly name: string;
	readonly version?: string;
	/** True: the host leaves compaction to the engine, and asks it before every model call. */
	readonly ownsCompaction?: boolean;
	readonly turnMaintenanceMode?: "foreground" | "background";
	/** What a host must be able to do; one that cannot refuses with these words. */
	readonly hostRequirements?: Readonly<
		Record<
			string,
			{ readonly requiredCapabilities: readonly string[]; readonly unsupportedMessage?: string | undefined }
		>
	>;
	/** Without both of them today's hosts put their own engine in the place of this one, with a warning only. */
	readonly transcriptSemantics?: {
		readonly currentTurnFence?: "before-current-turn-entry-v1";
		readonly turnAdvancementIdempotency?: "atomic-idempotent-v1";
	};
}

export interface SessionParams {
	readonly sessionId: string;
	readonly sessionKey?: string | undefined;
	/** A path in older hosts; in today's the session's key. */
	readonly sessionFile?: string | undefined;
	/** Where the host keeps the session. Its path differs from call to call: it names nothing. */
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
	/** The model's window. */
	readonly tokenBudget?: number | undefined;
	readonly modelContextWindow?: number | undefined;
	readonly currentTokenCount?: number | undefined;
	readonly promptCache?: PromptCache | undefined;
	/** The host itself asks for less: nobody may wait for a model now. */
	readonly trigger?: "overflow" | "budget" | "timeout_recovery" | undefined;
	readonly forceReason?: string | undefined;
	/** What was put off may be done now. */
	readonly allowDeferredCompactionExecution?: boolean | undefined;
	readonly rewriteTranscriptEntries?: (request: TranscriptRewriteRequest) => Promise<TranscriptRewriteResult>;
	/** The agent's own model. Not there in `assemble` and `commitTurn`. */
	readonly llm?: { readonly complete: (request: CompletionRequest) => Promise<Completion> };
	readonly [field: string]: unknown;
}

export interface PromptCache {
	/** Of the last call alone. */
	readonly lastCallUsage?: Usage | undefined;
	readonly lastCacheTouchAt?: number | undefined;
	/** When the provider forgets; ms since the epoch. */
	readonly expiresAt?: number | undefined;
}

export interface Usage {
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

export interface Completion {
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
	/** How many of the messages were there before the prompt was sent. */
	readonly prePromptMessageCount: number;
	readonly autoCompactionSummary?: string;
	readonly tokenBudget?: number;
}

export interface CommitTurnParams extends IngestBatchParams {
	/** The same for every delivery of the same turn, from whichever process. */
	readonly advancementKey: string;
	/** The user's row with which it began. `activeMessagePosition`: how many messages stand before it. */
	readonly admission?: { readonly activeMessagePosition?: number | undefined } | undefined;
	readonly terminal?: unknown;
}

export interface AssembleParams extends SessionParams {
	readonly messages: readonly AgentMessage[];
	readonly tokenBudget?: number;
	readonly availableTools?: ReadonlySet<string>;
	/** off: sources are not named to the user. Undefined: as it is useful. */
	readonly citationsMode?: "auto" | "on" | "off" | undefined;
	readonly model?: string;
	/** What the user has just said, where it is not among the messages yet. After an overflow it is the host's own text. */
	readonly prompt?: string;
}

export interface AssembleResult {
	readonly messages: readonly AgentMessage[];
	readonly estimatedTokens: number;
	/** preassembly_may_overflow: the host is to check the size by its own history too. */
	readonly promptAuthority?: "assembled" | "preassembly_may_overflow";
	/** Read from the first call of an attempt only. */
	readonly systemPromptAddition?: string;
}

export interface CompactParams extends SessionParams {
	readonly agentId?: string | undefined;
	readonly tokenBudget?: number;
	readonly force?: boolean;
	/** Of the whole prompt, sometimes of more: it can be too high, never take it for the messages alone. */
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
	/** fork: the child begins with its parent's messages. */
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
	/** Before each turn of a session that has a transcript, and before each retry. */
	bootstrap(params: SessionParams): Promise<BootstrapResult>;
	maintain(params: SessionParams): Promise<TranscriptRewriteResult>;
	/** The three of older hosts; today's call them for runs on the side only. */
	ingest(params: IngestParams): Promise<{ readonly ingested: boolean }>;
	ingestBatch(params: IngestBatchParams): Promise<{ readonly ingestedCount: number }>;
	afterTurn(params: AfterTurnParams): Promise<void>;
	/** Rejects where it fails: the host then keeps the turn and delivers it again. */
	commitTurn(params: CommitTurnParams): Promise<{ readonly status: "committed" | "duplicate" }>;
	/** Called several times a turn, with its own answer as the messages of the next call. */
	assemble(params: AssembleParams): Promise<AssembleResult>;
	compact(params: CompactParams): Promise<CompactResult>;
	prepareSubagentSpawn(params: SubagentSpawnParams): Promise<SubagentSpawnPreparation | undefined>;
	onSubagentEnded(params: { readonly childSessionKey: string; readonly reason: SubagentEndReason }): Promise<void>;
	dispose(): Promise<void>;
}
