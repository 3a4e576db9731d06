/**
 * One Pi session at work: all state that its hooks share, in one object. Everything that must survive the process is in the
 * log; what is held here is about the request or the seal that is being made, and can be lost without harm.
 */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { BoundedMap } from "../../base/collection/bounded.ts";
import type { ModelGate } from "../../base/sidecar/gate.ts";
import { once } from "../../base/text/memo.ts";
import { DEFAULT_WINDOW_TOKENS, type Prices, pricesFromList, readPriceList } from "../../base/tokens/prices.ts";
import { knownPrices, tokensPerEstimate } from "../../context/cache/reported-fold.ts";
import type { ContextEnvelope, ToolDefinition } from "../../context/envelope/envelope.ts";
import type { PlannedSeal } from "../../context/plan.ts";
import type { MadeRequest, RequestBase, RequestInput, StoredTransform } from "../../context/request.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { Settings } from "../../settings/keys.ts";
import type { Compaction } from "../../state/history/compact.ts";
import { LiveProject } from "../live/project.ts";
import type { LiveSession } from "../live/session.ts";
import { BackgroundSummaries } from "./background.ts";
import { CountedGuidelines } from "./guidelines.ts";
import { memoryModels, summarisers } from "./models.ts";
import { PI_PORT } from "./port.ts";
import { Recorder } from "./recorder.ts";
import type { LiveSkills } from "./skills.ts";

/** Results whose message is not recorded yet. */
const MAX_BLOBS = 256;

export interface LiveOptions {
	/** Good news for the user, where there is a screen. */
	readonly mention?: ((ctx: ExtensionContext, notice: string) => void) | undefined;
	readonly onMode?: (() => void) | undefined;
	/** Says what went wrong, wherever somebody reads. */
	readonly warn?: ((notice: string) => void) | undefined;
	/** Adds an entry to Pi's session that is not part of the context. */
	readonly appendEntry?: ((customType: string, data: object) => void) | undefined;
	/** Something failed beside a hook. */
	readonly onFailure?: ((where: string, error: unknown) => void) | undefined;
	/** The user set `compactionModels`. */
	readonly hasChosenModels?: boolean | undefined;
	/** The tools that the model has now. */
	readonly tools: () => readonly ToolDefinition[];
}

/** A request that is being made: planned at `context`, not yet sent. */
export interface PlannedRequest {
	readonly made: MadeRequest;
	/** What it would have been without handlers. */
	readonly base: ContextEnvelope;
}

/** A request that has left, and is not written down yet: a request does not wait for its own record. */
export interface SentRequest {
	readonly made: MadeRequest;
	readonly payload: unknown;
	/** Why bytes already sent may have changed. */
	readonly reasons: readonly string[];
}

export class Live {
	readonly engine: Engine;
	readonly recorder: Recorder;
	readonly project: LiveProject;
	readonly summaries = new BackgroundSummaries();
	readonly guidelines = new CountedGuidelines();
	/** SHA-256 of a result's text before it was bounded, by call id: until the message that holds the result is recorded. */
	readonly blobs = new BoundedMap<string, string>(MAX_BLOBS);
	/** Why the next request may differ from the last one in bytes already sent. */
	readonly reasons = new Set<string>();
	planned: PlannedRequest | undefined;
	/** Found when the user first speaks. */
	skills: LiveSkills | undefined;
	/** The message for which recall was asked last: it is asked once for each. */
	askedFor: number | undefined;
	/** What was recalled for it, until the request that carries it is written down. */
	recalled: StoredTransform | undefined;
	sent: SentRequest | undefined;
	/** Given to Pi, and not yet seen in its session. */
	offered: PlannedSeal | undefined;
	/** What was said last, and at which entry: a request that is tried again says the same once more. */
	lastWords: { readonly leaf: string | null; readonly text: string | undefined } | undefined;
	/** Pi is asked to compact because a seal is due by the rule: nobody asked for it. */
	isSealDue = false;
	/** The newest seal is in our log alone: Pi's own session still holds what left. */
	isSealedAlone = false;
	/** What the newest seal of this run did, for the user. */
	sealNotice: string | undefined;
	readonly warnOnce: (notice: string) => void;
	/** The entry that was asked for last, and its place in the log. */
	#leaf: { readonly session: string; readonly entry: string; readonly seq: number } | undefined;
	#ctx: ExtensionContext;
	readonly #options: LiveOptions;

	constructor(engine: Engine, ctx: ExtensionContext, options: LiveOptions) {
		this.engine = engine;
		this.#ctx = ctx;
		this.#options = options;
		this.warnOnce = once((notice) => this.warn(notice));
		this.project = new LiveProject({
			port: PI_PORT,
			engine,
			memoryModels: () => memoryModels(this),
			onFault: options.onFailure ?? (() => {}),
		});
		this.recorder = new Recorder(engine, {
			blobOf: (callId) => this.blobs.get(callId),
			tools: () => options.tools().map(({ name }) => name),
		});
	}

	/** Whether a model may be called now: one for all that we ask of models. */
	get gate(): ModelGate {
		return this.project.sidecar.gate;
	}

	/** The loop of the session that runs now: a fork makes it another one. */
	get loop(): LiveSession {
		return this.project.session(this.session, this.cwd);
	}

	/** The context of the hook that runs now: Pi refuses those of a session that it has replaced. */
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

	/** For this session only; the settings decide the next one. */
	setMode(mode: Settings["mode"]): void {
		if (mode === this.project.mode) return;
		this.reasons.add(`mode ${mode}`);
		this.project.setMode(mode);
		this.#options.onMode?.();
	}

	mention(notice: string): void {
		this.#options.mention?.(this.#ctx, notice);
	}

	/** The user set `compactionModels`: those that weft assumes do not count. */
	get hasChosenModels(): boolean {
		return this.#options.hasChosenModels ?? false;
	}

	/** Something that the user should know, wherever it can be read. */
	warn(notice: string): void {
		this.#options.warn?.(notice);
	}

	appendEntry(customType: string, data: object): void {
		this.#options.appendEntry?.(customType, data);
	}

	/** seq of the entry at which the agent stands. */
	leaf(): number | undefined {
		const entry = this.#ctx.sessionManager.getLeafId();
		if (!entry) return undefined;
		const { tree } = this.engine.history;
		tree.catchUp();
		const { session } = this.session;
		// An entry keeps its place, once it has one.
		if (this.#leaf?.entry === entry && this.#leaf.session === session) return this.#leaf.seq;
		const seq = tree.find(this.session, entry);
		this.#leaf = seq === undefined ? undefined : { session, entry, seq };
		return seq;
	}

	/** Whose request, and what Pi knows of it. Where the agent stands and the prompt are found out for who looks at them. */
	input(): RequestInput {
		const { model, signal } = this.#ctx;
		const live = this;
		return {
			...this.session,
			mode: this.project.mode,
			model: model?.id,
			prices: model && pricesFromList(model.cost),
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

	/** Pi makes its prompt anew whenever it is asked. */
	base(): RequestBase {
		return {
			systemParts: [{ name: "prompt", text: this.#ctx.getSystemPrompt() }],
			tools: this.#options.tools(),
		};
	}

	/**
	 * What the last request carried, and the most that it may: real tokens, system prompt and tools among them. The number is
	 * Pi's own where Pi has one. After a compaction it has none until the next answer: then ours, calibrated.
	 */
	lastRequest(): { readonly tokens: number; readonly ceiling: number; readonly messages: number } | undefined {
		const { requests } = this.engine;
		const segments = requests.lastSent(this.session);
		if (!segments) return undefined;
		const estimate = segments.reduce((sum, segment) => sum + segment.tokens, 0);
		const tokens = this.#ctx.getContextUsage()?.tokens ?? Math.round(estimate * this.tokensPerEstimate());
		const messages = segments.reduce((sum, segment) => sum + segment.items.length, 0);
		return { tokens, messages, ceiling: requests.ceiling(this.input()) };
	}

	/** By Pi's own price list where it has the model, else as its answers told, by the settings, or by our table. */
	pricesOf(model: string | undefined): Prices {
		const { model: now } = this.#ctx;
		if (now && now.id === model) return pricesFromList(now.cost);
		const { settings } = this.engine;
		return knownPrices(this.engine.state().state.reported, PI_PORT.name, model, readPriceList(settings.prices));
	}

	/** Real tokens of the session's model for one of our estimate. */
	tokensPerEstimate(): number {
		return tokensPerEstimate(this.engine.state().state.reported, { ...this.session, model: this.#ctx.model?.id });
	}

	/** Summarises now; in `woven` the models follow in the background, elsewhere they write at once, as the user asks. */
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

	/** What the model would see if a request left now, for people: Markdown. */
	async contextMarkdown(): Promise<string> {
		const { renderMarkdown } = await import("../../view/envelope.ts");
		const envelope = this.engine.requests.envelopeNow({ ...this.input(), decide: this.project.mode === "warp" });
		return renderMarkdown(envelope, { tokens: this.lastRequest()?.tokens });
	}
}
