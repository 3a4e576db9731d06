/** What weft would have sent in `woven`: the same epochs and seeds as live, on files as the recording knows them. */
import { Epochs } from "../assembly/epochs.ts";
import type { Profile } from "../assembly/seal-rule.ts";
import { renderSeed, type SeedState } from "../assembly/seed/seed.ts";
import type { Log } from "../log/log.ts";
import { StateRunner } from "../projection/state.ts";
import type { Prices } from "../tokens/prices.ts";
import { saidFold } from "../transcript/said-fold.ts";
import { pathFold } from "../work/path-fold.ts";
import { RecordedFiles } from "../work/recorded-files.ts";
import { WORK_FOLDS } from "../work/state.ts";
import { touchFold } from "../work/touch-fold.ts";
import { CACHE_TTL_MS } from "./cost.ts";
import { type PlannedRequest, planMessage, planText } from "./host-mode.ts";
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
	readonly epochs: Epochs;
	readonly #options: WovenModeOptions;
	readonly #files = new RecordedFiles();
	readonly #state: StateRunner<SeedState>;
	#upTo = 0;
	#lastTs: number | undefined;

	constructor(options: WovenModeOptions) {
		this.#options = options;
		const { log } = options;
		this.epochs = new Epochs(options);
		const upTo = () => this.#upTo;
		this.#state = new StateRunner<SeedState>(
			{
				readOnly: true,
				folder: log.folder,
				read: (query) => log.read({ ...query, upTo: Math.min(query?.upTo ?? upTo(), upTo()) }),
				newestSeq: upTo,
				getStored: (seq: number) => log.getStored(seq),
			} as ConstructorParameters<typeof StateRunner<SeedState>>[0],
			{ ...WORK_FOLDS, touches: touchFold, said: saidFold, paths: pathFold },
			{ snapshots: false },
		);
	}

	plan(call: RecordedCall): PlannedRequest {
		this.#upTo = call.answer.seq - 1;
		const messages = call.path.flatMap((step) =>
			step.kind === "message" && step.message.wire.length > 0 ? [step.message] : [],
		);
		const cold = this.#lastTs !== undefined && call.answer.ts - this.#lastTs > CACHE_TTL_MS;
		this.#lastTs = call.answer.ts;
		const plan = this.epochs.next(
			messages.map((message) => ({ id: message.entry, role: message.role, tokens: message.tokens })),
			{ cold },
			(_first, budget) => this.#seed(budget),
		);
		const seed = plan.seal ? [planText(`seed ${plan.seal.from}`, plan.seal.seed.text)] : [];
		const tail = messages.slice(plan.first).flatMap(planMessage);
		return { messages: [...seed, ...tail], summarised: 0, ...(plan.fresh ? { reason: plan.decision.why } : {}) };
	}

	#seed(budget: number) {
		this.#files.advance(this.#options.log, this.#upTo);
		const { state } = this.#state.current();
		return renderSeed({
			session: this.#options.session,
			state,
			files: this.#files,
			root: this.#options.root,
			budget,
		});
	}
}
