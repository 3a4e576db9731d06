/**
 * One conversation that passes the proxy: a session, or a sub-agent of one. It keeps little between two requests: after each
 * answer the proxy asks the log again whether a seal is due.
 */
import { listedWindow } from "../../base/tokens/model-windows.ts";
import type { RequestInput } from "../../context/request.ts";
import type { SealReason } from "../../context/seal/rule.ts";
import type { OfferedSeal } from "../live/seed-offer-event.ts";
import { KeptThinking } from "./kept-thinking.ts";
import type { PassedRequest } from "./manifest.ts";
import type { Caller } from "./wire.ts";

/** After a raise that led to nothing, this many requests pass before the next one. */
const REQUESTS_BETWEEN_RAISES = 20;

/** Facts about the model, for the rule of seals. */
export interface ModelFacts {
	/** Tokens of its window; by default as the lists say of the model. */
	readonly window?: number | undefined;
	/** It runs on the user's own machine. */
	readonly isLocal?: boolean | undefined;
}

export interface OfferedSeed {
	readonly seal: OfferedSeal;
	/** The newest event of the log at that time: the agent's own summary comes later. */
	readonly after: number;
}

/** The request whose answer came with raised usage. */
interface UsageRaise {
	readonly hash: string;
	/** Requests that had passed by then. */
	readonly at: number;
}

/** How far the session is on its way to the next seal. */
type SealProgress =
	| { readonly kind: "untouched" }
	/** The agent should compact by itself. */
	| { readonly kind: "raised"; readonly raise: UsageRaise }
	/** The agent got a seed that its own file does not show yet. */
	| {
			readonly kind: "offered";
			readonly seed: OfferedSeed;
			readonly at: number;
			/** Undefined: the agent compacted by itself, or its user asked for it. */
			readonly raise: UsageRaise | undefined;
	  };

const UNTOUCHED: SealProgress = { kind: "untouched" };

export class WatchedSession {
	readonly caller: Caller;
	/** When its first request came; ms since the epoch. */
	readonly since: number;
	readonly #window: number | undefined;
	readonly #isLocal: boolean;
	/** Requests of the agent's own loop since the proxy started. */
	requests = 0;
	model: string | undefined;
	/** True: the agent can call our tools. */
	namesTools = false;
	/** True: its requests hold a seed that only we can read. */
	holdsSeed = false;
	/** Tokens of the newest prompt, as the provider counted them. */
	prompt = 0;
	#promptBefore = 0;
	/** Why a seal is due. */
	due: SealReason | undefined;
	/** Calls of the newest answer that had any. */
	newestCalls: readonly string[] = [];
	/** Those of them whose results the log may lack. */
	unseenCalls: readonly string[] = [];
	/** The seal of this epoch was computed once, so that its seed is ready when the agent asks. */
	isRehearsed = false;
	#progress: SealProgress = UNTOUCHED;
	/** The newest answer of ours: a request that is tried again gets the same. */
	answered: { readonly hash: string; readonly type: string; readonly body: string } | undefined;
	readonly keptThinking = new KeptThinking();
	/** The newest request of its loop, by sizes and hashes. */
	passed: PassedRequest | undefined;
	/** The agent has compacted since the newest manifest. */
	isCompacted = false;
	/** One look at the log at a time. */
	looking: Promise<void> = Promise.resolve();
	/** A last look, if no other request follows. */
	later: NodeJS.Timeout | undefined;

	constructor(caller: Caller, { window, isLocal = false }: ModelFacts, since: number) {
		this.caller = caller;
		this.since = since;
		this.#window = window;
		this.#isLocal = isLocal;
	}

	get ref() {
		return { session: this.caller.session, host: this.caller.agent };
	}

	get input(): RequestInput {
		const { ref, model, namesTools } = this;
		const autoSeal = this.caller.isFlat ? "flat" : this.#isLocal ? "local" : undefined;
		const window = this.#window ?? this.listedWindow;
		return { ...ref, model, namesTools, window, autoSeal, decide: false };
	}

	/** Tokens of the model's window in the providers' lists; undefined: they do not have it. */
	get listedWindow(): number | undefined {
		return listedWindow(this.caller.isLong ? `${this.model}[1m]` : this.model);
	}

	/** True: the answer to this request comes with raised usage if a seal is due. */
	canRaise(hash: () => string): boolean {
		const raise = this.#raise;
		if (raise === undefined) return !this.#isSettling;
		return this.isRaised(hash) || (!this.#isSettling && this.requests - raise.at >= REQUESTS_BETWEEN_RAISES);
	}

	/** The same request gets the same answer. */
	isRaised(hash: () => string): boolean {
		return this.#raise !== undefined && this.#raise.hash === hash();
	}

	raise(hash: string): void {
		const raise = { hash, at: this.requests };
		this.#progress = this.#progress.kind === "offered" ? { ...this.#progress, raise } : { kind: "raised", raise };
	}

	get wasRaised(): boolean {
		return this.#raise !== undefined;
	}

	get #raise(): UsageRaise | undefined {
		return this.#progress.kind === "untouched" ? undefined : this.#progress.raise;
	}

	get offered(): OfferedSeed | undefined {
		return this.#progress.kind === "offered" ? this.#progress.seed : undefined;
	}

	offer(seed: OfferedSeed): void {
		this.#progress = { kind: "offered", seed, at: this.requests, raise: this.#raise };
	}

	/** The log does not show the seed yet: a seal that is due by the log is due for the messages before the seed. */
	get #isSettling(): boolean {
		return this.#progress.kind === "offered" && this.requests - this.#progress.at < REQUESTS_BETWEEN_RAISES;
	}

	/** True once for each `tokens` that the prompt has grown, and when it has become smaller. */
	hasGrown(tokens: number): boolean {
		const grown = this.prompt - this.#promptBefore;
		if (grown >= 0 && grown < tokens) return false;
		this.#promptBefore = this.prompt;
		return true;
	}

	/** The agent has compacted. */
	beginEpoch(): void {
		this.isCompacted = true;
		this.due = undefined;
		this.isRehearsed = false;
		this.#progress = UNTOUCHED;
	}
}
