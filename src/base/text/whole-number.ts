import { EngineError } from "../error/engine-error.ts";

/** Reads a number that a person or an address gave; undefined: none was given. `name`: as the refusal calls it. */
export function readWholeNumber(name: string, given: unknown, min = 0): number | undefined {
	if (given === undefined) return undefined;
	const value = /^\d{1,15}$/.test(String(given)) ? Number(given) : Number.NaN;
	if (value >= min) return value;
	throw new EngineError("usage", `${name} takes a whole number, at least ${min}, not '${String(given)}'.`);
}
