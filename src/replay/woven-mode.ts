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
import { type PlannedRequest, planMessage, planText } from "./host-mode.ts";
import { logUpTo } from "./log-up-to.ts";
import type { RecordedCall } from "./recording.ts";

export interface WovenModeOptions {
	readonly log: Log;
	readonly session: string;
	readonly root: string;
	readonly prices: Prices;
	readonly profile: Profile;
	readonly window: number;
	readonly hidden: number;
}

export class WovenMode {
	readonly #weave: Weave;
	#upTo = 0;
	#lastTs: number | undefined;

	constructor(options: WovenModeOptions) {
		const { log } = options;
		const files = new RecordedFiles();
		const state = new StateRunner(
			logUpTo(log, () => this.#upTo),
			SEED_FOLDS,
			{ snapshots: false },
		);
		this.#weave = new Weave({
			...options,
			state: () => state.current().state,
			files: () => {
				files.advance(log, this.#upTo);
				return files;
			},
		});
	}

	get seals(): readonly Seal[] {
		return this.#weave.epochs.seals;
	}

	plan(call: RecordedCall): PlannedRequest {
		this.#upTo = call.answer.seq - 1;
		const messages = call.path.flatMap((step) =>
			step.kind === "message" && step.message.wire.length > 0 ? [step.message] : [],
		);
		const cold = this.#lastTs !== undefined && call.answer.ts - this.#lastTs > CACHE_TTL_MS;
		this.#lastTs = call.answer.ts;
		const plan = this.#weave.next(
			messages.map(({ entry, role, tokens, text }) => ({ id: entry, role, tokens, text })),
			{ cold },
		);
		const seed = plan.seal ? [planText(`seed ${plan.seal.from}`, plan.seal.seed.text)] : [];
		const tail = messages.slice(plan.first).flatMap(planMessage);
		return { messages: [...seed, ...tail], summarised: 0, ...(plan.fresh ? { reason: plan.decision.why } : {}) };
	}
}
