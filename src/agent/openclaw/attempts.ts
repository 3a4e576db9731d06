/** The turn that runs in each session, as far as the host's calls describe it. A retry is another attempt at the same turn. */
import type { AgentMessage, AssembleParams, CompactParams } from "./contract.ts";
import { weighAll } from "./message-budget.ts";
import { type Account, type Room, roomOf } from "./window-account.ts";

export interface Attempt {
	/** True: the next `assemble` is the first call of an attempt. */
	isFirst: boolean;
	/** True: everything before the current turn was read from the host's transcript. */
	isCaughtUp: boolean;
	/** The smallest budget so far; undefined: the host named none. */
	minBudget: number | undefined;
	/** True: the host compacted, and tries the turn again. */
	isRetried: boolean;
	/** The result of its newest `assemble`. */
	assembled: readonly AgentMessage[] | undefined;
	/** True: the host called `assemble`. */
	isAsked: boolean;
	/** Where the host keeps the transcript, as far as its calls said. */
	place: CompactParams | undefined;
}

/** `budget` undefined: the host names none. */
export interface RequestRoom {
	readonly window: Room["window"] | undefined;
	readonly budget: Room["budget"] | undefined;
}

/** A smaller budget is a mistake of the host's. */
export const MIN_BUDGET_TOKENS = 1_000;

export class Attempts {
	readonly #bySession = new Map<string, Attempt>();

	of(sessionId: string): Attempt {
		const known = this.#bySession.get(sessionId);
		if (known) return known;
		const fresh: Attempt = {
			isFirst: true,
			isCaughtUp: false,
			minBudget: undefined,
			isRetried: false,
			assembled: undefined,
			isAsked: false,
			place: undefined,
		};
		this.#bySession.set(sessionId, fresh);
		return fresh;
	}

	has(sessionId: string): boolean {
		return this.#bySession.has(sessionId);
	}

	delete(sessionId: string): void {
		this.#bySession.delete(sessionId);
	}

	/** The places of attempts that asked for a context and did not end. Forgets all attempts. */
	takeOpen(): CompactParams[] {
		const open = [...this.#bySession.values()].flatMap(({ isAsked, place }) => (isAsked && place ? place : []));
		this.#bySession.clear();
		return open;
	}

	/** The room of one request: by our own account, or by the smallest budget of the turn if the window is unknown. */
	roomFor(params: AssembleParams, account: Account): RequestRoom {
		const attempt = this.of(params.sessionId);
		const { tokenBudget: named, prompt, runtimeSettings } = params;
		const tokenBudget = typeof named === "number" && Number.isFinite(named) && named > 0 ? named : undefined;
		const room = roomOf(account, {
			tokenBudget,
			isFirst: attempt.isFirst,
			promptTokens: prompt === undefined ? 0 : weighAll([{ role: "user", content: prompt }]),
			maxOutputTokens: runtimeSettings?.limits?.maxOutputTokens ?? undefined,
		});
		attempt.isFirst = false;
		if (room) return room;
		if (tokenBudget === undefined) return { window: undefined, budget: attempt.minBudget };
		const budget = Math.min(attempt.minBudget ?? tokenBudget, tokenBudget);
		// No turn really has so little: an odd number counts for its own call only.
		if (tokenBudget >= MIN_BUDGET_TOKENS) attempt.minBudget = budget;
		return { window: undefined, budget };
	}
}
