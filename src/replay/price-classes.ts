/**
 * The same session at each price of reading from the cache. The saving depends on it more than on anything else, so figures
 * are given per class: the share of plain input that a token from the cache costs.
 */
import type { Prices } from "../base/tokens/prices.ts";
import type { ModeReport } from "./mode-report.ts";

export const READ_CLASSES = [0.1, 0.05, 0.025] as const;

export interface ClassReport {
	/** The price of a token from the cache, as a share of plain input. */
	readonly read: number;
	readonly woven: ClassFigures;
	readonly host: ClassFigures;
}

export type ClassFigures = Pick<
	ModeReport,
	"requests" | "meanTokens" | "costUnits" | "costUnits3k" | "healedUnits3k" | "outputUnits" | "seals" | "support"
>;

/** These prices with another price of reading, steps included. */
export function withRead(prices: Prices, read: number): Prices {
	const steps = prices.steps?.map((step) => ({ ...step, read }));
	return { ...prices, read, ...(steps && { steps }) };
}

export function classFigures(mode: ModeReport): ClassFigures {
	const { requests, meanTokens, costUnits, costUnits3k, healedUnits3k, outputUnits, seals, support } = mode;
	return { requests, meanTokens, costUnits, costUnits3k, healedUnits3k, outputUnits, seals, support };
}
