/**
 * One conversation that passes the proxy: a session, or a sub-agent of one. What must be known of it between two requests
 * is little, and all of it can be found again in the log: whether a seal is due is asked anew after each answer.
 */
import type { SealReason } from "../../context/seal/rule.ts";
import type { OfferedSeal } from "../live/seed-offered.ts";
import type { PassedRequest } from "./manifest.ts";
import type { Caller } from "./wire.ts";

/** After a raise that led to nothing, so many requests pass before the next one. */
const REQUESTS_BETWEEN_RAISES = 20;

export interface OfferedSeed {
	readonly seal: OfferedSeal;
	/** The newest event of the log at that time: what the host writes of it comes later. */
	readonly after: number;
}

export class Thread {
	readonly caller: Caller;
	/** Of the agent's own loop, since the proxy started. */
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
	/** The seal that is due was computed once, so that the answer is ready when it is asked for. */
	isRehearsed = false;
	/** Given to the host, and not yet seen in its session. */
	#offered: (OfferedSeed & { readonly at: number }) | undefined;
	/** What was answered last: a request that is tried again gets the same. */
	answered: { readonly hash: string; readonly type: string; readonly body: string } | undefined;
	/** The newest request of its loop, by sizes and hashes. */
	passed: PassedRequest | undefined;
	/** The host has compacted since. */
	isCompacted = false;
	/** One look at the log at a time. */
	looking: Promise<void> = Promise.resolve();
	/** A last look, where no other request follows. */
	later: NodeJS.Timeout | undefined;
	/** Which request's usage was raised, and how many requests had passed then. */
	#raised: { readonly hash: string; readonly at: number } | undefined;

	constructor(caller: Caller) {
		this.caller = caller;
	}

	get ref() {
		return { session: this.caller.session, host: this.caller.agent };
	}

	/** Whether the answer to this request tells the host more than was used. The same request gets the same answer. */
	mayRaise(hash: string): boolean {
		if (this.#raised?.hash === hash) return true;
		if (this.due === undefined || this.isSettling) return false;
		return this.#raised === undefined || this.requests - this.#raised.at >= REQUESTS_BETWEEN_RAISES;
	}

	raise(hash: string): void {
		this.#raised = { hash, at: this.requests };
	}

	get wasRaised(): boolean {
		return this.#raised !== undefined;
	}

	get offered(): OfferedSeed | undefined {
		return this.#offered;
	}

	offer(seed: OfferedSeed): void {
		this.#offered = { ...seed, at: this.requests };
	}

	/** The host has a seed that the log does not show yet: what is due by the log counts for what was before it. */
	get isSettling(): boolean {
		return this.#offered !== undefined && this.requests - this.#offered.at < REQUESTS_BETWEEN_RAISES;
	}

	/** Whether its prompt has grown by so much since this was answered with true, or has become smaller. */
	hasGrown(tokens: number): boolean {
		const grown = this.prompt - this.#promptBefore;
		if (grown >= 0 && grown < tokens) return false;
		this.#promptBefore = this.prompt;
		return true;
	}

	/** The host has compacted: a new epoch. */
	begin(): void {
		this.isCompacted = true;
		this.#raised = undefined;
		this.due = undefined;
		this.isRehearsed = false;
		this.#offered = undefined;
	}
}
