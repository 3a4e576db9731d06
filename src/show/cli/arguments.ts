/** Reads what people type after an option. Everything that cannot be meant is refused with what to write instead. */
import { EngineError } from "../../base/error/engine-error.ts";
import { parseTime } from "../../base/text/time.ts";

/** A whole number of at least `min`. */
export function wholeNumber(flag: string, given: unknown, min = 0): number | undefined {
	if (given === undefined) return undefined;
	const value = /^\d{1,15}$/.test(String(given)) ? Number(given) : Number.NaN;
	if (value >= min) return value;
	throw new EngineError("usage", `${flag} takes a whole number, at least ${min}, not '${String(given)}'.`);
}

/** A point in time, in ms since the epoch. */
export function pointInTime(flag: string, given: unknown, now: number): number | undefined {
	if (given === undefined) return undefined;
	try {
		return parseTime(String(given), now);
	} catch (error) {
		if (error instanceof EngineError) throw new EngineError(error.code, `${flag}: ${error.message}`);
		throw error;
	}
}

/** One of a few words. */
export function oneOf<const Word extends string>(
	flag: string,
	given: unknown,
	words: readonly Word[],
): Word | undefined {
	if (given === undefined) return undefined;
	const word = words.find((candidate) => candidate === given);
	if (word) return word;
	throw new EngineError(
		"usage",
		`${flag} takes ${words.slice(0, -1).join(", ")} or ${words.at(-1)}, not '${String(given)}'.`,
	);
}
