import type { Reader } from "./reader.ts";

const LOOKED_FOR = " Looked for: ";

/** For the end of a sentence that says that a file is of no known kind. */
export function lookedFor(readers: readonly Reader[], ...others: readonly string[]): string {
	const known = readers.map(({ name, looksFor }) => `${name}: ${looksFor}`);
	return `${LOOKED_FOR}${[...known, ...others].join("; ")}.`;
}

/** The sentence alone, for whoever has just told of another file. */
export function withoutLookedFor(message: string): string {
	const at = message.indexOf(LOOKED_FOR);
	return at < 0 ? message : message.slice(0, at);
}
