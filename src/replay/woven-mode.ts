/** What weft would have sent in `woven`: the same epochs and seeds as live, on files as the recording knows them. */
import type { Seal } from "../assembly/epochs.ts";
import { SEED_FOLDS } from "../assembly/project-state.ts";
import type { Profile } from "../assembly/seal-rule.ts";
import { Weave } from "../assembly/weave.ts";
import type { Log } from "../log/log.ts";
import { StateRunner } from "../projection/state.ts";
import type { Prices } from "../tokens/prices.ts";
import { RecordedFiles } from "../work/recorded-files.ts";
import { CACHE_TTL_MS } from "./cost.ts";
import { logUpTo } from "./log-up-to.ts";
import type { Path } from "./path.ts";
import { type Mode, type PlannedMessage, type PlannedRequest, planText } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";

export interface WovenModeOptions {
	readonly log: Log;
	readonly session: string;
	readonly root: string;
	readonly prices: Prices;
	readonly profile: Profile;
	readonly window: number;
	/** The hidden price of a seal, in tokens. */
	readonly hidden: number;
}

export class WovenMode implements Mode {
	readonly #weave: Weave;
	#upTo = 0;
	#lastTs: number | undefined;
	#seed: { readonly of: Seal; readonly planned: PlannedMessage } | undefined;

	constructor(options: WovenModeOptions) {
		const { log } = options;
		const files = new RecordedFiles();
		const upTo = () => this.#upTo;
		const state = new StateRunner(logUpTo(log, upTo), SEED_FOLDS, { snapshots: false });
		this.#weave = new Weave({
			...options,
			state: () => state.current().state,
			files: () => {
				files.advance(log, this.#upTo);
				return files;
			},
		});
	}

	get seals(): number {
		return this.#weave.epochs.seals.length;
	}

	get epochs(): readonly Seal[] {
		return this.#weave.epochs.seals;
	}

	plan(call: RecordedCall, { messages }: Path): PlannedRequest {
		this.#upTo = call.answer.seq - 1;
		const cold = this.#lastTs !== undefined && call.answer.ts - this.#lastTs > CACHE_TTL_MS;
		this.#lastTs = call.answer.ts;
		const { seal, first, fresh, decision } = this.#weave.next(messages, { cold });
		const tail = messages.slice(first);
		if (!seal) return { messages: tail };
		if (this.#seed?.of !== seal) this.#seed = { of: seal, planned: planText(seal.seed.text) };
		return { messages: [this.#seed.planned, ...tail], ...(fresh ? { reason: `sealed: ${decision.why}` } : {}) };
	}
}
