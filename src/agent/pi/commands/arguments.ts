import { EngineError } from "../../../base/error/engine-error.ts";

/** Words as a person types them; quotes keep a path with spaces together. */
export function splitWords(args: string): string[] {
	return [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
		([, double, single, bare]) => double ?? single ?? bare ?? "",
	);
}

/** The first word, and everything after it as it was typed. */
export function firstWord(args: string): readonly [word: string, rest: string] {
	const end = args.search(/\s/);
	return end === -1 ? [args, ""] : [args.slice(0, end), args.slice(end).trim()];
}

export function wholeNumber(name: string, given: string | undefined): number | undefined {
	if (given === undefined || given === "") return undefined;
	if (!/^\d{1,9}$/.test(given)) throw new EngineError("usage", `${name} takes a whole number, not '${given}'.`);
	return Number(given);
}
