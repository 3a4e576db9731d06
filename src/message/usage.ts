import { costUnits, dollarsOf, type Prices } from "../base/tokens/prices.ts";

/** The tokens that one call of a model used, as every floor counts them: each token is in exactly one of the four counts. */
export interface Usage {
	/** Neither read from the provider's cache nor written to it. */
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	/** The part of `cacheWrite` that the provider keeps for an hour, where it says so. */
	readonly cacheWriteLong?: number | undefined;
	/** The part of `output` that the model thought, where the agent says so. */
	readonly reasoning?: number | undefined;
	/** In the currency of the agent's price list, where it computed one. */
	readonly cost?: number | undefined;
	/** `cost` by kind of token. */
	readonly costs?:
		| {
				readonly input: number;
				readonly cacheRead: number;
				readonly cacheWrite: number;
				readonly output?: number | undefined;
		  }
		| undefined;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function promptTokens({ input, cacheRead, cacheWrite }: Usage): number {
	return input + cacheRead + cacheWrite;
}

/** What a request cost: as the agent computed it, or else at these prices, output included. */
export function dollarsOfUsage({ cost, ...usage }: Usage, prices: Prices): number {
	return cost ?? dollarsOf(unitsOfUsage(usage, prices), prices);
}

/** The same in tokens of plain input, at these prices. */
export function unitsOfUsage(usage: Usage, prices: Prices): number {
	const { input, output, cacheRead: read, cacheWrite: write, cacheWriteLong: writeLong } = usage;
	return costUnits({ input, output, read, write, writeLong }, prices);
}

export function totalTokens(usage: Usage): number {
	return promptTokens(usage) + usage.output;
}

/** Sums the four counts alone. `sign` -1 subtracts. */
export function addUsage(one: Usage, other: Usage, sign: 1 | -1 = 1): Usage {
	return mapKinds((kind) => one[kind] + sign * other[kind]);
}

/** The counts of a stream's newer event; a count that it leaves out or gives as 0 is that of the event before. */
export function newerUsage(now: Usage, before: Usage | undefined): Usage {
	return mapKinds((kind) => now[kind] || (before?.[kind] ?? 0));
}

/** For APIs that count cached tokens as input: takes them out of it. */
export function separateCache(of: {
	readonly input: number;
	readonly cacheRead?: number | undefined;
	readonly cacheWrite?: number | undefined;
	readonly output: number;
	readonly reasoning?: number | undefined;
}): Usage {
	const { cacheRead = 0, cacheWrite = 0, output, reasoning } = of;
	return { input: Math.max(0, of.input - cacheRead - cacheWrite), output, cacheRead, cacheWrite, reasoning };
}

function mapKinds(count: (kind: "input" | "output" | "cacheRead" | "cacheWrite") => number): Usage {
	return {
		input: count("input"),
		output: count("output"),
		cacheRead: count("cacheRead"),
		cacheWrite: count("cacheWrite"),
	};
}
