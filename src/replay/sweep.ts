/**
 * Is the seal rule any good? All fixed thresholds are tried beside it, on the same session and with the same seeds: seal
 * whenever the context exceeds so many tokens. Cost counts with the hidden price of every seal, for all alike.
 */
import { keepFrom } from "../assembly/epochs.ts";
import { SEED_FOLDS } from "../assembly/project-state.ts";
import { ceilingTokens, HIDDEN_PRICE_TOKENS, seedBudget } from "../assembly/seal-rule.ts";
import { renderSeed } from "../assembly/seed/seed.ts";
import { StateRunner } from "../projection/state.ts";
import { RecordedFiles } from "../work/recorded-files.ts";
import { logUpTo } from "./log-up-to.ts";
import { type ModeOptions, makeMode, PerSession } from "./modes.ts";
import type { Recording } from "./open-recording.ts";
import type { Path } from "./path.ts";
import { type Mode, type PlannedMessage, type PlannedRequest, planText, sumTokens } from "./planned.ts";
import type { RecordedCall } from "./recording.ts";
import { runMode } from "./run.ts";

export interface SweepRow {
	/** null: the regret rule. */
	readonly threshold: number | null;
	readonly costUnits: number;
	readonly seals: number;
	/** Cost and the hidden price of its seals. */
	readonly total: number;
	readonly editSupport: number;
	readonly termSupport: number;
}

export interface Sweep {
	readonly hidden: number;
	readonly regret: SweepRow;
	readonly fixed: readonly SweepRow[];
	readonly best: SweepRow;
	/** The regret rule's total as a share of the best fixed choice's. */
	readonly ratio: number;
}

const FIRST_TOKENS = 20_000;
const STEP_TOKENS = 2_500;

export async function sweepThresholds(
	recording: Recording,
	options: ModeOptions,
	onProgress: (done: number, total: number) => void,
): Promise<Sweep> {
	const hidden = HIDDEN_PRICE_TOKENS[options.profile];
	const { calls, demands } = recording;
	const measure = async (threshold: number | null, mode: Mode): Promise<SweepRow> => {
		const { prices, fixed } = options;
		const report = await runMode(mode, calls, { prices, fixed, format: recording.format, demands, check: false });
		const { costUnits, seals, editSupport, termSupport } = report;
		return { threshold, costUnits, seals, total: costUnits + hidden * seals, editSupport, termSupport };
	};
	const thresholds = thresholdsUpTo(ceilingTokens(options.window));
	const regret = await measure(null, makeMode("woven", options));
	const fixed: SweepRow[] = [];
	for (const [at, threshold] of thresholds.entries()) {
		onProgress(at, thresholds.length);
		const mode = new PerSession((session) => new FixedMode(threshold, session.session, options));
		fixed.push(await measure(threshold, mode));
	}
	const best = fixed.reduce((one, other) => (other.total < one.total ? other : one));
	return { hidden, regret, fixed, best, ratio: regret.total / best.total };
}

export function thresholdsUpTo(ceiling: number): number[] {
	const thresholds: number[] = [];
	for (let tokens = Math.min(FIRST_TOKENS, ceiling); tokens < ceiling; tokens += STEP_TOKENS) thresholds.push(tokens);
	return [...thresholds, ceiling];
}

/** `woven` with a threshold in place of its rule. */
class FixedMode implements Mode {
	readonly #threshold: number;
	readonly #session: string;
	readonly #options: ModeOptions;
	readonly #state;
	readonly #files = new RecordedFiles();
	#upTo = 0;
	#seals: { readonly first: number; readonly firstId: string; readonly seed: PlannedMessage }[] = [];
	#count = 0;

	constructor(threshold: number, session: string, options: ModeOptions) {
		this.#threshold = threshold;
		this.#session = session;
		this.#options = options;
		const upTo = () => this.#upTo;
		this.#state = new StateRunner(logUpTo(options.log, upTo), SEED_FOLDS, { snapshots: false });
	}

	get seals(): number {
		return this.#count;
	}

	plan(call: RecordedCall, { messages }: Path): PlannedRequest {
		this.#upTo = call.answer.seq - 1;
		this.#seals = this.#seals.filter(({ first, firstId }) => messages[first]?.id === firstId);
		let seal = this.#seals.at(-1);
		const size = (seal?.seed.tokens ?? 0) + sumTokens(messages, seal?.first ?? 0);
		const first = size > this.#threshold ? keepFrom(messages, seal?.first ?? 0) : 0;
		const fresh = first > (seal?.first ?? 0);
		if (fresh) {
			seal = { first, firstId: messages[first]!.id, seed: this.#render(messages, first) };
			this.#seals.push(seal);
			this.#count++;
		}
		const planned = seal ? [seal.seed, ...messages.slice(seal.first)] : [...messages];
		return { messages: planned, ...(fresh ? { reason: "threshold" } : {}) };
	}

	#render(messages: Path["messages"], first: number): PlannedMessage {
		const { log, profile, window, rootOf } = this.#options;
		this.#files.advance(log, this.#upTo);
		const raw = messages
			.slice(first)
			.map((message) => message.text)
			.join("\n");
		const seed = renderSeed({
			session: this.#session,
			state: this.#state.current().state,
			files: this.#files,
			root: rootOf(this.#session),
			raw,
			budget: seedBudget(profile, window),
		});
		return planText(seed.text);
	}
}
