/** What weft would have sent in `woven`: the same epochs, seeds and summaries as live, on what the recording knows. */
import type { Seal } from "../context/seal/epochs.ts";
import { Weaver } from "../context/seal/weaver.ts";
import { CACHE_TTL_MS } from "./cost.ts";
import type { Path, SentMessage } from "./path.ts";
import { type Mode, type PlannedMessage, type PlannedRequest, planText } from "./planned.ts";
import { RecordedWeave, type RecordedWeaveOptions } from "./recorded-weave.ts";
import type { RecordedCall } from "./recording.ts";

export class WovenMode implements Mode {
	readonly #weave: RecordedWeave;
	readonly #weaver: Weaver;
	readonly #seals: Seal[] = [];
	#lastTs: number | undefined;
	#seed: { readonly of: Seal; readonly planned: PlannedMessage } | undefined;

	constructor(options: RecordedWeaveOptions) {
		this.#weave = new RecordedWeave(options);
		this.#weaver = new Weaver({
			make: () => this.#weave.make(this.#seals),
			summarise: (message) => this.#weave.summarise(message as SentMessage),
			record: (seal) => ({ seqs: [], added: this.#seals.push(seal) }),
		});
	}

	get seals(): number {
		return this.#seals.length;
	}

	async plan(call: RecordedCall, { messages }: Path): Promise<PlannedRequest> {
		this.#weave.moveTo(call);
		const cold = this.#lastTs !== undefined && call.answer.ts - this.#lastTs > CACHE_TTL_MS;
		this.#lastTs = call.answer.ts;
		const { seal, first, fresh, decision } = await this.#weaver.next(messages, { cold });
		const tail = messages.slice(first);
		if (!seal) return { messages: tail };
		if (this.#seed?.of !== seal) this.#seed = { of: seal, planned: planText(seal.seed.text) };
		return { messages: [this.#seed.planned, ...tail], ...(fresh ? { reason: `sealed: ${decision.why}` } : {}) };
	}
}
