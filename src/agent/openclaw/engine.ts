/**
 * weft as a context engine of OpenClaw, older contract and today's. Hosts make one for every turn and dispose of it
 * afterwards; everything that must outlive it is in the log. It never breaks a turn: whatever fails, the host's own
 * messages go out unchanged. The one exception is `commitTurn`, which rejects, because the host then keeps the turn and
 * delivers it again.
 *
 * ```ts
 * api.registerContextEngine("weft", ({ workspaceDir }) => createContextEngine({ cwd: workspaceDir }));
 * ```
 */

import { EngineError } from "../../base/error/engine-error.ts";
import { ownVersion } from "../../base/file/package-file.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { printable } from "../../base/text/printable.ts";
import { CACHE_TTL_MS } from "../../base/tokens/prices.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { Door } from "../live/door.ts";
import type { LiveSession } from "../live/session.ts";
import { roomOf } from "./account.ts";
import { type AssembleContext, assemble } from "./assemble.ts";
import { commitTurn, noteUndelivered } from "./commit-turn.ts";
import { compactSession, isUrgent } from "./compact.ts";
import type {
	AfterTurnParams,
	AssembleParams,
	AssembleResult,
	BootstrapResult,
	CommitTurnParams,
	CompactParams,
	CompactResult,
	ContextEngine,
	ContextEngineInfo,
	PromptCache,
	TranscriptRewriteResult,
} from "./contract.ts";
import { FaultLog } from "./faults.ts";
import { hasTools, hostMemory, withHostMemory } from "./guidance.ts";
import { hostIdOf, hostRows } from "./host-rows.ts";
import { nameMessages } from "./identity.ts";
import { keepAccount } from "./learn-account.ts";
import { type OpenClawProject, openClawProject } from "./live-project.ts";
import { getReady, rewriteResults, summariseAhead, workOff } from "./maintain.ts";
import { type ContextEngineOptions, openLog } from "./open.ts";
import { withoutOwn } from "./own-message.ts";
import { agentOf } from "./session-key.ts";
import { currentName, Sessions } from "./sessions.ts";
import { weighAll, windowOf } from "./size.ts";
import { endLife, prepareSpawn, sessionWithKey } from "./subagents.ts";
import { summarisersFor } from "./summariser.ts";
import { type CatchUpOptions, catchUp } from "./transcript.ts";
import { readTranscriptFile } from "./transcript-file.ts";

export function createContextEngine(options: ContextEngineOptions): ContextEngine {
	const now = options.now ?? Date.now;
	const warn = options.warn ?? ((message: string) => process.stderr.write(`weft: ${printable(message)}\n`));
	const problems: string[] = [];
	const opened = openLog(options, (problem) => {
		problems.push(problem);
		warn(problem);
	});
	const engine = opened?.settings.enabled ? opened : undefined;
	const isOff = opened !== undefined && !engine;
	if (isOff) opened.close();
	const faults = new FaultLog(engine, now);
	const door = new Door({
		record: (fault) => faults.add(fault),
		tell: warn,
		consequence: "OpenClaw carries on with its own messages",
	});
	const working = engine && {
		engine,
		sessions: new Sessions({ engine, cwd: options.cwd, now }),
		project: openClawProject(engine, { env: options.env, now, onFault: (where, error) => door.fail(where, error) }),
	};
	return new OpenClawEngine({ ...options, isOff, why: problems.at(-1) }, now, { door, faults }, working);
}

export type { ContextEngineOptions };

/** Hosts that cannot do this refuse in plain words, and the turn is not lost in a half-done one. */
const HOST_REQUIREMENTS: NonNullable<ContextEngineInfo["hostRequirements"]> = {
	"agent-run": {
		requiredCapabilities: ["assemble-before-prompt"],
		unsupportedMessage:
			"weft makes the context of every request, which this runtime does not allow. Use OpenClaw's embedded runtime, or set plugins.slots.contextEngine to legacy.",
	},
};

const QUICK_MS = 500;
/** An engine is disposed of within a second: so long it may read what was not delivered, and get the next turn ready. */
const DISPOSE_MS = 800;

/** What a turn's calls say, by session. */
interface Attempt {
	/** True: the next `assemble` is the first of an attempt. */
	isFirst: boolean;
	/** True: everything before the turn under way was read from the host's transcript. */
	isCaughtUp: boolean;
	/** The smallest budget so far; undefined: none was named. */
	least: number | undefined;
	/** True: the host asked what the model sees. */
	isAsked: boolean;
	/** Where its transcript is, as far as the host has said it. */
	place: CompactParams | undefined;
}

/** `isOff`: the user's settings say so; then nothing failed. `why`: what keeps the log from being opened. */
type EngineOptions = ContextEngineOptions & { readonly isOff: boolean; readonly why: string | undefined };
type Doors = { readonly door: Door; readonly faults: FaultLog };
type Working = {
	readonly engine: Engine;
	readonly sessions: Sessions;
	readonly project: OpenClawProject;
};

class OpenClawEngine implements ContextEngine {
	readonly info: ContextEngineInfo;
	readonly #options: EngineOptions;
	readonly #now: () => number;
	readonly #doors: Doors;
	readonly #working: Working | undefined;
	readonly #attempts = new Map<string, Attempt>();
	/** By session: only `assemble` is told. */
	readonly #models = new Map<string, string>();
	/** The words of the user for which memory was asked: once for each. */
	readonly #recalledFor = new Set<string>();

	constructor(options: EngineOptions, now: () => number, doors: Doors, working: Working | undefined) {
		this.#options = options;
		this.#now = now;
		this.#doors = doors;
		this.#working = working;
		this.info = {
			id: "weft",
			name: "weft",
			version: ownVersion(),
			// Where we cannot keep a log, or nothing is ever sealed, the host must go on compacting.
			ownsCompaction: working !== undefined && ["woven", "lossless"].includes(working.engine.settings.mode),
			turnMaintenanceMode: "background",
			hostRequirements: HOST_REQUIREMENTS,
			transcriptSemantics: {
				currentTurnFence: "before-current-turn-entry-v1",
				turnAdvancementIdempotency: "atomic-idempotent-v1",
			},
		};
	}

	bootstrap: ContextEngine["bootstrap"] = (params) =>
		this.#pass<BootstrapResult>(
			"bootstrap",
			params.sessionId,
			async () => {
				const { engine, sessions } = this.#need();
				sessions.of(params);
				this.#attempt(params.sessionId).isFirst = true;
				const file = await readTranscriptFile(params.sessionFile);
				if (file) {
					const { added } = sessions.record(params, file.messages, "path");
					return { bootstrapped: true, importedMessages: added };
				}
				// A compaction of this turn read on, beyond the fence that stands before it now.
				const isRead = this.#attempt(params.sessionId).isCaughtUp;
				const importedMessages = isRead ? 0 : await this.#catchUp(params);
				const window = params.runtimeContext?.tokenBudget;
				if (!this.#options.readTranscript) return { bootstrapped: true, importedMessages };
				if (importedMessages > 0) keepAccount(engine, sessions, params, window);
				else if (window !== undefined) sessions.change(params, { window });
				return { bootstrapped: true, importedMessages };
			},
			() => ({ bootstrapped: false, reason: "weft keeps no record of this session now." }),
		);

	ingest: ContextEngine["ingest"] = async ({ message, ...rest }) => {
		const { ingestedCount } = await this.ingestBatch({ ...rest, messages: [message] });
		return { ingested: ingestedCount > 0 };
	};

	ingestBatch: ContextEngine["ingestBatch"] = (params) =>
		this.#pass(
			"ingest",
			params.sessionId,
			async () => {
				const { sessions } = this.#need();
				const messages = withoutOwn(params.messages);
				if (params.isHeartbeat) return { ingestedCount: sessions.of(params).recordHeartbeat(messages) };
				return { ingestedCount: sessions.record(params, messages, "batch").added };
			},
			() => ({ ingestedCount: 0 }),
		);

	afterTurn: ContextEngine["afterTurn"] = (params) =>
		this.#pass(
			"afterTurn",
			params.sessionId,
			async () => this.#endTurn(params),
			() => undefined,
		);

	commitTurn: ContextEngine["commitTurn"] = async (params) => {
		// Nobody waits for this turn. When weft is on again, it reads it from the host's transcript.
		if (this.#options.isOff) return { status: "committed" };
		this.#doors.faults.session = params.sessionId;
		try {
			const { engine, sessions } = this.#need();
			await this.#takeOlder(params);
			this.#attempts.delete(params.sessionId);
			const committed = commitTurn(engine, sessions, params, this.#now());
			// The turn is in the log now. What fails from here on does not make the host deliver it again.
			this.#doors.door.pass("commitTurn", () => {
				if (!params.isHeartbeat) keepAccount(engine, sessions, params, params.runtimeContext?.modelContextWindow);
				this.#turnEnded(params);
			});
			return committed;
		} catch (error) {
			// What keeps the log from being opened was told when that was tried.
			if (this.#working) this.#doors.door.fail("commitTurn", error);
			throw error;
		}
	};

	assemble: ContextEngine["assemble"] = async (params) => {
		const { memoryPrompt } = this.#options;
		const words = memoryPrompt && this.#doors.door.pass("memoryPrompt", () => hostMemory(memoryPrompt, params));
		return withHostMemory(await this.#assemble(params), words);
	};

	#assemble(params: AssembleParams): Promise<AssembleResult> {
		return this.#pass(
			"assemble",
			params.sessionId,
			async () => {
				const { engine, sessions, project } = this.#need();
				const attempt = this.#attempt(params.sessionId);
				attempt.isAsked = true;
				attempt.place ??= { sessionId: params.sessionId, sessionKey: params.sessionKey };
				if (params.model !== undefined) this.#models.set(params.sessionId, params.model);
				const namesTools = this.#options.hasOwnTools !== false && hasTools(params.availableTools);
				sessions.change(params, { hasTools: namesTools });
				const room = this.#room(params);
				const { isCaughtUp } = attempt;
				if (!project.live.isOff) {
					const asked = this.#recalledFor;
					const liveOf = (ref: SessionRef) => this.#live(ref);
					return assemble(params, { engine, sessions, room, isCaughtUp, namesTools, recalling: { asked, liveOf } });
				}
				if (!isCaughtUp) sessions.record(params, withoutOwn(params.messages), "path");
				return asGiven(params);
			},
			() => asGiven(params),
		);
	}

	compact: ContextEngine["compact"] = async (params) => {
		this.#attempt(params.sessionId).isFirst = true;
		const { delegate } = this.#options;
		const isOurs = this.info.ownsCompaction || !delegate;
		const own = () => this.#compact(params);
		if (!isOurs)
			await this.#pass(
				"compact",
				params.sessionId,
				async () => this.#keepBefore(params),
				() => undefined,
			);
		const answer = isOurs ? await this.#pass("compact", params.sessionId, own, () => undefined) : undefined;
		if (answer) return answer;
		// Where nobody compacts, the host gives up this turn and every later one of the session.
		const theirs = delegate && (await this.#doors.door.passAsync("delegate", () => delegate(params)));
		return theirs ?? { ok: false, compacted: false, reason: "weft could not compact." };
	};

	/** Something leaves the context, whoever compacts: memory is written first. */
	#keepBefore(params: CompactParams): void {
		this.#live(this.#need().sessions.of(params).ref).beforeCompaction();
	}

	async #compact(params: CompactParams): Promise<CompactResult | undefined> {
		const { engine, sessions } = this.#need();
		const attempt = this.#attempt(params.sessionId);
		await this.#catchUp(params);
		if (this.#options.readTranscript) keepAccount(engine, sessions, params, params.tokenBudget);
		const touched = touchedAt(params.runtimeContext?.promptCache);
		if (touched !== undefined) sessions.change(params, { touchedAt: touched });
		this.#keepBefore(params);
		const state = sessions.state(params);
		const configured = this.#options.summarisers ?? [];
		return compactSession(params, {
			engine,
			session: sessions.of(params).ref,
			account: state,
			models: isUrgent(params) ? [] : summarisersFor(configured, params.runtimeContext),
			model: this.#models.get(params.sessionId),
			namesTools: state.hasTools ?? false,
			isRead: !this.#options.readTranscript || attempt.isCaughtUp,
			hostEntry: async (entry) => hostIdOf(entry, await hostRows(engine, params)),
		});
	}

	maintain: ContextEngine["maintain"] = (params) =>
		this.#pass(
			"maintain",
			params.sessionId,
			async () => {
				const { engine, sessions, project } = this.#need();
				const { abortSignal: signal, runtimeContext: runtime } = params;
				const session = sessions.of(params).ref;
				const { owes, hasTools: namesTools = false } = sessions.state(params);
				if (owes !== undefined && runtime?.allowDeferredCompactionExecution) {
					await workOff(engine, session, { budget: owes, namesTools, signal });
					sessions.change(params, { owes: undefined });
				}
				const { summarisers = [], hostSummaries, rewriteTranscript } = this.#options;
				// Before a turn, and in a compaction, somebody waits. After a turn the host allows what was put off.
				const isAfterTurn = runtime?.allowDeferredCompactionExecution === true && this.info.ownsCompaction;
				const lent = isAfterTurn && hostSummaries !== false ? runtime : undefined;
				const start = performance.now();
				await summariseAhead(engine, session, summarisersFor(summarisers, lent), signal);
				// One call of a model at most: the host tells the user when upkeep takes long.
				const isQuick = performance.now() - start < QUICK_MS;
				if (isAfterTurn) {
					project.lent = isQuick ? lent?.llm : undefined;
					await project.live.memory?.upkeep(session);
					project.lent = undefined;
				}
				if (isAfterTurn) await this.#getReady(params, signal);
				const rewrite = rewriteTranscript && isAfterTurn ? runtime?.rewriteTranscriptEntries : undefined;
				const after = sessions.state(params).rewritten ?? 0;
				const rewritten =
					rewrite && namesTools
						? await rewriteResults(engine, session, { rows: await hostRows(engine, params), after, rewrite })
						: undefined;
				if (rewritten) sessions.change(params, { rewritten: rewritten.upTo });
				const none = "weft leaves the transcript as it is: assemble computes what the model sees.";
				return rewritten?.result ?? untouched(none);
			},
			() => untouched("weft keeps no record of this session now."),
		);

	prepareSubagentSpawn: ContextEngine["prepareSubagentSpawn"] = (params) =>
		this.#pass(
			"prepareSubagentSpawn",
			params.parentSessionId ?? params.parentSessionKey,
			async () => {
				const { engine } = this.#need();
				const { parentSessionId, parentSessionKey } = params;
				const parent =
					parentSessionId === undefined
						? (sessionWithKey(engine, parentSessionKey) ?? parentSessionKey)
						: currentName(engine, parentSessionId);
				const { rollback } = prepareSpawn(engine, params, parent, this.#now);
				return { rollback: () => this.#pass("rollback", parent, rollback, () => undefined) };
			},
			() => undefined,
		);

	onSubagentEnded: ContextEngine["onSubagentEnded"] = ({ childSessionKey, reason }) =>
		this.#pass(
			"onSubagentEnded",
			childSessionKey,
			async () => endLife(this.#need().engine, childSessionKey, reason, this.#now()),
			() => undefined,
		);

	async dispose(): Promise<void> {
		const until = performance.now() + DISPOSE_MS;
		const asked = [...this.#attempts.values()].flatMap(({ isAsked, place }) => (isAsked && place ? place : []));
		this.#attempts.clear();
		for (const params of asked) {
			const { sessionId } = params;
			await this.#pass(
				"dispose",
				sessionId,
				() => this.#takeUndelivered(params, until),
				() => undefined,
			);
		}
		this.#working?.project.live.end();
		this.#working?.engine.close();
	}

	/**
	 * The host is done with a turn and has not delivered it: it failed, was aborted, or the host took no end of it, as it does
	 * wherever it writes its marker of Anthropic's cache behind the answer. It is in the transcript all the same.
	 */
	async #takeUndelivered(params: CompactParams, until: number): Promise<void> {
		const { engine, sessions } = this.#need();
		const left = () => Math.max(0, Math.floor(until - performance.now()));
		const added = await this.#catchUp(params, { mostMs: left() });
		if (added === 0) return;
		noteUndelivered(engine, params.sessionId, added, this.#now());
		// What was not read in time is read before the next turn, and what it teaches is learnt then.
		if (!this.#attempts.get(params.sessionId)?.isCaughtUp) return;
		keepAccount(engine, sessions, params, undefined);
		this.#turnEnded(params);
		// After such a turn the host asks for no upkeep.
		if (this.info.ownsCompaction) await this.#getReady(params, AbortSignal.timeout(left()));
	}

	/** As the next call of `assemble` will ask. */
	#getReady(params: CompactParams, signal?: AbortSignal): Promise<void> {
		const { engine, sessions } = this.#need();
		const { touchedAt: lastAskedAt, window: whole, hasTools: namesTools = false } = sessions.state(params);
		const model = this.#models.get(params.sessionId);
		const asked = { model, window: windowOf(whole), namesTools, lastAskedAt };
		return getReady(engine, { ...sessions.of(params).ref, ...asked }, signal);
	}

	/** A turn from the host's outbox comes before anything was read: what stands before it in the transcript comes first. */
	async #takeOlder(params: CommitTurnParams): Promise<void> {
		const isLater = (params.admission?.activeMessagePosition ?? 0) > 0;
		if (!isLater || this.#attempts.has(params.sessionId)) return;
		const [before] = nameMessages(withoutOwn(params.messages));
		await this.#doors.door.passAsync("commitTurn", () => this.#catchUp(params, { before }));
	}

	#endTurn(params: AfterTurnParams): void {
		const { engine, sessions } = this.#need();
		const { messages, prePromptMessageCount, isHeartbeat, autoCompactionSummary: summary, sessionId } = params;
		this.#attempts.delete(sessionId);
		if (isHeartbeat) sessions.of(params).recordHeartbeat(withoutOwn(messages.slice(prePromptMessageCount)));
		else sessions.record(params, withoutOwn(messages), "path");
		this.#turnEnded(params);
		const budget = params.tokenBudget ?? params.runtimeContext?.tokenBudget;
		if (budget !== undefined && budget > 0) this.#putOff(params, budget);
		sessions.change(params, { touchedAt: touchedAt(params.runtimeContext?.promptCache) });
		if (!isHeartbeat) keepAccount(engine, sessions, params, params.runtimeContext?.modelContextWindow);
		if (!summary) return;
		const { ref } = sessions.of(params);
		const payload = { kind: "auto_compaction" };
		const raw = JSON.stringify({ summary });
		const entry = `auto compaction ${sha256(summary)}`;
		engine.record([{ type: "Entry", ...ref, ts: this.#now(), entry, payload, raw }]);
	}

	/** A heartbeat is no turn of the user's: it is recorded, and nothing follows from it. */
	#turnEnded(params: CompactParams & { readonly isHeartbeat?: boolean | undefined }): void {
		const { sessions, project } = this.#need();
		if (params.isHeartbeat) project.live.ship();
		else this.#live(sessions.of(params).ref).turnEnded({ isRunOver: true });
	}

	#live(ref: SessionRef): LiveSession {
		return this.#need().project.live.session(ref, this.#options.cwd);
	}

	/** Compaction after a turn: the rule's own at once; what the host's budget asks for beyond it is put off. */
	#putOff(params: AfterTurnParams, budget: number): void {
		const { engine, sessions } = this.#need();
		if (!this.info.ownsCompaction) return;
		const { tokens } = engine.plan({ ...sessions.of(params).ref, window: windowOf(budget), decide: false });
		sessions.change(params, { owes: tokens > budget ? budget : undefined });
	}

	#attempt(sessionId: string): Attempt {
		const known = this.#attempts.get(sessionId);
		if (known) return known;
		const fresh = {
			isFirst: true,
			isCaughtUp: false,
			least: undefined,
			isAsked: false,
			place: undefined,
		};
		this.#attempts.set(sessionId, fresh);
		return fresh;
	}

	/** How much a request may have: by our own account, or where nobody named the window by the least of the turn. */
	#room(params: AssembleParams): AssembleContext["room"] {
		const attempt = this.#attempt(params.sessionId);
		const { tokenBudget, prompt, runtimeSettings } = params;
		const isNumber = typeof tokenBudget === "number" && Number.isFinite(tokenBudget) && tokenBudget > 0;
		const room = roomOf(this.#need().sessions.state(params), {
			tokenBudget: isNumber ? tokenBudget : undefined,
			isFirst: attempt.isFirst,
			promptTokens: prompt === undefined ? 0 : weighAll([{ role: "user", content: prompt }]),
			maxOutputTokens: runtimeSettings?.limits?.maxOutputTokens ?? undefined,
		});
		attempt.isFirst = false;
		if (room) return room;
		attempt.least = isNumber ? Math.min(attempt.least ?? tokenBudget, tokenBudget) : attempt.least;
		return { window: undefined, budget: attempt.least };
	}

	/** What the host's transcript has and the log has not. Gives how many messages that were. */
	async #catchUp(params: CompactParams, options?: CatchUpOptions): Promise<number> {
		const { readTranscript } = this.#options;
		const { sessionId, sessionKey, sessionTarget, agentId = sessionTarget?.agentId ?? agentOf(sessionKey) } = params;
		if (!readTranscript || agentId === undefined) return 0;
		const storePath = sessionTarget?.storePath;
		const target = { agentId, sessionId, ...(sessionKey !== undefined && { sessionKey }), storePath };
		const { added, isRead } = await catchUp(this.#need().sessions, params, target, readTranscript, options);
		const attempt = this.#attempt(sessionId);
		attempt.isCaughtUp = isRead;
		attempt.place = { sessionId, sessionKey, agentId, sessionTarget };
		return added;
	}

	/** What the work answers; where it fails, the answer that leaves the host as it was. */
	async #pass<Answer>(
		where: string,
		session: string,
		work: () => Promise<Answer>,
		otherwise: () => Answer,
	): Promise<Answer> {
		const { door, faults } = this.#doors;
		// It is off, or was told when the log could not be opened: a line at every turn would say nothing new.
		if (!this.#working) return otherwise();
		faults.session = session;
		const answer = await door.passAsync(where, async () => ({ of: await work() }));
		faults.flush();
		return answer ? answer.of : otherwise();
	}

	#need(): Working {
		if (this.#working) return this.#working;
		throw new EngineError("closed", `weft cannot record this turn: ${this.#options.why}`);
	}
}

/** When the provider was last asked: it forgets some time after that. */
function touchedAt(cache: PromptCache | undefined): number | undefined {
	return cache?.lastCacheTouchAt ?? (cache?.expiresAt === undefined ? undefined : cache.expiresAt - CACHE_TTL_MS);
}

function asGiven({ messages }: AssembleParams): AssembleResult {
	return { messages, estimatedTokens: weighAll(messages), promptAuthority: "preassembly_may_overflow" };
}

function untouched(reason: string): TranscriptRewriteResult {
	return { changed: false, bytesFreed: 0, rewrittenEntries: 0, reason };
}
