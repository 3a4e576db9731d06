/**
 * Is the seal rule any good? Compares it with every fixed threshold (seal whenever the context exceeds this many tokens)
 * on the same session with the same seeds. The cost includes the hidden price of every seal.
 */
import { ceilingTokens, hiddenGuess } from "../context/seal/rule.ts";
import { measureRequests } from "./mode-report.ts";
import type { Recording } from "./recording.ts";
import { type RowOptions, replayRow } from "./requests.ts";
import type { Demand } from "./support.ts";

export interface SweepRow {
	/** null: the regret rule. */
	readonly threshold: number | null;
	readonly costUnits: number;
	readonly seals: number;
	/** The cost plus the hidden price of the seals. */
	readonly total: number;
	readonly editSupport: number | null;
	readonly termSupport: number | null;
}

export interface Sweep {
	readonly hidden: number;
	readonly regret: SweepRow;
	readonly fixed: readonly SweepRow[];
	readonly best: SweepRow;
	/** The regret rule's total divided by the best threshold's. */
	readonly ratio: number;
}

export interface SweepOptions extends Omit<RowOptions, "row" | "threshold"> {
	readonly demands: readonly Demand[];
	readonly onProgress: (done: number, total: number) => void;
}

const FIRST_TOKENS = 20_000;
const STEP_TOKENS = 2_500;

export async function sweepThresholds(recording: Recording, options: SweepOptions): Promise<Sweep> {
	const { prices, window, demands, onProgress } = options;
	const hidden = hiddenGuess(prices.read);
	const { fixedTokens, cacheLifetime } = recording;
	const measureThreshold = async (threshold: number | null): Promise<SweepRow> => {
		const requests = replayRow(recording, {
			...options,
			row: "woven",
			seal: "thrift",
			threshold: threshold ?? undefined,
		});
		const report = await measureRequests(requests, { prices, fixedTokens, cacheLifetime, demands });
		const { costUnits, seals, editSupport, termSupport } = report;
		return { threshold, costUnits, seals, total: costUnits + hidden * seals, editSupport, termSupport };
	};
	const thresholds = thresholdsUpTo(ceilingTokens(window));
	const regret = await measureThreshold(null);
	const fixed: SweepRow[] = [];
	for (const [at, threshold] of thresholds.entries()) {
		onProgress(at, thresholds.length);
		fixed.push(await measureThreshold(threshold));
	}
	const best = fixed.reduce((one, other) => (other.total < one.total ? other : one));
	return { hidden, regret, fixed, best, ratio: regret.total / best.total };
}

function thresholdsUpTo(ceiling: number): number[] {
	const thresholds: number[] = [];
	for (let tokens = Math.min(FIRST_TOKENS, ceiling); tokens < ceiling; tokens += STEP_TOKENS) thresholds.push(tokens);
	return [...thresholds, ceiling];
}
