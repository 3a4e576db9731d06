/**
 * `woven` for hosts that hand over the whole path at every request, perhaps more than once, perhaps from a new process:
 * the same path always has the same plan. What leaves is summarised before the seal, so that the seed can name it; the
 * seal is an event before its seed is shown to anybody.
 */
import type { AppendResult } from "../../log/types.ts";
import type { EpochPlan, NextOptions, Seal } from "./epochs.ts";
import type { SealDecision } from "./seal-rule.ts";
import type { Weave, WovenMessage } from "./weave.ts";

export interface WeaverOptions {
	/** Anew from the log, with the seals that are there now. */
	readonly make: () => Weave;
	/** Writes nodes over everything before this message. */
	readonly summarise: (keepFrom: WovenMessage) => Promise<void>;
	/** Writes the Seal event. */
	readonly record: (seal: Seal) => AppendResult;
}

export class Weaver {
	readonly #options: WeaverOptions;
	#weave: Weave | undefined;
	#last: { readonly id: string; readonly plan: EpochPlan } | undefined;

	constructor(options: WeaverOptions) {
		this.#options = options;
	}

	/** The seals of this session so far. */
	get seals(): readonly Seal[] {
		return (this.#weave ?? this.#options.make()).epochs.seals;
	}

	/** `messages`: the active path, closed; at least from the first message that the standing seal keeps. */
	async next(messages: readonly WovenMessage[], options: NextOptions): Promise<EpochPlan> {
		const newest = messages.at(-1);
		const weave = this.#weave ?? this.#resume(messages);
		this.#weave = weave;
		if (this.#last?.id === newest?.id && !options.force) return standing(weave, messages, this.#last?.plan.decision);
		const first = weave.wouldSeal(messages, options);
		// Behind an answer the user has yet to speak: it is no request so far, and costs none.
		if (first === undefined && newest?.role === "assistant") return standing(weave, messages);
		if (first !== undefined) await this.#options.summarise(messages[first]!);
		const plan = this.#sealed(weave.next(messages, options), messages);
		this.#last = newest && { id: newest.id, plan };
		return plan;
	}

	/** The plan, once its seal is in the log. */
	#sealed(plan: EpochPlan, messages: readonly WovenMessage[]): EpochPlan {
		if (!plan.fresh || !plan.seal) return plan;
		const larger = plan.seal.tokensAfter >= plan.seal.tokensBefore;
		if (!larger && this.#options.record(plan.seal).added > 0) return plan;
		// It would make the request larger; or another process sealed here first, and its seed is the one that counts.
		this.#weave = this.#options.make();
		return { ...standing(this.#weave, messages, plan.decision), fresh: !larger };
	}

	/** Each answer on the path was a request: a new process pays for them again, so that its regret is the old one's. */
	#resume(messages: readonly WovenMessage[]): Weave {
		const weave = this.#options.make();
		const start = standing(weave, messages).first;
		for (let at = start + 1; at < messages.length; at++) {
			if (messages[at]!.role !== "assistant") continue;
			const request = messages.slice(start, at);
			// It was not sealed then; the request to come will see to it.
			if (weave.wouldSeal(request, { cold: false }) !== undefined) break;
			weave.next(request, { cold: false });
		}
		return weave;
	}
}

const UNDECIDED: SealDecision = { seal: false, why: "too-early", regret: 0, price: 0, floor: 0 };

/** What holds on this path as it is, without a new decision. */
function standing({ epochs }: Weave, messages: readonly WovenMessage[], decision = UNDECIDED): EpochPlan {
	const seal = epochs.seals.findLast(({ from }) => messages.some(({ id }) => id === from));
	const first = seal ? messages.findLastIndex(({ id }) => id === seal.from) : 0;
	let tokens = seal?.seed.tokens ?? 0;
	for (const message of messages.slice(first)) tokens += message.tokens;
	return { seal, first, tokens, fresh: false, decision };
}
