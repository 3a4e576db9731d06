/**
 * One Pi session at work: what its hooks share. Everything that must survive the process is in the log; what is held here
 * is about the request that is being made, and can be lost without harm.
 */

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type ContextEnvelope, makeEnvelope } from "../../context/envelope/envelope.ts";
import type { Seal } from "../../context/seal/epochs.ts";
import { ceilingTokens } from "../../context/seal/seal-rule.ts";
import type { Weave } from "../../context/seal/weave.ts";
import type { Engine } from "../../engine.ts";
import { emptyRecent, getRecent } from "../../fold/keyed.ts";
import type { Guard } from "../../guard/guard.ts";
import type { Compaction, CompactOptions } from "../../history/compact.ts";
import { ModelGate } from "../../history/gate.ts";
import type { HistorySettings } from "../../history/types.ts";
import type { SessionRef } from "../../session/tree.ts";
import type { Settings } from "../../settings/keys.ts";
import type { Live } from "./live.ts";
import { summarisers } from "./models.ts";
import { type Outgoing, shownIn, toOutgoing } from "./outgoing.ts";
import type { Pipeline } from "./pipeline.ts";
import { projectBranch } from "./projection.ts";
import { Recorder } from "./recorder.ts";
import type { Unrecorded } from "./send.ts";
import { PI_HOST } from "./translate.ts";
import { computedRun } from "./warp-run.ts";

export const DEFAULT_WINDOW_TOKENS = 200_000;

export interface LiveOptions {
	readonly mention?: (ctx: ExtensionContext, notice: string) => void;
	readonly onMode?: (mode: Settings["mode"]) => void;
}

export class LiveSession implements Live {
	readonly engine: Engine;
	readonly guard: Guard;
	readonly recorder: Recorder;
	readonly gate = new ModelGate();
	/** SHA-256 of a result's text before it was bounded, by call id: until the message that holds the result is recorded. */
	readonly blobs = emptyRecent<string>();
	/** Why the next request may differ from the last one in bytes already sent. */
	readonly reasons = new Set<string>();
	/** The request that is being made, and the one before it. */
	outgoing: Outgoing | undefined;
	sent: Outgoing | undefined;
	/** Left, and not yet written down. */
	unrecorded: Unrecorded | undefined;
	/** The user's own handlers, where there are any. */
	pipeline: Pipeline | undefined;
	/** Rendered, and not yet taken by Pi. */
	pendingSeal: Seal | undefined;
	/** What was said last, and at which entry. */
	said: { readonly leaf: string | null; readonly text: string | undefined } | undefined;
	/** When the last request left, ms since the epoch. */
	sentAt: number | undefined;
	#mode: Settings["mode"];
	#weave: { readonly key: string; readonly weave: Weave } | undefined;
	#ctx: ExtensionContext;
	readonly #options: LiveOptions;

	constructor(engine: Engine, ctx: ExtensionContext, options: LiveOptions = {}) {
		this.engine = engine;
		this.#ctx = ctx;
		this.#options = options;
		this.#mode = engine.settings.mode;
		this.guard = engine.guard({ canChangeInput: true });
		this.recorder = new Recorder(engine, { blobOf: (callId) => getRecent(this.blobs, callId) });
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
		return { session: this.#ctx.sessionManager.getSessionId(), host: PI_HOST };
	}

	get cwd(): string {
		return this.#ctx.cwd;
	}

	get window(): number {
		return this.#ctx.model?.contextWindow || DEFAULT_WINDOW_TOKENS;
	}

	mode(): Settings["mode"] {
		return this.#mode;
	}

	setMode(mode: Settings["mode"]): void {
		if (mode === this.#mode) return;
		this.reasons.add(`mode ${mode}`);
		this.#mode = mode;
		this.#options.onMode?.(mode);
	}

	/** Tells the user of progress, where there is a screen. */
	mention(notice: string): void {
		this.#options.mention?.(this.#ctx, notice);
	}

	leaf(): number | undefined {
		return this.seqOf(this.#ctx.sessionManager.getLeafId());
	}

	/** seq of one of Pi's entries. */
	seqOf(entry: string | null | undefined): number | undefined {
		if (!entry) return undefined;
		const { tree } = this.engine.history;
		tree.catchUp();
		return tree.find(this.session, entry);
	}

	weave(): Weave | undefined {
		const { model } = this.#ctx;
		if (!model) return undefined;
		const { session } = this.session;
		const key = `${session} ${model.provider}/${model.id} ${model.contextWindow}`;
		if (this.#weave?.key !== key) {
			const weave = this.engine.weave({ ...this.session, model: model.id, window: this.window });
			this.#weave = { key, weave };
		}
		return this.#weave.weave;
	}

	/** When the session's last request left, by this process or the one before it. */
	lastSentAt(): number | undefined {
		if (this.sentAt !== undefined) return this.sentAt;
		const query = { ...this.session, types: ["Request"], order: "newest", limit: 1 } as const;
		for (const { ts } of this.engine.log.read(query)) this.sentAt = ts;
		return this.sentAt;
	}

	/** What it believes was not so: it begins anew from the log. */
	forgetWeave(): void {
		this.#weave = undefined;
	}

	lastRequest(): { readonly tokens: number; readonly ceiling: number; readonly messages: number } | undefined {
		if (!this.sent) return undefined;
		const { tokens, envelope } = this.sent;
		const messages = envelope.messages.cached.length + envelope.messages.uncached.length;
		return { tokens, messages, ceiling: ceilingTokens(this.window) };
	}

	compact(options: { readonly instructions?: string; readonly signal?: AbortSignal }): Promise<Compaction> {
		const { signal, instructions } = options;
		return this.summarise({ models: summarisers(this, instructions), ...(signal ? { signal } : {}) });
	}

	/** Writes nodes over what lies before `keepFrom`, an entry, or before the tail; deterministic without models. */
	summarise(options: Partial<CompactOptions> & { readonly keep?: string }): Promise<Compaction> {
		const { keep, settings, ...rest } = options;
		const leaf = this.leaf();
		const keepFrom = this.seqOf(keep);
		return this.engine.compact({
			session: this.session,
			gate: this.gate,
			...(leaf === undefined ? {} : { leaf }),
			...(keepFrom === undefined ? {} : { keepFrom }),
			...rest,
			settings: { ...historySettings(this.engine.settings), ...settings },
		});
	}

	async contextMarkdown(): Promise<string> {
		const { renderMarkdown } = await import("../../view/envelope.ts");
		return renderMarkdown(this.envelopeNow());
	}

	/** What the next request would hold if it left now; prompt and tools as the last one had them. */
	envelopeNow(): ContextEnvelope {
		const own = shownIn(projectBranch(this.#ctx.sessionManager));
		const shown = this.#mode === "warp" ? computedRun(own, this) : own;
		const systemParts = this.sent?.envelope.system.parts ?? [{ name: "prompt", text: this.#ctx.getSystemPrompt() }];
		const { cached } = toOutgoing(shown).envelope.messages;
		return makeEnvelope({ systemParts, tools: this.sent?.envelope.tools ?? [], messages: cached });
	}
}

function historySettings(settings: Settings): Partial<HistorySettings> {
	const { leafChunkTokens, condensationThreshold, maxDepth } = settings;
	return { leafChunkTokens, condensationThreshold, maxDepth };
}
