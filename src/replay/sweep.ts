/**
 * Is the seal rule any good? All fixed thresholds are tried beside it, on the same session and with the same seeds: seal
 * whenever the context exceeds so many tokens. Cost counts with the hidden price of every seal, for all alike.
 */
import { keepFrom } from "../context/seal/epochs.ts";
import { ceilingTokens, HIDDEN_PRICE_TOKENS } from "../context/seal/rule.ts";
import type { Weave } from "../context/seal/weave.ts";
import type { Log } from "../log/log.ts";
import { keepNewest } from "../message/turns.ts";
import { type ModeOptions, makeMode, PerSession } from "./modes.ts";
import type { Recording } from "./open-recording.ts";
import type { Path } from "./path.ts";
import { type Mode, type PlannedMessage, type PlannedRequest, planText, sumTokens } from "./planned.ts";
import { RecordedWeave, type RecordedWeaveOptions } from "./recorded-weave.ts";
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
	const onCopy = async (work: (log: Log) => Promise<SweepRow>): Promise<SweepRow> => {
		const copy = recording.fork();
		try {
			return await work(copy.log);
		} finally {
			copy.close();
		}
	};
	const thresholds = thresholdsUpTo(ceilingTokens(options.window));
	const regret = await onCopy((log) => measure(null, makeMode("woven", { ...options, log })));
	const fixed: SweepRow[] = [];
	for (const [at, threshold] of thresholds.entries()) {
		onProgress(at, thresholds.length);
		const row = await onCopy((log) =>
			measure(threshold, new PerSession((session) => new FixedMode(threshold, { ...options, log, session }))),
		);
		fixed.push(row);
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
	readonly #recorded: RecordedWeave;
	readonly #weave: Weave;
	#standing: { readonly first: number; readonly firstId: string; readonly seed: PlannedMessage } | undefined;

	constructor(threshold: number, options: RecordedWeaveOptions) {
		this.#threshold = threshold;
		this.#recorded = new RecordedWeave(options);
		this.#weave = this.#recorded.make([]);
	}

	get seals(): number {
		return this.#weave.epochs.seals.length;
	}

	async plan(call: RecordedCall, { messages }: Path): Promise<PlannedRequest> {
		this.#recorded.moveTo(call);
		if (this.#standing && messages[this.#standing.first]?.id !== this.#standing.firstId) this.#standing = undefined;
		const before = this.#standing?.first ?? 0;
		const size = (this.#standing?.seed.tokens ?? 0) + sumTokens(messages, before);
		const first = size > this.#threshold ? keepNewest(messages, { limit: KEPT_TOKENS, least: before }) : before;
		if (first > before) {
			await this.#recorded.summarise(messages[first]!);
			const { seal, first: kept } = this.#weave.next(messages, { cold: false, force: true });
			if (seal) this.#standing = { first: kept, firstId: messages[kept]!.id, seed: planText(seal.seed.text) };
		}
		const planned = this.#standing ? [this.#standing.seed, ...messages.slice(this.#standing.first)] : [...messages];
		return { messages: planned, ...(first > before ? { reason: "threshold" } : {}) };
	}
}
