/**
 * The calls of OpenClaw's contract, each on an open log: what a turn delivers is recorded, what its model sees is
 * assembled, and the next turn is prepared. Any of them may throw; `live.ts` keeps that from the host.
 */

import { sha256 } from "../../base/hash/sha256.ts";
import { CACHE_TTL_MS } from "../../base/tokens/prices.ts";
import { HOST_CACHE } from "../../context/cache/ledger.ts";
import type { PlannedSeal } from "../../context/plan.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { thinkingRule } from "../../message/thinking-rules.ts";
import type { Door } from "../live/door.ts";
import type { LiveSession } from "../live/session.ts";
import { assemble } from "./assemble.ts";
import { Attempts } from "./attempts.ts";
import { compactSession, isRetry, isUrgent } from "./compact.ts";
import {
	type AfterTurnParams,
	type AgentMessage,
	type AssembleParams,
	type AssembleResult,
	agentOf,
	type BootstrapResult,
	type CommitTurnParams,
	type CompactParams,
	type CompactResult,
	type IngestBatchParams,
	type PromptCache,
	type RuntimeContext,
	type SessionParams,
	type SubagentEndReason,
	type SubagentSpawnParams,
	type TranscriptRewriteResult,
} from "./contract.ts";
import { summarisersFor } from "./host-model.ts";
import type { OpenClawProject } from "./live-project.ts";
import { compactDeferred, prepareNextTurn, rewriteResults, summariseAhead } from "./maintain.ts";
import { nameMessages, withoutRepeats } from "./message-names.ts";
import type { ContextEngineOptions } from "./open.ts";
import { withoutOwn } from "./own-message.ts";
import { updateAccount } from "./provider-counts.ts";
import { currentName, type Sessions } from "./sessions.ts";
import { endLife, prepareSpawn, sessionWithKey } from "./subagents.ts";
import { canNameTools } from "./system-prompt.ts";
import { hostIdOf, readHostRows, readTranscriptFile } from "./transcript-file.ts";
import { type CatchUpOptions, catchUp } from "./transcript-pages.ts";
import { commitTurn, recordUndelivered } from "./turn-receipt.ts";
import { windowOf } from "./window-account.ts";

export interface LiveTurnsOptions extends ContextEngineOptions {
	readonly now: () => number;
	readonly door: Door;
	readonly engine: Engine;
	readonly sessions: Sessions;
	readonly project: OpenClawProject;
}

/** A summary that took longer came from a model. */
const QUICK_MS = 500;

export class LiveTurns {
	readonly #options: LiveTurnsOptions;
	readonly #engine: Engine;
	readonly #sessions: Sessions;
	readonly #attempts = new Attempts();
	/** By session; only `assemble` gets the model's name. */
	readonly #models = new Map<string, string>();
	/** Prompts that were looked up in memory; each is looked up once. */
	readonly #recalledFor = new Set<string>();

	constructor(options: LiveTurnsOptions) {
		this.#options = options;
		this.#engine = options.engine;
		this.#sessions = options.sessions;
	}

	/** False: the host compacts. */
	get makesSeals(): boolean {
		return ["woven", "lossless"].includes(this.#engine.settings.mode);
	}

	async bootstrap(params: SessionParams): Promise<BootstrapResult> {
		const sessions = this.#sessions;
		sessions.of(params);
		const attempt = this.#attempts.of(params.sessionId);
		attempt.isFirst = true;
		const file = await readTranscriptFile(params.sessionFile);
		if (file) {
			const { added } = sessions.record(params, file.messages, "path");
			return { bootstrapped: true, importedMessages: added };
		}
		// A compaction in this turn has already read past the fence that the host now puts before the turn.
		const importedMessages = attempt.isCaughtUp ? 0 : await this.#catchUp(params);
		const window = params.runtimeContext?.tokenBudget;
		if (!this.#options.readTranscript) return { bootstrapped: true, importedMessages };
		if (importedMessages > 0) updateAccount(this.#engine, sessions, params, window);
		else if (window !== undefined) sessions.change(params, { window });
		return { bootstrapped: true, importedMessages };
	}

	/** Returns how many messages were new. */
	ingest(params: IngestBatchParams): number {
		const messages = withoutRepeats(withoutOwn(params.messages));
		if (params.isHeartbeat) return this.#sessions.of(params).recordHeartbeat(messages);
		return this.#sessions.record(params, messages, "batch").added;
	}

	endTurn(params: AfterTurnParams): void {
		const sessions = this.#sessions;
		const { messages, prePromptMessageCount, isHeartbeat, autoCompactionSummary: summary, runtimeContext } = params;
		this.#attempts.delete(params.sessionId);
		if (isHeartbeat) sessions.of(params).recordHeartbeat(withoutOwn(messages.slice(prePromptMessageCount)));
		else sessions.record(params, withoutOwn(messages), "path");
		this.#finishTurn(params);
		const budget = params.tokenBudget ?? runtimeContext?.tokenBudget;
		if (budget !== undefined && budget > 0) this.#deferCompaction(params, budget);
		sessions.change(params, { touchedAt: touchedAt(runtimeContext?.promptCache) });
		this.#recordCache(params, runtimeContext?.promptCache);
		if (!isHeartbeat) updateAccount(this.#engine, sessions, params, runtimeContext?.modelContextWindow);
		if (summary) this.#recordHostSummary(sessions.of(params).ref, summary);
	}

	async commit(params: CommitTurnParams): Promise<{ readonly status: "committed" | "duplicate" }> {
		const { door, now } = this.#options;
		await this.#readOlder(params);
		this.#attempts.delete(params.sessionId);
		const committed = commitTurn(this.#engine, this.#sessions, params, now());
		// The turn is in the log: a later failure must not make the host deliver it again.
		door.pass("commitTurn", () => {
			const window = params.runtimeContext?.modelContextWindow;
			if (!params.isHeartbeat) updateAccount(this.#engine, this.#sessions, params, window);
			this.#finishTurn(params);
		});
		return committed;
	}

	/** Undefined: the mode is off, and the host's messages stay as they are. */
	async assemble(params: AssembleParams): Promise<AssembleResult | undefined> {
		const engine = this.#engine;
		const sessions = this.#sessions;
		const attempt = this.#attempts.of(params.sessionId);
		attempt.isAsked = true;
		attempt.place ??= { sessionId: params.sessionId, sessionKey: params.sessionKey };
		if (params.model !== undefined) this.#models.set(params.sessionId, params.model);
		const namesTools = canNameTools(this.#options, params.availableTools);
		sessions.change(params, { hasTools: namesTools });
		const { isFirst, isCaughtUp } = attempt;
		if (isFirst && !attempt.isRetried) this.#leaveRetriedTurn(params);
		const room = this.#attempts.roomFor(params, sessions.state(params));
		if (this.#options.project.live.isOff) {
			if (!isCaughtUp) sessions.record(params, withoutOwn(params.messages), "path");
			return undefined;
		}
		const recalling = { asked: this.#recalledFor, liveOf: (ref: SessionRef) => this.#live(ref) };
		const onSeal = this.#tellSeal(params.model);
		const given = { engine, sessions, room, isFirst, isCaughtUp, namesTools, recalling, onSeal };
		const answer = await assemble(params, given);
		if (!isFirst && !isExtended(attempt.assembled, answer.messages)) this.#displaceTurn(params);
		attempt.assembled = answer.messages;
		return answer;
	}

	/**
	 * For a second try the host adds a message that its transcript never has ("Continue the current task …"). The thinking since then is
	 * bound to it, and valid in that turn only.
	 */
	#leaveRetriedTurn(params: AssembleParams): void {
		if (!this.#sessions.state(params).isRetried) return;
		this.#sessions.change(params, { isRetried: undefined, displacedAt: this.#options.now() });
	}

	/** Something before the current turn has changed: the thinking in it is bound to what was there. */
	#displaceTurn(params: AssembleParams): void {
		const { turnAnswers, now } = this.#options;
		if (thinkingRule({ model: params.model }) !== "bound") return;
		turnAnswers?.leaveOutThinking(params.sessionKey);
		this.#sessions.change(params, { displacedAt: now() });
	}

	async compact(params: CompactParams): Promise<CompactResult> {
		const engine = this.#engine;
		const sessions = this.#sessions;
		const attempt = this.#attempts.of(params.sessionId);
		attempt.isFirst = true;
		if (isRetry(params)) {
			attempt.isRetried = true;
			sessions.change(params, { isRetried: true });
		}
		await this.#catchUp(params);
		if (this.#options.readTranscript) updateAccount(engine, sessions, params, params.tokenBudget);
		const touched = touchedAt(params.runtimeContext?.promptCache);
		if (touched !== undefined) sessions.change(params, { touchedAt: touched });
		this.#recordCache(params, params.runtimeContext?.promptCache);
		const state = sessions.state(params);
		const { ref } = sessions.of(params);
		const configured = this.#options.summarisers ?? [];
		return compactSession(params, {
			engine,
			session: ref,
			account: state,
			models: isUrgent(params) ? [] : summarisersFor(configured, params.runtimeContext),
			model: this.#models.get(params.sessionId),
			namesTools: state.hasTools ?? false,
			isRead: !this.#options.readTranscript || attempt.isCaughtUp,
			hostEntry: async (entry) => hostIdOf(entry, await readHostRows(engine, params)),
			// A turn that waits for the compaction does not wait for a model too.
			beforeSeal: () => this.#refresh(ref, isUrgent(params) ? undefined : params.runtimeContext),
			onSeal: this.#tellSeal(this.#models.get(params.sessionId)),
		});
	}

	/** The context of a `warp` run is made for every run: there is nothing to tell. */
	#tellSeal(model: string | undefined): (session: SessionRef, seal: PlannedSeal) => void {
		const { notify, hasOwnTools = true } = this.#options;
		if (!notify || !this.makesSeals) return () => {};
		const search = hasOwnTools ? "/lcm search" : "weft grep WORDS";
		return (session, seal) => notify(this.#live(session).sealNotice(seal, search, model));
	}

	/** Messages leave the context in the host's own compaction too, so memory is written first. */
	async prepareHostCompaction(params: CompactParams): Promise<void> {
		this.#attempts.of(params.sessionId).isFirst = true;
		await this.#refresh(this.#sessions.of(params).ref, isUrgent(params) ? undefined : params.runtimeContext);
	}

	/** Writes the session's memory before messages leave. `lent`: with the model of the host, if it answers in time. */
	async #refresh(ref: SessionRef, lent: RuntimeContext | undefined): Promise<void> {
		const { project, hostSummaries } = this.#options;
		project.lent = hostSummaries === false ? undefined : lent?.llm;
		try {
			await this.#live(ref).beforeCompaction({ asks: lent === undefined ? "none" : "all" });
		} finally {
			project.lent = undefined;
		}
	}

	/** Undefined: the host's transcript stays as it is. */
	async maintain(params: SessionParams): Promise<TranscriptRewriteResult | undefined> {
		const { abortSignal: signal, runtimeContext: runtime } = params;
		const session = this.#sessions.of(params).ref;
		const { owes, hasTools: namesTools = false } = this.#sessions.state(params);
		if (owes !== undefined && runtime?.allowDeferredCompactionExecution) {
			await compactDeferred(this.#engine, session, { budget: owes, namesTools, signal });
			this.#sessions.change(params, { owes: undefined });
		}
		// The host allows deferred work only after a turn. Before a turn and in a compaction the user waits.
		const isAfterTurn = runtime?.allowDeferredCompactionExecution === true && this.makesSeals;
		const isQuick = await this.#writeAhead(params, session, isAfterTurn);
		if (!isAfterTurn) return undefined;
		await this.#prepareNextTurn(params, signal, isQuick ? runtime : undefined);
		return namesTools ? this.#rewriteTranscript(params, session) : undefined;
	}

	prepareSpawn(params: SubagentSpawnParams): { readonly parent: string; readonly rollback: () => Promise<void> } {
		const { parentSessionId: id, parentSessionKey: key } = params;
		const engine = this.#engine;
		const parent = id === undefined ? (sessionWithKey(engine, key) ?? key) : currentName(engine, id);
		return { parent, ...prepareSpawn(engine, params, parent, this.#options.now) };
	}

	endSubagent(params: { readonly childSessionKey: string; readonly reason: SubagentEndReason }): void {
		endLife(this.#engine, params.childSessionKey, params.reason, this.#options.now());
	}

	/** The sessions that asked for a context and whose turn was not delivered. Forgets all attempts. */
	takeOpenAttempts(): readonly CompactParams[] {
		return this.#attempts.takeOpen();
	}

	/**
	 * The host is done with a turn and has not delivered it: the turn failed, was aborted, or the host saw no end to it, as
	 * happens when it writes its marker of Anthropic's cache after the answer. The transcript has the turn all the same.
	 */
	async readUndelivered(params: CompactParams, until: number): Promise<void> {
		const remainingMs = () => Math.max(0, Math.floor(until - performance.now()));
		const added = await this.#catchUp(params, { maxMs: remainingMs() });
		if (added === 0) return;
		recordUndelivered(this.#engine, params.sessionId, added, this.#options.now());
		// The next turn reads the rest first, and updates the account then.
		if (!this.#attempts.of(params.sessionId).isCaughtUp) return;
		updateAccount(this.#engine, this.#sessions, params, undefined);
		this.#finishTurn(params);
		// After such a turn the host does not call `maintain`.
		if (this.makesSeals) await this.#prepareNextTurn(params, AbortSignal.timeout(remainingMs()));
	}

	close(): void {
		this.#options.door.pass("dispose", () => this.#sessions.flush());
		this.#options.project.live.end();
		this.#engine.close();
	}

	/** A turn from the host's outbox may arrive before anything was read: the rows before it are recorded first. */
	async #readOlder(params: CommitTurnParams): Promise<void> {
		const isLater = (params.admission?.activeMessagePosition ?? 0) > 0;
		if (!isLater || this.#attempts.has(params.sessionId)) return;
		const [before] = nameMessages(withoutOwn(params.messages));
		await this.#options.door.passAsync("commitTurn", () => this.#catchUp(params, { before }));
	}

	/** A heartbeat is not a turn of the user: it is recorded, and nothing else happens. */
	#finishTurn(params: CompactParams & { readonly isHeartbeat?: boolean | undefined }): void {
		if (params.isHeartbeat) this.#options.project.live.ship();
		else this.#live(this.#sessions.of(params).ref).turnEnded({ isRunOver: true });
	}

	/** Defers the compaction that the host's budget needs beyond our own rule. */
	#deferCompaction(params: AfterTurnParams, budget: number): void {
		if (!this.makesSeals) return;
		const { ref } = this.#sessions.of(params);
		const { tokens } = this.#engine.plan({ ...ref, window: windowOf(budget), decide: false });
		this.#sessions.change(params, { owes: tokens > budget ? budget : undefined });
	}

	#recordHostSummary(ref: SessionRef, summary: string): void {
		const payload = { kind: "auto_compaction" };
		const raw = JSON.stringify({ summary });
		const entry = `auto compaction ${sha256(summary)}`;
		this.#engine.record([{ type: "Entry", ...ref, ts: this.#options.now(), entry, payload, raw }]);
	}

	/** What the host saw of the provider's cache, for the ledger: only if it says more than before. */
	#recordCache(params: CompactParams, cache: PromptCache | undefined): void {
		const { retention, observation } = cache ?? {};
		const isKnown = retention === undefined || retention === this.#sessions.state(params).retention;
		if (isKnown && !observation?.broke) return;
		this.#sessions.change(params, { retention: retention ?? this.#sessions.state(params).retention });
		const data = JSON.parse(JSON.stringify({ retention, observation }));
		const { ref } = this.#sessions.of(params);
		this.#engine.record([{ type: "Custom", ...ref, ts: this.#options.now(), payload: { name: HOST_CACHE, data } }]);
	}

	/** A summary and the notes of the session. False: a model was asked, and one call is enough: the host tells the user when upkeep takes long. */
	async #writeAhead(params: SessionParams, session: SessionRef, isAfterTurn: boolean): Promise<boolean> {
		const { summarisers = [], hostSummaries, project } = this.#options;
		const lent = isAfterTurn && hostSummaries !== false ? params.runtimeContext : undefined;
		const start = performance.now();
		await summariseAhead(this.#engine, session, summarisersFor(summarisers, lent), params.abortSignal);
		const isQuick = () => performance.now() - start < QUICK_MS;
		if (!isAfterTurn) return isQuick();
		project.lent = isQuick() ? lent?.llm : undefined;
		await project.live.memory?.upkeep(session);
		project.lent = undefined;
		return isQuick();
	}

	/** Asks the planner exactly as the next `assemble` will. */
	#prepareNextTurn(params: CompactParams, signal?: AbortSignal, lent?: RuntimeContext): Promise<void> {
		const { touchedAt: lastAskedAt, window, hasTools: namesTools = false } = this.#sessions.state(params);
		const model = this.#models.get(params.sessionId);
		const input = { ...this.#sessions.of(params).ref, model, window: windowOf(window), namesTools, lastAskedAt };
		return prepareNextTurn(this.#engine, input, { beforeSeal: () => this.#refresh(input, lent), signal });
	}

	async #rewriteTranscript(params: SessionParams, session: SessionRef): Promise<TranscriptRewriteResult | undefined> {
		const rewrite = this.#options.rewriteTranscript ? params.runtimeContext?.rewriteTranscriptEntries : undefined;
		if (!rewrite) return undefined;
		const after = this.#sessions.state(params).rewritten ?? 0;
		const rows = await readHostRows(this.#engine, params);
		const rewritten = await rewriteResults(this.#engine, session, { rows, after, rewrite });
		if (rewritten) this.#sessions.change(params, { rewritten: rewritten.upTo });
		return rewritten?.result;
	}

	#live(ref: SessionRef): LiveSession {
		return this.#options.project.live.session(ref, this.#options.cwd);
	}

	/** Records the messages that only the host's transcript has. Returns how many. */
	async #catchUp(params: CompactParams, options?: CatchUpOptions): Promise<number> {
		const { readTranscript } = this.#options;
		const { sessionId, sessionKey, sessionTarget, agentId = sessionTarget?.agentId ?? agentOf(sessionKey) } = params;
		if (!readTranscript || agentId === undefined) return 0;
		const storePath = sessionTarget?.storePath;
		const target = { agentId, sessionId, ...(sessionKey !== undefined && { sessionKey }), storePath };
		const { added, isRead } = await catchUp(this.#sessions, params, target, readTranscript, options);
		const attempt = this.#attempts.of(sessionId);
		attempt.isCaughtUp = isRead;
		attempt.place = { sessionId, sessionKey, agentId, sessionTarget };
		return added;
	}
}

/** True: the model is sent the same again, and perhaps more. The host hands our own objects back, so few bytes are compared. */
function isExtended(before: readonly AgentMessage[] | undefined, after: readonly AgentMessage[]): boolean {
	const bytes = ({ role, content }: AgentMessage) => JSON.stringify([role, content]);
	const isSame = (one: AgentMessage, other = one) => one === other || bytes(one) === bytes(other);
	if (!before || before.length > after.length) return false;
	return before.every((message, at) => isSame(message, after[at]));
}

/** When the provider was last asked; its cache expires some time after that. */
function touchedAt(cache: PromptCache | undefined): number | undefined {
	return cache?.lastCacheTouchAt ?? (cache?.expiresAt === undefined ? undefined : cache.expiresAt - CACHE_TTL_MS);
}
