/**
 * One Pi session at work: all state that its hooks share. Everything that must survive the process is in the log; the state
 * here is about the current request or seal and can be lost without harm.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { BoundedMap } from "../../base/collection/bounded.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asObject, type JsonObject } from "../../base/json/read.ts";
import type { ModelGate } from "../../base/sidecar/gate.ts";
import { once } from "../../base/text/memo.ts";
import { readPriceList } from "../../base/tokens/price-file.ts";
import { DEFAULT_WINDOW_TOKENS, type Prices, pricesFromList, pricesOf } from "../../base/tokens/prices.ts";
import { knownPrices, tokensPerEstimate } from "../../context/cache/reported-fold.ts";
import type { ContextEnvelope, ToolDefinition } from "../../context/envelope/envelope.ts";
import type { StoredTransform } from "../../context/patch/stored-transform.ts";
import type { PlannedSeal } from "../../context/plan.ts";
import type { MadeRequest, RequestBase, RequestInput } from "../../context/request.ts";
import type { AutoSealCause } from "../../context/seal/policy.ts";
import { inRealTokens } from "../../context/sizes.ts";
import type { Engine } from "../../engine.ts";
import { isA } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { ThinkingSwitch } from "../../message/thinking-rules.ts";
import type { Settings } from "../../settings/keys.ts";
import type { Compaction } from "../../state/history/compact.ts";
import { LiveProject } from "../live/project.ts";
import type { LiveSession } from "../live/session.ts";
import { BackgroundSummaries } from "./background-summaries.ts";
import { CompactionSetting } from "./compaction-setting.ts";
import { PI_PORT } from "./port.ts";
import { PiRecorder } from "./recorder.ts";
import { lentModels, summarisers } from "./side-models.ts";
import type { PiSkills } from "./skills.ts";

/** More results than wait at a time for the message that holds them. */
const MAX_BLOBS = 256;
const MAX_HEADS = 64;

export interface LivePiOptions {
	/** Warns the user, on the screen or on stderr. */
	readonly warn?: ((notice: string) => void) | undefined;
	/** Adds an entry to Pi's session that is not part of the context. */
	readonly appendEntry?: ((customType: string, data: object) => void) | undefined;
	/** Reports a failure outside of a hook. */
	readonly onFailure?: ((where: string, error: unknown) => void) | undefined;
	/** The user set `compactionModels`. */
	readonly hasChosenModels?: boolean | undefined;
	/** The active tools. */
	readonly tools: () => readonly ToolDefinition[];
	/** off, minimal, low, … */
	readonly thinkingLevel?: (() => string) | undefined;
}

/** A request that `context` planned and Pi has not sent yet. */
export interface UnsentRequest {
	readonly made: MadeRequest;
	/** The envelope without handlers' changes. */
	readonly base: ContextEnvelope;
}

/** A request that has left and is recorded at the next hook, so that it does not wait for its own record. */
export interface UnrecordedRequest {
	readonly made: MadeRequest;
	readonly payload: unknown;
	/** Why bytes already sent may have changed. */
	readonly reasons: readonly string[];
}

export class LivePi {
	readonly engine: Engine;
	readonly recorder: PiRecorder;
	readonly project: LiveProject;
	readonly summaries = new BackgroundSummaries();
	/** SHA-256 of a result's whole text by call id, until the message that holds the result is recorded. */
	readonly blobs = new BoundedMap<string, string>(MAX_BLOBS);
	/** Why the next request may change bytes already sent. */
	readonly reasons = new Set<string>();
	planned: UnsentRequest | undefined;
	/** Tools that handlers took out of the newest request: a call of one is refused. */
	removedTools: ReadonlySet<string> = new Set();
	/** Loaded at the user's first message. */
	skills: PiSkills | undefined;
	/** seq of the last message that recall ran for: it runs once per message. */
	recalledFor: number | undefined;
	/** The recalled block for it, until the request that carries it is recorded. */
	recalled: StoredTransform | undefined;
	sent: UnrecordedRequest | undefined;
	/** The newest request as it left: the provider's cache has it. */
	lastPayload: JsonObject | undefined;
	/** A seal that weft gave to Pi and has not yet seen in Pi's session. */
	offered: PlannedSeal | undefined;
	/** The text about changed files, and the leaf it is for: a retried request has the same text. */
	fileChanges: { readonly leaf: string | null; readonly text: string | undefined } | undefined;
	/** weft asked Pi to compact because a seal is due; the user did not ask. */
	isSealDue = false;
	/** Only weft's log has the newest seal: Pi's own session still holds the messages that left. */
	isSealedAlone = false;
	/** Describes the newest seal of this run to the user; `isBeforeInput`: of the run that it came before. */
	sealNotice: { readonly text: string; readonly isBeforeInput: boolean } | undefined;
	readonly warnOnce: (notice: string) => void;
	/** The leaf at the last call of `leaf()`, and its seq. */
	#leaf: { readonly session: string; readonly entry: string; readonly seq: number } | undefined;
	/** Hashes of tools and system text as they left, by the hash of what Pi made them from. */
	readonly #heads = new BoundedMap<string, string>(MAX_HEADS);
	/** Of the request that is being planned. */
	#base: string | undefined;
	#ctx: ExtensionContext;
	readonly #options: LivePiOptions;
	readonly #compaction = new CompactionSetting();

	constructor(engine: Engine, ctx: ExtensionContext, options: LivePiOptions) {
		this.engine = engine;
		this.#ctx = ctx;
		this.#options = options;
		this.warnOnce = once((notice) => this.warn(notice));
		this.project = new LiveProject({
			port: PI_PORT,
			engine,
			lentModels: () => lentModels(this),
			onFault: options.onFailure ?? (() => {}),
		});
		this.recorder = new PiRecorder(engine, {
			blobOf: (callId) => this.blobs.get(callId),
			tools: () => options.tools().map(({ name }) => name),
		});
	}

	/** Decides whether a model may be called now, for all of weft's calls. */
	get gate(): ModelGate {
		return this.project.sidecar.gate;
	}

	/** The loop of the current session; a fork changes the session. */
	get loop(): LiveSession {
		return this.project.session(this.session, this.cwd);
	}

	/** Sets the context of the current hook: Pi refuses the context of a session that it has replaced. */
	at(ctx: ExtensionContext): this {
		this.#ctx = ctx;
		return this;
	}

	get ctx(): ExtensionContext {
		return this.#ctx;
	}

	get session(): SessionRef {
		return { session: this.#ctx.sessionManager.getSessionId(), host: PI_PORT.name };
	}

	get cwd(): string {
		return this.#ctx.cwd;
	}

	get window(): number {
		return this.#ctx.model?.contextWindow || DEFAULT_WINDOW_TOKENS;
	}

	mode(): Settings["mode"] {
		return this.project.mode;
	}

	/** For this session only; the settings decide for the next. */
	setMode(mode: Settings["mode"]): void {
		if (mode === this.project.mode) return;
		this.reasons.add(`mode ${mode}`);
		this.project.setMode(mode);
	}

	/** True: the user set `compactionModels`; the defaults do not count. */
	get hasChosenModels(): boolean {
		return this.#options.hasChosenModels ?? false;
	}

	warn(notice: string): void {
		this.#options.warn?.(notice);
	}

	appendEntry(customType: string, data: object): void {
		this.#options.appendEntry?.(customType, data);
	}

	/** seq of Pi's current leaf. */
	leaf(): number | undefined {
		const entry = this.#ctx.sessionManager.getLeafId();
		if (!entry) return undefined;
		const { tree } = this.engine.history;
		tree.catchUp();
		const { session } = this.session;
		// The seq of an entry never changes.
		if (this.#leaf?.entry === entry && this.#leaf.session === session) return this.#leaf.seq;
		const seq = tree.find(this.session, entry);
		this.#leaf = seq === undefined ? undefined : { session, entry, seq };
		return seq;
	}

	/** The request as Pi describes it. `leaf` and `base` are computed lazily. */
	input(): RequestInput {
		const { model, signal } = this.#ctx;
		const live = this;
		return {
			...this.session,
			mode: this.project.mode,
			model: model?.id,
			api: model?.api,
			thinking: this.#thinking(),
			head: () => this.#head(),
			prices: model && pricesFromPi(model),
			autoSeal: this.autoSeal,
			window: this.window,
			maxTokens: model?.maxTokens,
			get leaf() {
				return live.leaf();
			},
			base: () => this.base(),
			// Pi stores a seal as its own compaction.
			openingRole: "compactionSummary",
			decide: false,
			signal,
		};
	}

	/** What decides when weft seals, where its setting leaves that open. */
	get autoSeal(): AutoSealCause | undefined {
		const { model, modelRegistry } = this.#ctx;
		const places = { env: process.env, cwd: this.cwd, trusted: this.#ctx.isProjectTrusted() };
		if (!this.#compaction.isEnabled(places)) return "no-compaction";
		// Anthropic bills a subscription in other programs by the token. Programs made from Pi may lack the registry.
		const isFlat = model && model.provider !== "anthropic" && modelRegistry?.isUsingOAuth?.(model);
		return isFlat ? "flat" : undefined;
	}

	/**
	 * The hash of the tools and the system text that Pi will send; undefined: this process has sent nothing yet. Pi turns them into its
	 * request only after the messages are planned, so the hashes of earlier requests are kept by what Pi made them from.
	 */
	#head(): string | undefined {
		this.#base = sha256(JSON.stringify(this.base()));
		return this.#heads.size === 0 ? undefined : (this.#heads.get(this.#base) ?? this.#base);
	}

	/** A request left with this hash of its tools and system text. */
	sentHead(head: string): void {
		if (this.#base !== undefined) this.#heads.set(this.#base, head);
		this.#base = undefined;
	}

	/** How Pi will ask the model for thinking. */
	#thinking(): ThinkingSwitch | undefined {
		const { model } = this.#ctx;
		const level = this.#options.thinkingLevel?.();
		if (!model || level === undefined) return undefined;
		const compat = asObject(model.compat) ?? {};
		if (compat["supportsMidConvoEffort"] === true) return "adaptive";
		if (level === "off" || !model.reasoning) return "off";
		return compat["forceAdaptiveThinking"] === true ? "adaptive" : "manual";
	}

	/** Costly: Pi builds its prompt at each call. */
	base(): RequestBase {
		return {
			systemParts: [{ name: "prompt", text: this.#ctx.getSystemPrompt() }],
			tools: this.#options.tools(),
		};
	}

	/**
	 * The size of the last request and its ceiling, in real tokens, with system prompt and tools. The size is Pi's own number, until an
	 * answer weft's calibrated estimate, and after a seal what it left. Undefined after Pi's own compaction: the next request is another.
	 */
	lastRequest(): { readonly tokens: number; readonly ceiling: number; readonly messages: number } | undefined {
		const { requests } = this.engine;
		const segments = requests.lastSent(this.session);
		if (!segments) return undefined;
		const ceiling = requests.ceiling(this.input());
		const sealed = this.#sealedSince();
		if (sealed === "by Pi") return undefined;
		if (sealed !== undefined) {
			const messages = this.#ctx.sessionManager
				.buildSessionProjection()
				.entries.flatMap(({ messages }) => messages).length;
			const { reported } = this.engine.stateFor(this.session).state;
			return { tokens: inRealTokens(reported, this.session, sealed), messages, ceiling };
		}
		const estimate = segments.reduce((sum, segment) => sum + segment.tokens, 0);
		const tokens = this.#ctx.getContextUsage()?.tokens ?? Math.round(estimate * this.tokensPerEstimate());
		const messages = segments.reduce((sum, segment) => sum + segment.items.length, 0);
		return { tokens, messages, ceiling };
	}

	/** The estimated tokens that a seal after the last request left, or Pi's own compaction; undefined: there was none. */
	#sealedSince(): number | "by Pi" | undefined {
		const { log } = this.engine;
		const [newest] = log.read({ ...this.session, types: ["Request", "Seal"], order: "newest", limit: 1 });
		if (!newest) return undefined;
		if (isA(newest, "Seal")) return newest.payload.tokensAfter;
		const since = log.read({ ...this.session, types: ["Entry"], after: newest.seq });
		return Iterator.from(since).some(({ payload }) => payload["kind"] === "compaction") ? "by Pi" : undefined;
	}

	/** From Pi's price list if it has the model, otherwise from reported costs, the settings or weft's table. */
	pricesOf(model: string | undefined): Prices {
		const { model: now } = this.#ctx;
		if (now && now.id === model) return pricesFromPi(now);
		const { settings } = this.engine;
		const listed = readPriceList(settings.prices);
		return knownPrices(this.engine.stateFor(this.session).state.reported, PI_PORT.name, model, listed, Date.now());
	}

	/** Real tokens of the session's model per estimated token. */
	tokensPerEstimate(): number {
		return tokensPerEstimate(this.engine.stateFor(this.session).state.reported, {
			...this.session,
			model: this.#ctx.model?.id,
		});
	}

	/** Summarises now. In `woven` models rewrite the summaries in the background; in other modes they write them at once. */
	async compact(options: {
		readonly instructions?: string | undefined;
		readonly signal?: AbortSignal | undefined;
	}): Promise<Compaction> {
		const { signal, instructions } = options;
		const models = this.project.mode === "woven" ? [] : summarisers(this, instructions);
		const { session, gate } = this;
		const compaction = await this.engine.compact({ session, leaf: this.leaf(), models, gate, signal });
		this.summaries.start(this);
		return compaction;
	}

	/** The context of a request that would leave now, as Markdown for people. */
	async contextMarkdown(): Promise<string> {
		const { renderMarkdown } = await import("../../view/envelope.ts");
		const envelope = this.engine.requests.envelopeNow({ ...this.input(), decide: this.project.mode === "warp" });
		return renderMarkdown(envelope, { tokens: this.lastRequest()?.tokens });
	}
}

/** Pi's own price list, with its tiers by the length of the prompt. */
function pricesFromPi({ id, cost: { tiers, ...cost } }: NonNullable<ExtensionContext["model"]>): Prices {
	const steps = tiers?.map(({ inputTokensAbove, ...tier }) => ({ ...tier, above: inputTokensAbove }));
	return pricesFromList({ ...cost, steps }, pricesOf(id));
}
